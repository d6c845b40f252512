/**
 * `2015-07-29T17:41:41.536Z` read from bytes, which is how most programs write times: no string, no object (300 → 40 ns). Every other way to
 * write one is left to `parseTime`; where both read, they say the same, and a property test holds them together.
 */
import { daysSinceEpoch, validDay } from './timestamp.ts'

const DAY_MICROS = 86_400_000_000
const MINUS = 45
const POINT = 46
const COLON = 58
const ZERO = 48
const T = 84
const Z = 90
/** Up to the seconds, and the Z. */
const LENGTH_MIN = 20
const DIGITS_MAX = 9

/** Below the microseconds of what was read last. */
let nanosRead = 0

/** Microseconds since the epoch; NaN: it is no time in just that form. What is below them `isoNanos` says. */
export function isoMicros(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start
  if (length < LENGTH_MIN || length > LENGTH_MIN + 1 + DIGITS_MAX || bytes[end - 1] !== Z) return Number.NaN
  if (bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS || bytes[start + 10] !== T) return Number.NaN
  if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return Number.NaN
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)
  const month = twoDigits(bytes, start + 5)
  const day = twoDigits(bytes, start + 8)
  const hour = twoDigits(bytes, start + 11)
  const minute = twoDigits(bytes, start + 14)
  const second = twoDigits(bytes, start + 17)
  // What is no digit is NaN, which is not in order either. 60 is a leap second.
  if (!(year >= 1 && hour <= 23 && minute <= 59 && second <= 60) || !validDay(month, day)) return Number.NaN
  let fraction = 0
  if (length > LENGTH_MIN) {
    const digits = length - LENGTH_MIN - 1
    if (bytes[start + 19] !== POINT || digits === 0) return Number.NaN
    for (let at = start + 20; at < end - 1; at++) {
      const digit = bytes[at]! - ZERO
      if (!(digit >= 0 && digit <= 9)) return Number.NaN
      fraction = fraction * 10 + digit
    }
    for (let digit = digits; digit < DIGITS_MAX; digit++) fraction *= 10
  }
  const micros = Math.floor(fraction / 1000)
  nanosRead = fraction - micros * 1000
  return daysSinceEpoch(year, month, day) * DAY_MICROS + ((hour * 60 + minute) * 60 + second) * 1e6 + micros
}

export function isoNanos(): number {
  return nanosRead
}

/** Two digits, or NaN. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO
  const ones = bytes[at + 1]! - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
