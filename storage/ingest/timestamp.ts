/**
 * Times as people and programs write them. Two questions: is this whole value a time (`parseTime`), and is there a time near the start
 * of this line (`findTime`)? Hand-written scanners, because every event passes here and `Date.parse` loses nanoseconds and guesses.
 * A time without an offset is UTC; a time without a year takes it from when it was received.
 */
import { DateTime } from '../value.ts'

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const DAY_MICROS = 86_400_000_000
const HOUR_MICROS = 3_600_000_000
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
/** How far into a line `findTime` looks. */
const SEARCH_LENGTH = 80
/** Smaller numbers under a name such as `time` are durations or counters, not moments of 1970 … 1973. */
const SMALLEST_EPOCH = 1e8

/** Where the scanner that answered last stopped reading. Scanners are synchronous, so one variable is enough. */
let end = 0

/** The time a field's value states, or null when it states none. */
export function parseTime(value: unknown, receivedAt: DateTime): DateTime | null {
  if (typeof value === 'string') return parseText(value, receivedAt)
  if (typeof value === 'number') return value >= SMALLEST_EPOCH ? fromEpochNumber(value) : null
  if (typeof value === 'bigint') return fromEpochDigits(String(value), '')
  return value instanceof DateTime ? value : null
}

/** The first time within the first 80 characters of a line, or null. */
export function findTime(line: string, receivedAt: DateTime): DateTime | null {
  const limit = Math.min(line.length, SEARCH_LENGTH)
  let previous = 32
  for (let at = 0; at < limit; at++) {
    const code = line.charCodeAt(at)
    if (isDigit(code)) {
      if (!isWord(previous)) {
        const time = scanDated(line, at, false) ?? (at === 0 ? scanEpoch(line, at) : null)
        if (time !== null) return time
      }
    } else if (code >= 65 && code <= 90 && !isWord(previous)) {
      const time = scanSyslog(line, at, receivedAt)
      if (time !== null) return time
    }
    previous = code
  }
  return null
}

function parseText(value: string, receivedAt: DateTime): DateTime | null {
  const text = needsTrim(value) ? value.trim() : value
  const first = text.charCodeAt(0)
  let time: DateTime | null = null
  if (isDigit(first)) time = scanDated(text, 0, true) ?? scanEpoch(text, 0)
  else if (first === 91) time = scanDated(text, 1, true)
  else {
    const start = afterWeekday(text)
    time = scanSyslog(text, start, receivedAt) ?? (start > 0 ? scanDated(text, start, true) : null)
  }
  if (time === null) return null
  if (end < text.length && text.charCodeAt(end) === 93 && first === 91) end++
  return end === text.length ? time : null
}

function fromEpochNumber(value: number): DateTime | null {
  if (!Number.isFinite(value)) return null
  if (value < 1e11) return new DateTime(Math.round(value * 1e6))
  if (value < 1e14) return new DateTime(Math.round(value * 1e3))
  if (value < 1e17) return new DateTime(Math.round(value))
  return value < 1e20 ? new DateTime(Math.floor(value / 1e3), Math.floor(value % 1e3)) : null
}

/** Whole digits and the digits after the point, so that no nanosecond is lost to a float. */
function fromEpochDigits(whole: string, fraction: string): DateTime | null {
  const value = Number(whole)
  if (!(value >= SMALLEST_EPOCH)) return null
  // The decimal point of seconds, milliseconds, microseconds and nanoseconds, moved to nanoseconds.
  const places = value < 1e11 ? 9 : value < 1e14 ? 6 : value < 1e17 ? 3 : 0
  const digits = whole + fraction.slice(0, places).padEnd(places, '0')
  if (digits.length > 20) return null
  return new DateTime(Number(digits.slice(0, -3)), Number(digits.slice(-3)))
}

/** `1596810745`, `1596810745.123`, `1596810745123`, … : digits that stand alone. */
function scanEpoch(text: string, start: number): DateTime | null {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  const whole = text.slice(start, at)
  if (whole.length < 9 || whole.length > 19) return null
  let fraction = ''
  if (text.charCodeAt(at) === 46 && isDigit(text.charCodeAt(at + 1))) {
    const from = ++at
    while (isDigit(text.charCodeAt(at))) at++
    fraction = text.slice(from, at)
  }
  if (isWord(text.charCodeAt(at)) || text.charCodeAt(at) === 46) return null
  end = at
  return fromEpochDigits(whole, fraction)
}

/** `2015-07-29T17:41:41.536Z`, `2015-07-29 17:41:41,536`, `2015/07/29 17:41:41`, with or without an offset. */
function scanIso(text: string, at: number, dateAlone: boolean): DateTime | null {
  const separator = text.charCodeAt(at + 4)
  if ((separator !== 45 && separator !== 47) || text.charCodeAt(at + 7) !== separator) return null
  const year = digits2(text, at) * 100 + digits2(text, at + 2)
  const month = digits2(text, at + 5)
  const day = digits2(text, at + 8)
  if (!(year >= 1) || !validDay(month, day)) return null
  const base = daysSinceEpoch(year, month, day) * DAY_MICROS
  const between = text.charCodeAt(at + 10)
  const isTime = (between === 84 || between === 116 || between === 32) && isDigit(text.charCodeAt(at + 11))
  if (!isTime) {
    end = at + 10
    return dateAlone && !isDigit(between) ? new DateTime(base) : null
  }
  return scanClock(text, at + 11, base, true)
}

/** A time that begins with the digits of its date. */
function scanDated(text: string, at: number, dateAlone: boolean): DateTime | null {
  return scanIso(text, at, dateAlone) ?? scanApache(text, at) ?? scanBasic(text, at) ?? scanDayFirst(text, at)
}

/** `20150729T174141.536Z` */
function scanBasic(text: string, at: number): DateTime | null {
  if (text.charCodeAt(at + 8) !== 84) return null
  const year = digits2(text, at) * 100 + digits2(text, at + 2)
  const month = digits2(text, at + 4)
  const day = digits2(text, at + 6)
  if (!(year >= 1) || !validDay(month, day)) return null
  // The clock without its colons: read as one with them.
  const clock = `${text.slice(at + 9, at + 11)}:${text.slice(at + 11, at + 13)}:${text.slice(at + 13, at + 45)}`
  const time = scanClock(clock, 0, daysSinceEpoch(year, month, day) * DAY_MICROS, true)
  if (time !== null) end += at + 7
  return time
}

/** `10 Oct 2000 13:55:36 GMT`, as in mail and HTTP; `10-Oct-2000 13:55:36.123`. */
function scanDayFirst(text: string, start: number): DateTime | null {
  let at = start
  let day = text.charCodeAt(at++) - 48
  if (isDigit(text.charCodeAt(at))) day = day * 10 + text.charCodeAt(at++) - 48
  const separator = text.charCodeAt(at)
  if ((separator !== 32 && separator !== 45) || text.charCodeAt(at + 4) !== separator) return null
  const month = monthAt(text, at + 1)
  const year = yearAt(text, at + 5)
  if (year === 0 || !validDay(month, day) || text.charCodeAt(at + 9) !== 32) return null
  return scanClock(text, at + 10, daysSinceEpoch(year, month, day) * DAY_MICROS, true)
}

/** Behind `Thu `, `Thu, ` or `Thursday, `, if one of them begins the text. */
function afterWeekday(text: string): number {
  let at = 0
  while (isLetter(text.charCodeAt(at))) at++
  if (at < 3 || !WEEKDAYS.includes(text.slice(0, 3).toLowerCase())) return 0
  if (text.charCodeAt(at) === 44) at++
  return text.charCodeAt(at) === 32 ? at + 1 : 0
}

/** `10/Oct/2000:13:55:36 -0700` */
function scanApache(text: string, at: number): DateTime | null {
  if (text.charCodeAt(at + 2) !== 47 || text.charCodeAt(at + 6) !== 47 || text.charCodeAt(at + 11) !== 58) return null
  const day = digits2(text, at)
  const month = monthAt(text, at + 3)
  const year = digits2(text, at + 7) * 100 + digits2(text, at + 9)
  if (!(year >= 1) || !validDay(month, day)) return null
  return scanClock(text, at + 12, daysSinceEpoch(year, month, day) * DAY_MICROS, true)
}

/** `Jun 14 15:16:01`, `Jun  4 15:16:01.123`, `Dec 04 04:47:44 2005`, `Jun 14 2005 15:16:01`. */
function scanSyslog(text: string, start: number, receivedAt: DateTime): DateTime | null {
  const month = monthAt(text, start)
  if (month === 0 || text.charCodeAt(start + 3) !== 32) return null
  let at = start + 4
  if (text.charCodeAt(at) === 32) at++
  let day = text.charCodeAt(at++) - 48
  if (!(day >= 0 && day <= 9)) return null
  if (isDigit(text.charCodeAt(at))) day = day * 10 + text.charCodeAt(at++) - 48
  if (text.charCodeAt(at) === 44) at++
  if (!validDay(month, day) || text.charCodeAt(at++) !== 32) return null
  let year = yearAt(text, at)
  if (year !== 0) at += 5
  let clock = scanClock(text, at, 0, false)
  if (clock === null) return null
  if (year !== 0) clock = shifted(clock, halfOfDay(text, clock))
  if (year === 0 && text.charCodeAt(end) === 32) {
    year = yearAt(text, end + 1)
    if (year !== 0) end += 5
  }
  if (year !== 0) return shifted(clock, daysSinceEpoch(year, month, day) * DAY_MICROS)
  // The year that puts it closest before the moment of receipt; a day of grace for clocks that run ahead.
  year = new Date(receivedAt.micros / 1000).getUTCFullYear() + 1
  for (let tries = 0; tries < 6; tries++, year--) {
    if (month === 2 && day === 29 && !isLeap(year)) continue
    const time = shifted(clock, daysSinceEpoch(year, month, day) * DAY_MICROS)
    if (time.micros <= receivedAt.micros + DAY_MICROS) return time
  }
  return null
}

/** ` AM` and ` PM`, as Java's older logs end their times: what they add to the clock. */
function halfOfDay(text: string, clock: DateTime): number {
  const isPm = text.startsWith(' PM', end)
  if (!isPm && !text.startsWith(' AM', end)) return 0
  const hour = Math.floor(clock.micros / HOUR_MICROS)
  if (hour < 1 || hour > 12 || isWord(text.charCodeAt(end + 3))) return 0
  end += 3
  return ((hour % 12) - hour + (isPm ? 12 : 0)) * HOUR_MICROS
}

/** `HH:MM[:SS[.fraction]]` and, where one may stand, an offset. */
function scanClock(text: string, start: number, base: number, mayHaveOffset: boolean): DateTime | null {
  const hour = digits2(text, start)
  const minute = digits2(text, start + 3)
  if (!(hour <= 23 && minute <= 59) || text.charCodeAt(start + 2) !== 58) return null
  let at = start + 5
  let second = 0
  let micros = 0
  let nanos = 0
  if (text.charCodeAt(at) === 58) {
    second = digits2(text, at + 1)
    // 60 is a leap second: it is the first moment of the next minute.
    if (!(second <= 60)) return null
    at += 3
    const point = text.charCodeAt(at)
    if ((point === 46 || point === 44) && isDigit(text.charCodeAt(at + 1))) {
      let places = 0
      let fraction = 0
      for (at++; isDigit(text.charCodeAt(at)); at++) {
        if (places++ < 9) fraction = fraction * 10 + text.charCodeAt(at) - 48
      }
      for (; places < 9; places++) fraction *= 10
      micros = Math.floor(fraction / 1000)
      nanos = fraction % 1000
    }
  } else if (!mayHaveOffset) return null
  if (isDigit(text.charCodeAt(at))) return null
  end = at
  const offset = mayHaveOffset ? scanOffset(text, at) : 0
  return new DateTime(base + ((hour * 60 + minute - offset) * 60 + second) * 1e6 + micros, nanos)
}

/** Minutes east of UTC; moves `end` past what it understood. */
function scanOffset(text: string, start: number): number {
  let at = start
  if (text.charCodeAt(at) === 32) at++
  const code = text.charCodeAt(at)
  if (code === 90 || code === 122) {
    if (!isWord(text.charCodeAt(at + 1))) end = at + 1
    return 0
  }
  if (text.startsWith('UTC', at) || text.startsWith('GMT', at)) {
    if (!isWord(text.charCodeAt(at + 3))) end = at + 3
    return 0
  }
  if (code !== 43 && code !== 45) return 0
  const hours = digits2(text, at + 1)
  const colon = text.charCodeAt(at + 3) === 58 ? 1 : 0
  const minutes = digits2(text, at + 3 + colon)
  const short = Number.isNaN(minutes)
  const stop = short ? at + 3 : at + 5 + colon
  if (!(hours <= 23) || (!short && minutes > 59) || isWord(text.charCodeAt(stop)) || (short && colon === 1)) return 0
  end = stop
  const total = hours * 60 + (short ? 0 : minutes)
  return code === 45 ? -total : total
}

/** Four digits of a plausible year that stand alone, or 0. */
function yearAt(text: string, at: number): number {
  const year = digits2(text, at) * 100 + digits2(text, at + 2)
  return year >= 1970 && year <= 2200 && !isWord(text.charCodeAt(at + 4)) && text.charCodeAt(at + 4) !== 58 ? year : 0
}

/** 1 … 12, or 0. */
function monthAt(text: string, at: number): number {
  const code = text.charCodeAt(at) | 32
  if (!(code >= 97 && code <= 115)) return 0
  const found = MONTHS.indexOf(text.slice(at, at + 3).toLowerCase())
  return found >= 0 && found % 3 === 0 && text.length >= at + 3 ? found / 3 + 1 : 0
}

/** Two digits, or NaN. */
function digits2(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

function shifted(time: DateTime, micros: number): DateTime {
  return new DateTime(time.micros + micros, time.nanos)
}

export function validDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= (DAYS_IN_MONTH[month - 1] ?? 0)
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar; years start in March so that the leap day comes last. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

function needsTrim(text: string): boolean {
  return text.charCodeAt(0) <= 32 || text.charCodeAt(text.length - 1) <= 32
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function isWord(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95
}
