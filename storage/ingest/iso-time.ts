/**
 * `2015-07-29T17:41:41.536Z` read from bytes, which is how most programs write times: no string, no object (300 → 40 ns). Every other way to
 * write one is left to `parseTime`; where both read, they say the same, and a property test holds them together.
 */
import { daysSinceEpoch, validDay } from './timestamp.ts'

const DAY_MICROS = 86_400_000_000
const MINUTE_MICROS = 60_000_000
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

/** What the first sixteen bytes, up to the minute, of a text read by `isoMicrosLike` were, and when that minute began. */
let [wordA, wordB, wordC, wordD] = [0, 0, 0, 0]
let minuteMicros = Number.NaN

/** `isoMicros` of a text that often is of the same minute as the one before. @param words  of the same memory as `bytes` */
export function isoMicrosLike(bytes: Uint8Array, words: DataView, start: number, end: number): number {
  const length = end - start
  if (length < LENGTH_MIN || length > LENGTH_MIN + 1 + DIGITS_MAX) return Number.NaN
  const seconds = twoDigits(bytes, start + 17)
  const isLike =
    words.getInt32(start) === wordA &&
    words.getInt32(start + 4) === wordB &&
    words.getInt32(start + 8) === wordC &&
    words.getInt32(start + 12) === wordD
  if (isLike && seconds <= 60 && bytes[start + 16] === COLON && bytes[end - 1] === Z) {
    const fraction = fractionOf(bytes, start + 19, end - 1)
    if (Number.isNaN(fraction)) return fraction
    const micros = Math.floor(fraction / 1000)
    nanosRead = fraction - micros * 1000
    return minuteMicros + seconds * 1e6 + micros
  }
  const micros = isoMicros(bytes, start, end)
  if (Number.isNaN(micros)) return micros
  wordA = words.getInt32(start)
  wordB = words.getInt32(start + 4)
  wordC = words.getInt32(start + 8)
  wordD = words.getInt32(start + 12)
  minuteMicros = Math.floor((micros - seconds * 1e6) / MINUTE_MICROS) * MINUTE_MICROS
  return micros
}

/** The minute that `isoMicrosLike` read last, NaN if none; what its texts begin with goes to `bytes` from `at` on. */
export function minuteRead(bytes: DataView, at: number): number {
  bytes.setInt32(at, wordA)
  bytes.setInt32(at + 4, wordB)
  bytes.setInt32(at + 8, wordC)
  bytes.setInt32(at + 12, wordD)
  return minuteMicros
}

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
  const fraction = fractionOf(bytes, start + 19, end - 1)
  if (Number.isNaN(fraction)) return fraction
  const micros = Math.floor(fraction / 1000)
  nanosRead = fraction - micros * 1000
  return daysSinceEpoch(year, month, day) * DAY_MICROS + ((hour * 60 + minute) * 60 + second) * 1e6 + micros
}

export function isoNanos(): number {
  return nanosRead
}

/** Nanoseconds: none where the text ends, else a point and digits; NaN where there is anything else. */
function fractionOf(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0
  if (bytes[from] !== POINT || to === from + 1) return Number.NaN
  let fraction = 0
  for (let at = from + 1; at < to; at++) {
    const digit = bytes[at]! - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    fraction = fraction * 10 + digit
  }
  for (let digit = to - from - 1; digit < DIGITS_MAX; digit++) fraction *= 10
  return fraction
}

/** Two digits, or NaN. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO
  const ones = bytes[at + 1]! - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
