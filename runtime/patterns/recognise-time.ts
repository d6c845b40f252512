/**
 * Times as logs write them. Each function looks for one shape that begins at `at` and returns where it ends, or -1.
 * A time ends where a word ends: what follows may not be a letter, a digit or `_`; an optional part that would break this is left out.
 */
import { BLANK, CLASS, classAt, DIGIT, isDigitAt, LETTER, runOf, WORD } from './bytes.ts'

const MINUS = 0x2d
const SLASH = 0x2f
const DOT = 0x2e
const COMMA = 0x2c
const COLON = 0x3a
const PLUS = 0x2b
const LETTER_T = 0x54

const MONTHS = packed('JanFebMarAprMayJunJulAugSepOctNovDec')
const DAYS = packed('MonTueWedThuFriSatSun')

function packed(names: string): ReadonlySet<number> {
  const set = new Set<number>()
  for (let at = 0; at < names.length; at += 3) {
    set.add((names.charCodeAt(at) << 16) | (names.charCodeAt(at + 1) << 8) | names.charCodeAt(at + 2))
  }
  return set
}

function isOneOf(names: ReadonlySet<number>, bytes: Uint8Array, at: number, end: number): boolean {
  if (at + 3 > end || (classAt(bytes, at + 3, end) & LETTER) !== 0) return false
  return names.has((bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!)
}

function isEnd(bytes: Uint8Array, at: number, end: number): boolean {
  return (classAt(bytes, at, end) & WORD) === 0
}

/** Exactly this many digits; where they end, or -1. */
function digits(bytes: Uint8Array, at: number, end: number, least: number, most: number): number {
  const count = runOf(bytes, at, end, DIGIT, most)
  return count < least ? -1 : at + count
}

function byteIs(bytes: Uint8Array, at: number, end: number, byte: number): boolean {
  return at < end && bytes[at] === byte
}

/** `07:47:36` from its first digit */
function clock(bytes: Uint8Array, at: number, end: number): number {
  if (at + 8 > end || bytes[at + 2] !== COLON || bytes[at + 5] !== COLON) return -1
  for (let place = 0; place < 8; place++) if (place % 3 !== 2 && CLASS[bytes[at + place]!] !== DIGIT) return -1
  return at + 8
}

/** `.123` or `,123` */
function fraction(bytes: Uint8Array, at: number, end: number): number {
  if (!byteIs(bytes, at, end, DOT) && !byteIs(bytes, at, end, COMMA)) return at
  const count = runOf(bytes, at + 1, end, DIGIT, end)
  return count === 0 ? at : at + 1 + count
}

/** The longest of these ends at which a word ends; -1 if none. */
function longest(bytes: Uint8Array, end: number, first: number, second: number, third: number): number {
  if (isEnd(bytes, first, end)) return first
  if (isEnd(bytes, second, end)) return second
  return isEnd(bytes, third, end) ? third : -1
}

/** `Jun 14 15:16:01`, `Mon Dec 05 07:47:36 2005`, `Mon, Dec 5 2005 07:47:36.123` */
export function namedMonthTime(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  if (isOneOf(DAYS, bytes, place, end)) {
    place += 3
    if (byteIs(bytes, place, end, COMMA)) place++
    const blanks = blanksAt(bytes, place, end)
    if (blanks === 0) return -1
    place += blanks
  }
  if (!isOneOf(MONTHS, bytes, place, end)) return -1
  place += 3
  const blanks = blanksAt(bytes, place, end)
  if (blanks === 0) return -1
  place = digits(bytes, place + blanks, end, 1, 2)
  if (place < 0) return -1
  if (byteIs(bytes, place, end, COMMA)) place++
  const year = yearAt(bytes, place, end)
  if (byteIs(bytes, year, end, BLANK) && clock(bytes, year + 1, end) > 0) place = year
  if (!byteIs(bytes, place, end, BLANK)) return -1
  const whole = clock(bytes, place + 1, end)
  if (whole < 0) return -1
  const parts = fraction(bytes, whole, end)
  return longest(bytes, end, yearAt(bytes, parts, end), parts, whole)
}

function blanksAt(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  while (byteIs(bytes, place, end, BLANK)) place++
  return place - at
}

/** ` 2005`, or nothing */
function yearAt(bytes: Uint8Array, at: number, end: number): number {
  if (!byteIs(bytes, at, end, BLANK)) return at
  const year = digits(bytes, at + 1, end, 4, 4)
  return year < 0 ? at : year
}

/** `05/Dec/2005:07:47:36 +0000`, `5 Dec 2005 07:47:36` */
export function dayMonthYearTime(bytes: Uint8Array, at: number, end: number): number {
  let place = digits(bytes, at, end, 1, 2)
  if (place < 0 || !isDateSeparator(bytes, place, end) || !isOneOf(MONTHS, bytes, place + 1, end)) return -1
  place += 4
  if (!isDateSeparator(bytes, place, end)) return -1
  place = digits(bytes, place + 1, end, 2, 4)
  if (place < 0 || place >= end) return -1
  const between = bytes[place]!
  if (between !== BLANK && between !== COLON && between !== LETTER_T) return -1
  const whole = clock(bytes, place + 1, end)
  if (whole < 0) return -1
  const parts = fraction(bytes, whole, end)
  return longest(bytes, end, zone(bytes, parts, end), parts, whole)
}

function isDateSeparator(bytes: Uint8Array, at: number, end: number): boolean {
  return byteIs(bytes, at, end, SLASH) || byteIs(bytes, at, end, BLANK) || byteIs(bytes, at, end, MINUS)
}

/** `Z`, `+02:00`, ` +0200`, or nothing */
function zone(bytes: Uint8Array, at: number, end: number): number {
  if (byteIs(bytes, at, end, 0x5a)) return at + 1
  let place = byteIs(bytes, at, end, BLANK) ? at + 1 : at
  if (!byteIs(bytes, place, end, PLUS) && !byteIs(bytes, place, end, MINUS)) return at
  place = digits(bytes, place + 1, end, 2, 2)
  if (place < 0) return at
  if (byteIs(bytes, place, end, COLON)) place++
  place = digits(bytes, place, end, 2, 2)
  return place < 0 ? at : place
}

/** `2015-07-29`, `2015/07/29 17:41:44,747`, `2015-07-29T17:41Z`, `2005-06-03-15.42.50.675872` */
export function yearFirstTime(bytes: Uint8Array, at: number, end: number): number {
  if (at + 10 > end || digits(bytes, at, end, 4, 4) < 0) return -1
  if (!isPointOrDash(bytes[at + 4]!) || !isPointOrDash(bytes[at + 7]!)) return -1
  if (digits(bytes, at + 5, end, 2, 2) < 0 || digits(bytes, at + 8, end, 2, 2) < 0) return -1
  const date = at + 10
  const between = date < end ? bytes[date]! : 0
  if (between === LETTER_T || between === BLANK || between === COLON || between === 0x5f || between === MINUS) {
    const time = timeOfDay(bytes, date + 1, end)
    if (time > 0) return time
  }
  return isEnd(bytes, date, end) ? date : -1
}

function isPointOrDash(byte: number): boolean {
  return byte === MINUS || byte === SLASH || byte === DOT
}

/** `17:41`, `17:41:44.747+02:00`, `15.42.50.675872` */
function timeOfDay(bytes: Uint8Array, at: number, end: number): number {
  if (digits(bytes, at, end, 2, 2) < 0 || digits(bytes, at + 3, end, 2, 2) < 0) return -1
  const minutes = at + 5
  if (bytes[at + 2] === DOT) {
    if (!byteIs(bytes, minutes, end, DOT)) return -1
    const seconds = digits(bytes, minutes + 1, end, 2, 2)
    if (seconds < 0) return -1
    const parts = byteIs(bytes, seconds, end, DOT) ? fraction(bytes, seconds, end) : seconds
    return longest(bytes, end, parts, seconds, seconds)
  }
  if (bytes[at + 2] !== COLON) return -1
  const seconds = clock(bytes, at, end)
  const whole = seconds < 0 ? minutes : seconds
  const parts = fraction(bytes, whole, end)
  const found = longest(bytes, end, zone(bytes, parts, end), parts, whole)
  return found > 0 || !isEnd(bytes, minutes, end) ? found : minutes
}

/** `17/06/09 20:10:40`, `06/09/2017` */
export function slashedTime(bytes: Uint8Array, at: number, end: number): number {
  if (at + 8 > end || bytes[at + 2] !== SLASH || bytes[at + 5] !== SLASH) return -1
  if (digits(bytes, at, end, 2, 2) < 0 || digits(bytes, at + 3, end, 2, 2) < 0) return -1
  const date = digits(bytes, at + 6, end, 2, 4)
  if (date < 0) return -1
  if (byteIs(bytes, date, end, BLANK)) {
    const time = hoursAndMinutes(bytes, date + 1, end)
    if (time > 0) return time
  }
  return isEnd(bytes, date, end) ? date : -1
}

function hoursAndMinutes(bytes: Uint8Array, at: number, end: number): number {
  if (digits(bytes, at, end, 2, 2) < 0 || !byteIs(bytes, at + 2, end, COLON)) return -1
  const minutes = digits(bytes, at + 3, end, 2, 2)
  if (minutes < 0) return -1
  const seconds = clock(bytes, at, end)
  const whole = seconds < 0 ? minutes : seconds
  return longest(bytes, end, fraction(bytes, whole, end), whole, minutes)
}

/** `03-17 16:13:38.811` */
export function monthDayTime(bytes: Uint8Array, at: number, end: number): number {
  if (at + 14 > end || bytes[at + 2] !== MINUS || bytes[at + 5] !== BLANK) return -1
  if (digits(bytes, at, end, 2, 2) < 0 || digits(bytes, at + 3, end, 2, 2) < 0) return -1
  const whole = clock(bytes, at + 6, end)
  return whole < 0 ? -1 : longest(bytes, end, fraction(bytes, whole, end), whole, whole)
}

/** `7:47:36`, `22:15:29:606` */
export function clockTime(bytes: Uint8Array, at: number, end: number): number {
  const hours = digits(bytes, at, end, 1, 2)
  if (hours < 0 || !byteIs(bytes, hours, end, COLON) || !byteIs(bytes, hours + 3, end, COLON)) return -1
  if (digits(bytes, hours + 1, end, 2, 2) < 0) return -1
  const whole = digits(bytes, hours + 4, end, 2, 2)
  if (whole < 0) return -1
  const colon = byteIs(bytes, whole, end, COLON) && isDigitAt(bytes, whole + 1, end)
  const parts = colon ? whole + 1 + runOf(bytes, whole + 1, end, DIGIT, end) : fraction(bytes, whole, end)
  return longest(bytes, end, parts, whole, whole)
}
