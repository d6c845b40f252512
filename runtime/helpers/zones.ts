/** IANA time zones: the offset of an instant, and the instant of a wall-clock time. Intl answers, a cache keeps it out of loops. */

const QUARTER_HOUR_US = 900_000_000
const CACHE_LIMIT = 1 << 14

interface Zone {
  /** Null for UTC, which needs no asking. */
  readonly formatter: Intl.DateTimeFormat | null
  readonly fixedOffset: number | null
  /** Offset in seconds by quarter hour since 1970: no zone changes its offset anywhere but on a quarter of an hour. */
  readonly offsets: Map<number, number>
}

const zones = new Map<string, Zone | null>()

const FIXED = /^([+-])(\d\d):?(\d\d)$/

/** Null when no such zone is known. `UTC`, `+02:00` and IANA names are. */
function zoneOf(name: string): Zone | null {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = openZone(name)
    if (zones.size >= 1024) zones.clear()
    zones.set(name, zone)
  }
  return zone
}

function openZone(name: string): Zone | null {
  if (name === 'UTC' || name === 'Z') return { formatter: null, fixedOffset: 0, offsets: new Map() }
  const fixed = FIXED.exec(name)
  if (fixed !== null) {
    const seconds = Number(fixed[2]) * 3600 + Number(fixed[3]) * 60
    return { formatter: null, fixedOffset: fixed[1] === '-' ? -seconds : seconds, offsets: new Map() }
  }
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    return { formatter, fixedOffset: null, offsets: new Map() }
  } catch {
    return null
  }
}

export function isZone(name: string): boolean {
  return zoneOf(name) !== null
}

/** Seconds to add to UTC for the wall clock of the zone at an instant; null for an unknown zone. */
export function offsetAt(name: string, micros: number): number | null {
  const zone = zoneOf(name)
  if (zone === null) return null
  if (zone.fixedOffset !== null) return zone.fixedOffset
  const quarter = Math.floor(micros / QUARTER_HOUR_US)
  let offset = zone.offsets.get(quarter)
  if (offset === undefined) {
    offset = askIntl(zone.formatter as Intl.DateTimeFormat, (quarter * QUARTER_HOUR_US) / 1000)
    if (zone.offsets.size >= CACHE_LIMIT) zone.offsets.clear()
    zone.offsets.set(quarter, offset)
  }
  return offset
}

const MAX_DATE_MS = 8.64e15

function askIntl(formatter: Intl.DateTimeFormat, ms: number): number {
  if (Math.abs(ms) > MAX_DATE_MS) return 0
  const parts: Record<string, string> = {}
  for (const part of formatter.formatToParts(ms)) parts[part.type] = part.value
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
  const wall = new Date(0)
  wall.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day))
  wall.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second), 0)
  // Local mean times of the 19th century have odd seconds, so the remainder within the quarter hour is not rounded away.
  return Math.round((wall.getTime() - ms) / 1000)
}

/**
 * The instant at which the zone's clock shows `wall` (micros as if it were UTC). A time that clocks skip is read with the offset
 * before the jump; a time they show twice is the first one.
 */
export function instantOf(name: string, wall: number): number | null {
  const before = offsetAt(name, wall - 86_400_000_000)
  if (before === null) return null
  const first = wall - before * 1e6
  if (offsetAt(name, first) === before) return first
  const after = offsetAt(name, wall + 86_400_000_000) as number
  const second = wall - after * 1e6
  return offsetAt(name, second) === after ? second : first
}
