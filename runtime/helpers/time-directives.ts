/**
 * The directives of time patterns (`%Y`, `%H`, `%z` …). One table says for each how it is written and how it is read, so that what
 * strftime writes strptime reads.
 */

const DAY_SECONDS = 86_400
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

/** A wall clock being written. */
export interface Clock {
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
export interface Reading {
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

export interface Directive {
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
      return Math.abs(into.offset) < DAY_SECONDS
    },
  }
}

export const DIRECTIVES: Readonly<Record<string, Directive>> = {
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

export const SHORTHAND: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  h: '%b',
  n: '\n',
  t: '\t',
}
