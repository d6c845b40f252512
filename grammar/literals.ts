/** Durations and instants as the language writes them. Pure and exact; ingest and output use the same functions. */

const NS_PER_UNIT: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
  ['w', 604_800_000_000_000n],
])

const DURATION = /^-?(?:\d[\d_]*(?:\.\d+)?(?:ns|us|ms|s|m|h|d|w))+$/
const DURATION_PART = /(\d[\d_]*)(?:\.(\d+))?(ns|us|ms|s|m|h|d|w)/g
const MAX_DURATION_TEXT = 100

/** `1h30m`, `1.5h`, `-250ms` to nanoseconds; null when it is no duration. A part finer than a nanosecond is cut off. */
export function parseDuration(text: string): number | null {
  if (text.length > MAX_DURATION_TEXT || !DURATION.test(text)) return null
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(DURATION_PART)) {
    const digits = BigInt(whole.replaceAll('_', '') + fraction)
    total += (digits * (NS_PER_UNIT.get(unit) ?? 0n)) / 10n ** BigInt(fraction.length)
  }
  return Number(text.startsWith('-') ? -total : total)
}

const DAY_NS = 86_400_000_000_000n
const HOUR_NS = 3_600_000_000_000n
const MINUTE_NS = 60_000_000_000n
const SECOND_NS = 1_000_000_000n

/**
 * `1h30m`, `250ms`, `1.5s`, `0s`, `-5m`; `parseDuration` reads it back exactly. Days are the largest unit: `90d` says
 * more than `12w6d`. Fractions of a nanosecond are rounded.
 */
export function formatDuration(ns: number): string {
  if (!Number.isFinite(ns)) return '0s'
  const rounded = BigInt(Math.round(ns))
  if (rounded === 0n) return '0s'
  const sign = rounded < 0n ? '-' : ''
  const size = rounded < 0n ? -rounded : rounded
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}us`
  if (size < SECOND_NS) return `${sign}${decimal(size, 6)}ms`
  const days = size / DAY_NS
  const hours = (size % DAY_NS) / HOUR_NS
  const minutes = (size % HOUR_NS) / MINUTE_NS
  const seconds = size % MINUTE_NS
  return [
    sign,
    days > 0n ? `${days}d` : '',
    hours > 0n ? `${hours}h` : '',
    minutes > 0n ? `${minutes}m` : '',
    seconds > 0n ? `${decimal(seconds, 9)}s` : '',
  ].join('')
}

/** `value / 10^places` without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** An instant: whole microseconds since 1970 and the nanoseconds within the microsecond, 0..999. */
export interface Instant {
  readonly micros: number
  readonly nanos: number
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9})\d*)?)?(?:([Zz])|([+-])(\d\d):?(\d\d)))?$/
const MAX_DATE_TIME_TEXT = 64

/**
 * RFC 3339 (`T` may be a space, seconds may be absent) or a plain date, which is midnight UTC. Null for anything else,
 * a time without a zone and the 31st of June among it. Digits beyond nanoseconds are cut off.
 */
export function parseDateTime(text: string): Instant | null {
  if (text.length > MAX_DATE_TIME_TEXT) return null
  const match = DATE_TIME.exec(text)
  if (match === null) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)]
  const [zoneHour, zoneMinute] = [Number(match[10] ?? 0), Number(match[11] ?? 0)]
  // RFC 3339 allows a leap second; it is the first instant of the next minute.
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return null
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  const date = new Date(0)
  // `Date.UTC` would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  const zoneSeconds = (match[9] === '-' ? -1 : 1) * (zoneHour * 3600 + zoneMinute * 60)
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - zoneSeconds
  const fraction = (match[7] ?? '').padEnd(9, '0')
  return { micros: seconds * 1_000_000 + Number(fraction.slice(0, 6)), nanos: Number(fraction.slice(6)) }
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
