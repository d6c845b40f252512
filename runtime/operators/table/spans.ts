/** Rows as spans: their parts read in whatever unit and spelling exporters write them, for `trace` and `topology`. */
import { parseDateTime, parseDuration } from '../../../grammar/literals.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { keyOf } from '../../helpers/compare.ts'
import { toNumeric } from '../../helpers/numbers.ts'
import type { CollectedRows } from './table.ts'

export interface Span {
  /** Where the row stands among the collected ones. */
  readonly row: number
  readonly traceId: Value
  readonly spanId: Value
  readonly parentId: Value
  readonly service: Value
  readonly name: Value
  readonly peer: Value
  /** Null when the row has no time. */
  readonly start: DateTime | null
  /** Null when it does not say how long it took: a log line, not a span. */
  readonly tookNs: number | null
  readonly failed: boolean
}

/** Rough cost of one span as an object, with its places in maps. */
export const SPAN_BYTES = 320

export function readSpans(collected: CollectedRows, inputs: Readonly<Record<string, string>>): Span[] {
  const columns = new Map(Object.entries(inputs).map(([name, column]) => [name, collected.values(column)]))
  const at = (name: string, row: number): Value => columns.get(name)?.[row] ?? null
  return collected.rows.map((_, row) => {
    const start = instantOf(at('start', row)) ?? instantOf(at('time', row))
    const end = instantOf(at('end', row))
    return {
      row,
      traceId: at('trace_id', row),
      spanId: present(at('span_id', row)),
      parentId: present(at('parent', row)),
      service: at('service', row),
      name: at('name', row),
      peer: at('peer', row),
      start,
      tookNs:
        lengthOf(at('duration_ns', row), 1) ??
        lengthOf(at('duration_us', row), 1e3) ??
        lengthOf(at('duration_ms', row), 1e6) ??
        (start === null || end === null ? null : Math.max(0, nanosBetween(start, end))),
      failed: at('failed', row) === true,
    }
  })
}

/** Exporters write the parent of a root as an empty string, or as zeros. */
function present(id: Value): Value {
  return typeof id === 'string' && /^0*$/.test(id) ? null : id
}

/** The key of a span within its trace. */
export function spanKey(traceId: Value, spanId: Value): string {
  return `${keyOf(traceId)} ${keyOf(spanId)}`
}

export function nanosBetween(from: DateTime, to: DateTime): number {
  return (to.micros - from.micros) * 1000 + to.nanos - from.nanos
}

/** A number is a time since 1970 in the unit its size tells; below 1973 in seconds it is none. */
function instantOf(value: Value): DateTime | null {
  if (value instanceof DateTime) return value
  const number = toNumeric(value)
  if (number === null) {
    const parsed = typeof value === 'string' ? parseDateTime(value) : null
    return parsed === null ? null : new DateTime(parsed.micros, parsed.nanos)
  }
  const size = Number(number)
  // Later than the year 2286 is no time of a span.
  if (size >= 1e19) return null
  if (size >= 1e17) {
    const nanos = BigInt(number)
    return new DateTime(Number(nanos / 1000n), Number(nanos % 1000n))
  }
  if (size >= 1e14) return new DateTime(Math.round(size))
  if (size >= 1e11) return new DateTime(Math.round(size * 1e3))
  return size >= 1e8 ? new DateTime(Math.round(size * 1e6)) : null
}

function lengthOf(value: Value, unitNs: number): number | null {
  if (value instanceof Duration) return value.ns < 0 ? null : value.ns
  const number = toNumeric(value)
  if (number === null) {
    const ns = typeof value === 'string' ? parseDuration(value) : null
    return ns === null || ns < 0 ? null : ns
  }
  const ns = Math.round(Number(number) * unitNs)
  return ns < 0 || !Number.isFinite(ns) ? null : ns
}
