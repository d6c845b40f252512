/**
 * Times by pattern, as strftime and strptime know them: `%Y-%m-%dT%H:%M:%S.%f%z`. One table says for every directive how it is
 * written and how it is read, so that what one writes the other reads.
 */
import type { DateTime } from '../../storage/value.ts'
import { civilFromDays, daysFromCivil } from './format-value.ts'

const DAY_US = 86_400_000_000
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

/** A wall clock being written. */
interface Clock {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly dayOfYear: number
  /** 1 Monday … 7 Sunday. */
  readonly weekday: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly micros: number
  readonly nanos: number
  readonly epochSeconds: number
  readonly offset: number
  readonly zone: string
}

/** A wall clock being read. */
interface Reading {
  year: number
  month: number
  day: number
  dayOfYear: number | null
  hour: number
  isAfternoon: boolean | null
  minute: number
  second: number
  fractionNs: number
  offset: number | null
  epochSeconds: number | null
}

interface Directive {
  write(clock: Clock): string
  /** A sticky pattern for the text, and what its match sets; null where the text has no meaning of its own. */
  readonly text: RegExp
  read(match: string, into: Reading): boolean
}

function pad(value: number, width: number, fill = '0'): string {
  return String(Math.abs(value)).padStart(width, fill)
}

function number(
  width: number,
  of: (clock: Clock) => number,
  set: (value: number, into: Reading) => boolean,
): Directive {
  return {
    write: clock => pad(of(clock), width),
    text: new RegExp(`\\d{1,${width}}`, 'y'),
    read: (match, into) => set(Number(match), into),
  }
}

function within(value: number, low: number, high: number): boolean {
  return value >= low && value <= high
}

/** Full names are read where short ones are written, and the other way round. */
function nameIn(names: readonly string[], length: number | undefined, of: (clock: Clock) => number): Directive {
  const forms = names.map(name => `${name}|${name.slice(0, 3)}`).join('|')
  return {
    write: clock => (names[of(clock) - 1] as string).slice(0, length),
    text: new RegExp(forms, 'iy'),
    read: (match, into) => {
      const index = names.findIndex(name => name.slice(0, 3).toLowerCase() === match.slice(0, 3).toLowerCase())
      if (names === MONTHS) into.month = index + 1
      return index >= 0
    },
  }
}

/** Fraction of a second in `places` digits; reading takes any number of them. */
function fraction(places: number): Directive {
  return {
    write: clock => pad(clock.micros * 1000 + clock.nanos, 9).slice(0, places),
    text: /\d{1,9}/y,
    read: (match, into) => {
      into.fractionNs = Number(match.padEnd(9, '0'))
      return true
    },
  }
}

function offsetText(offset: number, separator: string): string {
  const size = Math.abs(Math.trunc(offset / 60))
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60), 2)}${separator}${pad(size % 60, 2)}`
}

function zoneOffset(separator: string): Directive {
  return {
    write: clock => offsetText(clock.offset, separator),
    text: /[Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?/y,
    read: (match, into) => {
      const sign = match.startsWith('-') ? -1 : 1
      const digits = match.replace(/\D/g, '').padEnd(4, '0')
      into.offset = sign * (Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2)) * 60)
      return Math.abs(into.offset) < DAY_US / 1e6
    },
  }
}

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  Y: {
    write: clock => `${clock.year < 0 ? '-' : ''}${pad(clock.year, 4)}`,
    text: /-?\d{4}/y,
    read: (match, into) => {
      into.year = Number(match)
      return true
    },
  },
  y: number(
    2,
    clock => ((clock.year % 100) + 100) % 100,
    (value, into) => {
      // As POSIX reads it: 69 … 99 are of the last century.
      into.year = value < 69 ? 2000 + value : 1900 + value
      return true
    },
  ),
  m: number(
    2,
    clock => clock.month,
    (value, into) => {
      into.month = value
      return within(value, 1, 12)
    },
  ),
  d: number(2, clock => clock.day, setDay),
  e: {
    write: clock => pad(clock.day, 2, ' '),
    text: / ?\d{1,2}/y,
    read: (match, into) => setDay(Number(match), into),
  },
  j: number(
    3,
    clock => clock.dayOfYear,
    (value, into) => {
      into.dayOfYear = value
      return within(value, 1, 366)
    },
  ),
  H: number(2, clock => clock.hour, setHour),
  I: number(
    2,
    clock => ((clock.hour + 11) % 12) + 1,
    (value, into) => {
      into.hour = value % 12
      into.isAfternoon ??= false
      return within(value, 1, 12)
    },
  ),
  M: number(
    2,
    clock => clock.minute,
    (value, into) => {
      into.minute = value
      return within(value, 0, 59)
    },
  ),
  S: number(
    2,
    clock => clock.second,
    (value, into) => {
      into.second = value
      return within(value, 0, 60)
    },
  ),
  f: fraction(6),
  L: fraction(3),
  N: fraction(9),
  p: {
    write: clock => (clock.hour < 12 ? 'AM' : 'PM'),
    text: /[AP]M/iy,
    read: (match, into) => {
      into.isAfternoon = /^p/i.test(match)
      return true
    },
  },
  b: nameIn(MONTHS, 3, clock => clock.month),
  B: nameIn(MONTHS, undefined, clock => clock.month),
  a: nameIn(DAYS, 3, clock => clock.weekday),
  A: nameIn(DAYS, undefined, clock => clock.weekday),
  u: number(
    1,
    clock => clock.weekday,
    value => within(value, 1, 7),
  ),
  w: number(
    1,
    clock => clock.weekday % 7,
    value => within(value, 0, 6),
  ),
  z: zoneOffset(''),
  ':z': zoneOffset(':'),
  Z: {
    write: clock => clock.zone,
    text: /[A-Za-z][A-Za-z0-9_+/-]*/y,
    // A zone's letters are not its offset, except these.
    read: (match, into) => {
      if (/^(?:UTC|GMT|Z)$/i.test(match)) into.offset = 0
      return true
    },
  },
  s: {
    write: clock => String(clock.epochSeconds),
    text: /-?\d{1,12}/y,
    read: (match, into) => {
      into.epochSeconds = Number(match)
      into.offset = 0
      return true
    },
  },
}

function setDay(value: number, into: Reading): boolean {
  into.day = value
  return within(value, 1, 31)
}

function setHour(value: number, into: Reading): boolean {
  into.hour = value
  return within(value, 0, 23)
}

const SHORTHAND: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  h: '%b',
  n: '\n',
  t: '\t',
}

type Piece = string | Directive

const cache = new Map<string, readonly Piece[] | null>()

/** The pattern as literals and directives; null when it has an unknown directive. */
function piecesOf(pattern: string): readonly Piece[] | null {
  let pieces = cache.get(pattern)
  if (pieces === undefined) {
    pieces = split(pattern.replace(/%([FTRDhnt])|%%/g, (all, letter?: string) => SHORTHAND[letter ?? ''] ?? all))
    if (cache.size >= 256) cache.clear()
    cache.set(pattern, pieces)
  }
  return pieces
}

function split(pattern: string): readonly Piece[] | null {
  const pieces: Piece[] = []
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] !== '%') {
      pieces.push(pattern[i] as string)
      continue
    }
    const name = pattern[i + 1] === ':' ? pattern.slice(i + 1, i + 3) : (pattern[i + 1] ?? '')
    i += name.length
    if (name === '%') pieces.push('%')
    else if (Object.hasOwn(DIRECTIVES, name)) pieces.push(DIRECTIVES[name] as Directive)
    else return null
  }
  return pieces
}

/** Whether every directive of a pattern is known, for the check at compile time. */
export function isTimePattern(pattern: string): boolean {
  return piecesOf(pattern) !== null
}

export function formatTime(time: DateTime, pattern: string, offset: number, zone: string): string | null {
  const pieces = piecesOf(pattern)
  if (pieces === null) return null
  const wall = time.micros + offset * 1e6
  const days = Math.floor(wall / DAY_US)
  const ofDay = wall - days * DAY_US
  const civil = civilFromDays(days)
  const clock: Clock = {
    ...civil,
    dayOfYear: days - daysFromCivil(civil.year, 1, 1) + 1,
    weekday: ((((days + 3) % 7) + 7) % 7) + 1,
    hour: Math.floor(ofDay / 3_600_000_000),
    minute: Math.floor(ofDay / 60_000_000) % 60,
    second: Math.floor(ofDay / 1_000_000) % 60,
    micros: ofDay % 1_000_000,
    nanos: time.nanos,
    epochSeconds: Math.floor(time.micros / 1_000_000),
    offset,
    zone,
  }
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : piece.write(clock)
  return text
}

/** What a text says: its wall clock, and its offset where it names one. */
export interface TimeReading {
  readonly wallMicros: number
  readonly nanos: number
  readonly offsetSeconds: number | null
}

export function readTime(text: string, pattern: string): TimeReading | null {
  const pieces = piecesOf(pattern)
  if (pieces === null) return null
  const reading: Reading = {
    year: 1970,
    month: 1,
    day: 1,
    dayOfYear: null,
    hour: 0,
    isAfternoon: null,
    minute: 0,
    second: 0,
    fractionNs: 0,
    offset: null,
    epochSeconds: null,
  }
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      if (text[at] !== piece) return null
      at++
      continue
    }
    piece.text.lastIndex = at
    const match = piece.text.exec(text)
    if (match === null || !piece.read(match[0], reading)) return null
    at += match[0].length
  }
  return at === text.length ? resolve(reading) : null
}

function resolve(reading: Reading): TimeReading | null {
  const fractionMicros = Math.floor(reading.fractionNs / 1000)
  const nanos = reading.fractionNs - fractionMicros * 1000
  if (reading.epochSeconds !== null) {
    return { wallMicros: reading.epochSeconds * 1e6 + fractionMicros, nanos, offsetSeconds: 0 }
  }
  const { year, month, day, dayOfYear } = reading
  const days = dayOfYear === null ? daysFromCivil(year, month, day) : daysFromCivil(year, 1, 1) + dayOfYear - 1
  // The 31st of June would roll over into July: it is no date.
  if (dayOfYear === null && civilFromDays(days).day !== day) return null
  if (dayOfYear !== null && civilFromDays(days).year !== year) return null
  const hour =
    reading.isAfternoon === null || reading.hour > 12
      ? reading.hour
      : (reading.hour % 12) + (reading.isAfternoon ? 12 : 0)
  const seconds = days * 86_400 + hour * 3600 + reading.minute * 60 + reading.second
  return { wallMicros: seconds * 1e6 + fractionMicros, nanos, offsetSeconds: reading.offset }
}
