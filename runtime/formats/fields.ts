/** The fields of a format with known fields: one table that documents them, places them and reads them. */
import type { Value, ValueType } from '../../storage/value.ts'
import type { FieldDoc } from './descriptor.ts'
import { type Extractor, type SpanField, type Spans, spanExtractor } from './extractor.ts'
import { integerOf, textOf, typedOf } from './values.ts'

type Reader = SpanField['value']
type Unnamed = Omit<FieldDoc, 'name'> & { readonly value: Reader }

export interface FieldTable<N extends string> {
  readonly fields: readonly (FieldDoc & SpanField)[]
  /** The place of each in `fields`, for `setSpan`. */
  readonly at: Readonly<Record<N, number>>
  extractor(scan: (text: string, spans: Spans) => string | null): Extractor
}

export function fieldTable<N extends string>(table: Readonly<Record<N, Unnamed>>): FieldTable<N> {
  const names = Object.keys(table) as N[]
  const fields = names.map(name => ({ name, ...table[name] }))
  const at = Object.fromEntries(names.map((name, index) => [name, index])) as Record<N, number>
  return { fields, at, extractor: scan => spanExtractor(fields, scan) }
}

/** Text as it stands. */
export function text(doc: string): Unnamed {
  return { type: 'string', doc, value: textOf }
}

/** Digits: always a number. */
export function integer(doc: string): Unnamed {
  return { type: 'int', doc, value: integerOf }
}

/** A number where it is a canonical one, else text. */
export function typed(doc: string): Unnamed {
  return { type: 'any', doc, value: typedOf }
}

export function computed(
  type: ValueType,
  doc: string,
  value: (text: string, start: number, end: number) => Value,
): Unnamed {
  return { type, doc, value }
}
