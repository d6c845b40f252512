/**
 * What is measured: numbers, durations or times as doubles. A column has one unit, that of most of its measures; the others are no
 * measures of it.
 */
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { toDouble } from '../../helpers/numbers.ts'

export type Unit = 'number' | 'duration' | 'datetime'

export interface Measures {
  /** NaN where a row has none. */
  readonly numbers: Float64Array
  readonly unit: Unit
}

export function measuresOf(values: readonly Value[]): Measures {
  const unit = unitOf(values)
  return { numbers: Float64Array.from(values, value => measureOf(value, unit)), unit }
}

function unitOf(values: readonly Value[]): Unit {
  const counts = { number: 0, duration: 0, datetime: 0 }
  for (const value of values) {
    if (value instanceof Duration) counts.duration++
    else if (value instanceof DateTime) counts.datetime++
    else if (toDouble(value) !== null) counts.number++
  }
  if (counts.number >= counts.duration && counts.number >= counts.datetime) return 'number'
  return counts.duration >= counts.datetime ? 'duration' : 'datetime'
}

function measureOf(value: Value, unit: Unit): number {
  switch (unit) {
    case 'number':
      return toDouble(value) ?? Number.NaN
    case 'duration':
      return value instanceof Duration ? value.ns : Number.NaN
    case 'datetime':
      return value instanceof DateTime ? value.micros : Number.NaN
  }
}

/** A double as a value of its unit again; null for what is no number. */
export function inUnit(number: number, unit: Unit): Value {
  if (!Number.isFinite(number)) return null
  switch (unit) {
    case 'number':
      return number === 0 ? 0 : number
    case 'duration':
      return new Duration(Math.round(number))
    case 'datetime':
      return new DateTime(Math.round(number))
  }
}

/** What rounding is moved by, away from zero, so that what lies half-way is no matter of the order in which sums were made. */
const NUDGE = 1e-10

/** Scores and shares, which nobody reads to sixteen digits: four that count. */
export function rounded(number: number, digits = 4): number | null {
  if (!Number.isFinite(number)) return null
  const result = Number((number * (1 + NUDGE)).toPrecision(digits))
  return Number.isFinite(result) && result !== 0 ? result : 0
}

/** What lies between -1 and 1: four decimals, so that the rounding of sums does not show. */
export function toDecimals(number: number, decimals = 4): number | null {
  if (!Number.isFinite(number)) return null
  const scale = 10 ** decimals
  const result = Math.sign(number) * (Math.round(Math.abs(number) * scale * (1 + NUDGE)) / scale)
  return result === 0 ? 0 : result
}
