/** Casts: `int(x)` is null where it cannot; `int!(x)` throws, for a present x. */
import { parseDateTime, parseDuration } from '../../grammar/literals.ts'
import { DateTime, Duration, typeOf, type Value } from '../../storage/value.ts'
import { makeDuration, makeTime } from './arithmetic.ts'
import { StrictCastError } from './errors.ts'
import { toText, valueToText } from './format-value.ts'
import { normalFloat, normalInt, parseNumber } from './numbers.ts'

/** A float within int64 but beyond 2^53 holds a whole number exactly: it becomes that int. */
function wholeOf(value: number): number | bigint | null {
  const whole = Math.trunc(value)
  return Number.isSafeInteger(whole) ? normalFloat(whole) : Math.abs(whole) < 2 ** 63 ? normalInt(BigInt(whole)) : null
}

/** Fractions are cut off, datetimes become epoch seconds, durations seconds. */
export function toInt(value: Value): number | bigint | null {
  switch (typeof value) {
    case 'number':
      return wholeOf(value)
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
    case 'string': {
      const number = parseNumber(value)
      return typeof number === 'number' ? wholeOf(number) : number
    }
    default:
      if (value instanceof DateTime) return Math.floor(value.micros / 1_000_000)
      if (value instanceof Duration) return wholeOf(value.ns / 1e9)
      return null
  }
}

export function toFloat(value: Value): number | null {
  switch (typeof value) {
    case 'number':
      return value
    case 'bigint':
      return Number(value)
    case 'boolean':
      return value ? 1 : 0
    case 'string': {
      const number = parseNumber(value)
      return number === null ? null : Number(number)
    }
    default:
      if (value instanceof DateTime) return normalFloat((value.micros + value.nanos / 1000) / 1e6)
      if (value instanceof Duration) return normalFloat(value.ns / 1e9)
      return null
  }
}

const TRUE_WORDS = new Set(['true', 't', 'yes', 'y', 'on', '1'])
const FALSE_WORDS = new Set(['false', 'f', 'no', 'n', 'off', '0'])

export function toBool(value: Value): boolean | null {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'number':
      return value !== 0
    case 'bigint':
      return true
    case 'string': {
      const word = value.trim().toLowerCase()
      return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : null
    }
    default:
      return null
  }
}

/**
 * A bare number is an epoch whose unit its size tells: seconds, milliseconds, microseconds or nanoseconds. The bounds lie
 * where a second count would be past the year 5138, so every date of the computer age is read rightly in all four.
 */
export function epochToTime(value: number | bigint): DateTime | null {
  const size = Math.abs(Number(value))
  if (typeof value === 'bigint' || size >= 1e17) {
    const exact = BigInt(value)
    const micros = exact >= 0n ? exact / 1000n : (exact - 999n) / 1000n
    return makeTime(Number(micros), Number(exact - micros * 1000n))
  }
  if (size < 1e11) return microsToTime(value * 1e6)
  if (size < 1e14) return microsToTime(value * 1000)
  return microsToTime(value)
}

function microsToTime(micros: number): DateTime | null {
  const whole = Math.round(micros)
  return makeTime(whole === 0 ? 0 : whole)
}

export function toDatetime(value: Value): DateTime | null {
  if (value instanceof DateTime) return value
  if (typeof value === 'number') return Number.isFinite(value) && Math.abs(value) < 2 ** 63 ? readEpoch(value) : null
  if (typeof value === 'bigint') return epochToTime(value)
  if (typeof value !== 'string') return null
  const text = value.trim()
  const time = parseDateTime(text)
  if (time !== null) return new DateTime(time.micros, time.nanos)
  const number = parseNumber(text)
  return number === null ? null : toDatetime(number)
}

function readEpoch(value: number): DateTime | null {
  return epochToTime(Math.abs(value) >= 1e17 ? Math.trunc(value) : value)
}

/** A bare number is seconds, as in `duration(1.5)`; text is written as the language writes durations. */
export function toDuration(value: Value): Duration | null {
  if (value instanceof Duration) return value
  if (typeof value === 'number' || typeof value === 'bigint') return makeDuration(Number(value) * 1e9)
  if (typeof value !== 'string') return null
  const text = value.trim()
  const ns = parseDuration(text)
  if (ns !== null) return makeDuration(ns)
  const number = parseNumber(text)
  return number === null ? null : toDuration(number)
}

function strict<T extends Value>(type: string, cast: (value: Value) => T): (value: Value) => T {
  return value => {
    const result = cast(value)
    if (result === null && value !== null && value !== undefined) {
      const text = valueToText(value)
      throw new StrictCastError(type, JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text))
    }
    return result
  }
}

export const CONVERSION_HELPERS = {
  toInt,
  toFloat,
  toText,
  toBool,
  toDatetime,
  toDuration,
  strictInt: strict('int', toInt),
  strictFloat: strict('float', toFloat),
  strictString: strict('string', toText),
  strictBool: strict('bool', toBool),
  strictDatetime: strict('datetime', toDatetime),
  strictDuration: strict('duration', toDuration),
  typeOf: (value: Value): Value => typeOf(value),
}
