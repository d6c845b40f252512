/**
 * The one text form of every value: what `string(x)` gives, what joins print and what output writers write for times.
 * Datetimes are ISO 8601 UTC with as many fraction digits as the value has (3, 6 or 9); durations as the language writes them.
 */
import { formatDuration } from '../../grammar/literals.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'

const SECONDS_PER_DAY = 86_400

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

/** The day text of the last call: logs come in time order, so one day's events nearly always meet their own day here. */
let cachedDay = Number.NaN
let cachedDayText = ''

function dayText(day: number): string {
  if (day === cachedDay) return cachedDayText
  const civil = civilFromDays(day)
  const year =
    civil.year >= 0 && civil.year <= 9999
      ? pad(civil.year, 4)
      : `${civil.year < 0 ? '-' : '+'}${pad(Math.abs(civil.year), 6)}`
  cachedDay = day
  cachedDayText = `${year}-${pad(civil.month, 2)}-${pad(civil.day, 2)}T`
  return cachedDayText
}

/** Days since 1970-01-01 as a proleptic Gregorian date; right for every year, which `Date` is not beyond ±275760. */
export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  }
}

/** The inverse of civilFromDays; months outside 1 … 12 roll over into years. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1)
  const wholeYear = Math.floor(months / 12)
  const monthOfYear = months - wholeYear * 12 + 1
  const shiftedYear = monthOfYear <= 2 ? wholeYear - 1 : wholeYear
  const era = Math.floor(shiftedYear / 400)
  const yearOfEra = shiftedYear - era * 400
  const dayOfYear = Math.floor((153 * (monthOfYear > 2 ? monthOfYear - 3 : monthOfYear + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** The text of the second of the last call, for the same reason: what falls into one, or into one bin, comes together. */
let cachedSecond = Number.NaN
let cachedSecondText = ''

function secondText(second: number): string {
  if (second === cachedSecond) return cachedSecondText
  const day = Math.floor(second / SECONDS_PER_DAY)
  const ofDay = second - day * SECONDS_PER_DAY
  const minutes = Math.floor(ofDay / 60)
  cachedSecond = second
  cachedSecondText = `${dayText(day)}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}:${pad(ofDay % 60, 2)}.`
  return cachedSecondText
}

/** `2020-08-07T14:32:25.358Z` from microseconds and nanoseconds. */
export function formatMicros(micros: number, nanos = 0): string {
  const second = Math.floor(micros / 1_000_000)
  const fraction = micros - second * 1_000_000
  let digits: string
  if (nanos !== 0) digits = pad(fraction * 1000 + nanos, 9)
  else if (fraction === 0) digits = '000'
  else digits = fraction % 1000 === 0 ? pad(fraction / 1000, 3) : pad(fraction, 6)
  return `${secondText(second)}${digits}Z`
}

export function formatDateTime(time: DateTime): string {
  return formatMicros(time.micros, time.nanos)
}

/** What `string(x)` gives: strings as they are, arrays and objects as JSON; null and missing as the empty string. */
export function valueToText(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'undefined':
      return ''
    default:
      if (value === null) return ''
      if (value instanceof DateTime) return formatDateTime(value)
      if (value instanceof Duration) return formatDuration(value.ns)
      return valueToJson(value)
  }
}

/** JSON of a value: ints beyond 2^53 with all their digits, times and durations as their text, missing members left out. */
export function valueToJson(value: Value): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'undefined':
      return 'null'
    default:
      if (value === null) return 'null'
      if (value instanceof DateTime) return `"${formatDateTime(value)}"`
      if (value instanceof Duration) return `"${formatDuration(value.ns)}"`
      return containerToJson(value)
  }
}

function containerToJson(value: readonly Value[] | { readonly [key: string]: Value }): string {
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(valueToJson).join(',')}]`
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${valueToJson(member)}`)
  }
  return `{${members.join(',')}}`
}

/** `string(x)`: null stays null, so that `string(missing)` is not an empty text. */
export function toText(value: Value): string | null {
  return value === null || value === undefined ? null : valueToText(value)
}
