/** Functions of time: bins, clock readings, and datetimes from and to the text of strftime patterns. */
import { parseDateTime } from '../../grammar/literals.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { makeDuration, makeTime } from './arithmetic.ts'
import { toDatetime, toDuration } from './conversion.ts'
import { toNumeric } from './numbers.ts'
import { formatTime, readTime } from './strftime.ts'
import { instantOf, offsetAt } from './zones.ts'

const DAY_NS = 86_400e9
const DAY_US = 86_400e6
/** 1970-01-01 was a Thursday; bins of weeks begin on Monday. */
const FIRST_MONDAY_US = 4 * DAY_US

/** A datetime where one belongs; text of one is read, a bare number is not: `bin(200, 10)` is a bin of numbers. */
function timeOf(value: Value): DateTime | null {
  if (value instanceof DateTime) return value
  if (typeof value !== 'string') return null
  const time = parseDateTime(value)
  return time === null ? null : new DateTime(time.micros, time.nanos)
}

function zoneName(zone: Value): string | null {
  return zone === undefined ? 'UTC' : typeof zone === 'string' ? zone : null
}

/** Where bins are counted from, in microseconds: whole weeks from a Monday, all others from 1970. */
export function binOrigin(spanMicros: number): number {
  return spanMicros % (7 * DAY_US) === 0 ? FIRST_MONDAY_US : 0
}

/** The start of the bin of `micros`: the one rule, which generated code repeats for whole microseconds in UTC. */
export function binMicros(micros: number, spanMicros: number): number {
  const origin = binOrigin(spanMicros)
  return Math.floor((micros - origin) / spanMicros) * spanMicros + origin
}

/**
 * The start of the bin a time, duration or number falls into. Bins are counted from 1970 (weeks from a Monday). With a zone they
 * follow its wall clock: whole days begin at its midnight, however long the day is.
 */
function bin(value: Value, span: Value, zone?: Value): Value {
  const width = span instanceof Duration ? span : typeof span === 'string' ? toDuration(span) : null
  if (value instanceof Duration) {
    return width === null || width.ns <= 0 ? null : makeDuration(Math.floor(value.ns / width.ns) * width.ns)
  }
  if (width === null) return binNumber(value, span)
  const time = timeOf(value)
  const name = zoneName(zone)
  if (time === null || name === null || width.ns <= 0) return null
  if (width.ns % 1000 !== 0) return binNanos(time, width.ns)
  const spanMicros = width.ns / 1000
  if (name === 'UTC') return makeTime(binMicros(time.micros, spanMicros))
  return binInZone(time.micros, spanMicros, name)
}

function binNumber(value: Value, span: Value): Value {
  const x = toNumeric(value)
  const width = toNumeric(span)
  if (x === null || width === null || !(width > 0)) return null
  if (typeof x === 'bigint' && (typeof width === 'bigint' || Number.isSafeInteger(width))) {
    const w = BigInt(width)
    const rest = ((x % w) + w) % w
    const start = x - rest
    return start >= -(2n ** 63n) ? (Number.isSafeInteger(Number(start)) ? Number(start) : start) : Number(start)
  }
  const start = Math.floor(Number(x) / Number(width)) * Number(width)
  return Number.isFinite(start) ? (start === 0 ? 0 : start) : null
}

/** Bins that are not whole microseconds: in bigint, because nanoseconds since 1970 are beyond a double. */
function binNanos(time: DateTime, ns: number): Value {
  const span = BigInt(Math.round(ns))
  if (span <= 0n) return null
  const at = BigInt(time.micros) * 1000n + BigInt(time.nanos)
  const start = at - (((at % span) + span) % span)
  const nanos = ((start % 1000n) + 1000n) % 1000n
  return makeTime(Number((start - nanos) / 1000n), Number(nanos))
}

function binInZone(micros: number, spanMicros: number, zone: string): Value {
  const offset = offsetAt(zone, micros)
  if (offset === null) return null
  const wall = micros + offset * 1e6
  const start = binMicros(wall, spanMicros)
  // Within the hours around a clock change the offset of the row is the one that keeps its bin apart from its neighbours.
  if (spanMicros < DAY_US) {
    const direct = start - offset * 1e6
    if (offsetAt(zone, direct) === offset) return makeTime(direct)
  }
  const instant = instantOf(zone, start)
  return instant === null ? null : makeTime(instant)
}

function strftime(value: Value, pattern: Value, zone?: Value): Value {
  const time = toDatetime(value)
  const name = zoneName(zone)
  if (time === null || name === null || typeof pattern !== 'string') return null
  const offset = offsetAt(name, time.micros)
  return offset === null ? null : formatTime(time, pattern, offset, name)
}

/** Null when the text does not follow the pattern to its end. A zone in the text wins over the argument. */
function strptime(text: Value, pattern: Value, zone?: Value): Value {
  const name = zoneName(zone)
  if (typeof text !== 'string' || typeof pattern !== 'string' || name === null) return null
  const read = readTime(text, pattern)
  if (read === null) return null
  if (read.offsetSeconds !== null) return makeTime(read.wallMicros - read.offsetSeconds * 1e6, read.nanos)
  const instant = instantOf(name, read.wallMicros)
  return instant === null ? null : makeTime(instant, read.nanos)
}

/** The wall clock as microseconds, as if it were UTC. */
function wallOf(value: Value, zone: Value): { micros: number; nanos: number } | null {
  const time = timeOf(value)
  const name = zoneName(zone)
  if (time === null || name === null) return null
  const offset = offsetAt(name, time.micros)
  return offset === null ? null : { micros: time.micros + offset * 1e6, nanos: time.nanos }
}

/** How long after midnight, as a duration. */
function timeOfDay(value: Value, zone?: Value): Value {
  const wall = wallOf(value, zone)
  if (wall === null) return null
  return makeDuration((((wall.micros % DAY_US) + DAY_US) % DAY_US) * 1000 + wall.nanos)
}

/** 1 is Monday, 7 is Sunday, as in ISO 8601. */
function dayOfWeek(value: Value, zone?: Value): Value {
  const wall = wallOf(value, zone)
  if (wall === null) return null
  const days = Math.floor(wall.micros / DAY_US)
  return ((((days + 3) % 7) + 7) % 7) + 1
}

/** Hour of the day, 0 to 23. */
function hourOfDay(value: Value, zone?: Value): Value {
  const clock = timeOfDay(value, zone)
  return clock instanceof Duration ? Math.floor((clock.ns % DAY_NS) / 3600e9) : null
}

/** The start of the query; a run puts its own in this one's place. */
function now(): Value {
  return null
}

export const TIME_HELPERS = { now, bin, strftime, strptime, timeOfDay, dayOfWeek, hourOfDay }
