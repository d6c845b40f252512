/** Time ranges of the query and of the request, as half-open microseconds; the tighter bound wins. */
import type { AstTimePoint, AstTimeRange, SnapUnit } from '../../grammar/ast.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import type { DateTime } from '../../storage/value.ts'

export const ALL_TIME: TimeRange = { fromMicros: null, toMicros: null }

export function intersect(a: TimeRange, b: TimeRange): TimeRange {
  const pick = (x: number | null, y: number | null, choose: (...values: number[]) => number): number | null =>
    x === null ? y : y === null ? x : choose(x, y)
  return {
    fromMicros: pick(a.fromMicros, b.fromMicros, Math.max),
    toMicros: pick(a.toMicros, b.toMicros, Math.min),
  }
}

export function rangeOf(range: AstTimeRange, now: () => DateTime): TimeRange {
  return {
    fromMicros: range.from === null ? null : microsOf(range.from, now),
    toMicros: range.to === null ? null : microsOf(range.to, now),
  }
}

/** Microseconds of a bound; what lies below them is rounded up, so that `from <= t < to` holds for whole microseconds. */
export function microsOf(point: AstTimePoint, now: () => DateTime): number {
  if (point.kind === 'absolute') return point.micros + (point.nanos > 0 ? 1 : 0)
  const micros = now().micros + Math.ceil(point.offsetNs / 1000)
  return point.snap === null ? micros : snapped(micros, point.snap)
}

const UNIT_MICROS: Readonly<Record<'s' | 'm' | 'h' | 'd' | 'w', number>> = {
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
  w: 7 * 86_400e6,
}
/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const MONDAY_OFFSET = 4 * 86_400e6

function snapped(micros: number, unit: SnapUnit): number {
  if (unit === 'mon' || unit === 'y') {
    const date = new Date(micros / 1000)
    return Date.UTC(date.getUTCFullYear(), unit === 'y' ? 0 : date.getUTCMonth(), 1) * 1000
  }
  const width = UNIT_MICROS[unit]
  const offset = unit === 'w' ? MONDAY_OFFSET : 0
  return Math.floor((micros - offset) / width) * width + offset
}
