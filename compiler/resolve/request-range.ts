/** The time range of a request, outside of the query's text. */
import { CompileError } from '../../grammar/diagnostics.ts'
import { NO_SPAN, parseTimePoint } from '../../grammar/index.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import type { DateTime } from '../../storage/value.ts'
import { microsOf } from './time.ts'

interface Bounds {
  readonly from?: string
  readonly to?: string
}

/** Null: no bound. @throws {CompileError} for what is no time */
export function requestRange(text: string, { from, to }: Bounds, now: DateTime): TimeRange | null {
  if (from === undefined && to === undefined) return null
  const bound = (name: string, value: string | undefined): number | null => {
    if (value === undefined || value === '') return null
    const point = parseTimePoint(value)
    if (point !== null) return microsOf(point, () => now)
    const message = `'${value}' is no time for ${name}; write -1h, @d, now, or 2026-06-01T00:00:00Z`
    throw new CompileError({ text }, [{ code: 'E310', message, span: NO_SPAN }])
  }
  return { fromMicros: bound('from', from), toMicros: bound('to', to) }
}
