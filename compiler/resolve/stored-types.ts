/**
 * Comparisons of a stored field with a constant, held against the types the catalog knows: what can never be true is a mistake, found
 * before anything is read.
 */
import type { Diagnostic, Span } from '../../grammar/index.ts'
import { parseDateTime } from '../../grammar/literals.ts'
import { parseNumber } from '../../runtime/helpers/numbers.ts'
import { DateTime, Duration, typeOf, type Value, type ValueType } from '../../storage/value.ts'
import { printValue } from '../logical/print.ts'

const NUMERIC: ReadonlySet<ValueType> = new Set<ValueType>(['int', 'float', 'number'])

/** Can a present value of this type compare with that constant at all? Null can with nothing. */
function canCompare(type: ValueType, value: Value): boolean {
  if (type === 'any' || type === 'null') return true
  const other = typeOf(value)
  if (NUMERIC.has(type))
    return other === 'int' || other === 'float' || (typeof value === 'string' && parseNumber(value) !== null)
  switch (type) {
    case 'string':
      return other === 'string' || other === 'int' || other === 'float' || value instanceof DateTime
    case 'datetime':
      return value instanceof DateTime || (typeof value === 'string' && parseDateTime(value) !== null)
    default:
      return other === type
  }
}

export interface StoredField {
  readonly name: string
  readonly type: ValueType
}

/** @param valueSpan  of the constant, where it stands alone in the text */
export function neverTrue(field: StoredField, value: Value, span: Span, valueSpan: Span): Diagnostic | null {
  if (canCompare(field.type, value)) return null
  const text = meant(field.type, value)
  return {
    code: 'E203',
    message: `${field.name} holds ${pluralOf(field.type)}, which never compare with ${printValue(value)}`,
    span: valueSpan.end > valueSpan.start ? valueSpan : span,
    ...(text !== null && { suggestion: text, edit: { span: valueSpan, text } }),
  }
}

/** None of a list can be it. */
export function neverIn(field: StoredField, values: readonly Value[], span: Span): Diagnostic | null {
  if (values.length === 0 || values.some(value => canCompare(field.type, value))) return null
  const message = `${field.name} holds ${pluralOf(field.type)}, which never compare with any of the list`
  return { code: 'E203', message, span }
}

/** The constant as it must be written for this type, where there is no doubt: `"true"` for a bool is true. */
function meant(type: ValueType, value: Value): string | null {
  if (type === 'bool') {
    if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase()
    if (value === 0 || value === 1) return value === 1 ? 'true' : 'false'
  }
  if (type === 'string' && (typeof value === 'boolean' || value instanceof Duration))
    return JSON.stringify(printValue(value))
  return null
}

function pluralOf(type: ValueType): string {
  return type === 'any' || type === 'null' ? 'values' : `${type}s`
}
