/** Times by pattern, as strftime and strptime know them: `%Y-%m-%dT%H:%M:%S.%f%z`. The directives are in time-directives.ts. */
import type { DateTime } from '../../storage/value.ts'
import { civilFromDays, daysFromCivil } from './format-value.ts'
import { type Clock, DIRECTIVES, type Directive, type Reading, SHORTHAND } from './time-directives.ts'

const DAY_US = 86_400_000_000

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
