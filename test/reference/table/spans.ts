/** Rows as spans, for trace and topology. */

import { FAILURE_FIELDS, USUAL_FIELDS } from '../../../compiler/stages/spans.ts'
import type { AstOption } from '../../../grammar/ast.ts'
import { parseDateTime, parseDuration } from '../../../grammar/literals.ts'
import { optionOf } from '../../../grammar/stages/options.ts'
import { toNumeric } from '../../../runtime/helpers/numbers.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { isAbsent, type Row, readField } from '../row.ts'
import { type Evaluate, nanosBetween, timeOf } from './rows.ts'

export interface Span {
  readonly row: Row
  readonly trace: Value
  readonly id: Value
  readonly parent: Value
  readonly service: Value
  readonly name: Value
  readonly peer: Value
  readonly start: DateTime | null
  readonly took: number | null
  readonly failed: boolean
}

type Part = keyof typeof USUAL_FIELDS

export function spanOf(row: Row, options: readonly AstOption[], evaluate: Evaluate): Span {
  const part = (name: Part): Value => {
    const given = optionOf(options, name)
    if (given !== null) return evaluate(given, row) ?? null
    return USUAL_FIELDS[name].map(field => readField(row, field)).find(value => !isAbsent(value)) ?? null
  }
  const start = instant(part('start')) ?? timeOf(row)
  const end = instant(part('end'))
  const given = optionOf(options, 'duration')
  const took =
    given !== null
      ? length(evaluate(given, row), 1_000_000)
      : (length(part('duration_ns'), 1) ?? length(part('duration_us'), 1_000) ?? length(part('duration_ms'), 1_000_000))
  const error = optionOf(options, 'error')
  return {
    row,
    trace: part('trace_id'),
    id: id(part('span_id')),
    parent: id(part('parent')),
    service: part('service'),
    name: part('name'),
    peer: part('peer'),
    start,
    took: took ?? (start === null || end === null ? null : Math.max(0, nanosBetween(start, end))),
    failed: error === null ? looksFailed(row) : evaluate(error, row) === true,
  }
}

/** Empty, or all zeros, is how exporters write none. */
function id(value: Value): Value {
  return typeof value === 'string' && [...value].every(character => character === '0') ? null : value
}

function instant(value: Value): DateTime | null {
  if (value instanceof DateTime) return value
  const number = toNumeric(value)
  if (number === null) {
    const time = typeof value === 'string' ? parseDateTime(value) : null
    return time && new DateTime(time.micros, time.nanos)
  }
  const size = Number(number)
  if (size < 1e8 || size >= 1e19) return null
  if (size < 1e11) return new DateTime(Math.round(size * 1_000_000))
  if (size < 1e14) return new DateTime(Math.round(size * 1000))
  if (size < 1e17) return new DateTime(Math.round(size))
  return new DateTime(Number(BigInt(number) / 1000n), Number(BigInt(number) % 1000n))
}

function length(value: Value, unit: number): number | null {
  const number = toNumeric(value)
  const text = typeof value === 'string' ? parseDuration(value) : null
  const ns = value instanceof Duration ? value.ns : number === null ? text : Math.round(Number(number) * unit)
  return ns === null || ns < 0 || !Number.isFinite(ns) ? null : ns
}

const LEVELS = ['error', 'err', 'fatal', 'critical', 'crit', 'alert', 'emergency', 'panic']

function looksFailed(row: Row): boolean {
  const error = readField(row, 'error')
  if (error === true || error === 'true') return true
  const isHttpError = FAILURE_FIELDS.http.some(field => {
    const status = toNumeric(readField(row, field))
    return status !== null && Number(status) >= 500 && Number(status) <= 599
  })
  const isStatusError = FAILURE_FIELDS.status.some(field => {
    const status = readField(row, field)
    return toNumeric(status) === 2 || ['ERROR', 'Error', 'error', 'STATUS_CODE_ERROR'].includes(status as string)
  })
  const isLevelError = FAILURE_FIELDS.level.some(field => {
    const level = readField(row, field)
    return typeof level === 'string' && LEVELS.includes(level.toLowerCase())
  })
  return isHttpError || isStatusError || isLevelError
}
