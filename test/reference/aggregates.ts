/**
 * Aggregates over an array of values, each a few lines: no states, no merging, no sketches. Percentiles are the exact
 * nearest rank where the engine keeps a sketch, so comparisons of those allow for its stated error.
 */
import { compareValues, keyOf } from '../../runtime/helpers/compare.ts'
import { toNumeric } from '../../runtime/helpers/numbers.ts'
import { DateTime, type Value } from '../../storage/value.ts'

/** One row as an aggregate sees it: its arguments, and when it happened. */
export interface Sample {
  readonly value: Value
  readonly time: Value
}

export interface AggregateInput {
  readonly name: string
  /** Rows that passed the trailing `where` and whose argument, if there is one, is present; in input order. */
  readonly samples: readonly Sample[]
  /** Constant arguments after the first. */
  readonly parameters: readonly Value[]
  /** The width of the time bin among the keys; null when there is none. */
  readonly binSeconds: number | null
}

/** `p95`, `p99_9`. */
const PERCENTILE_NAME = /^p(\d{1,2})(?:_(\d+))?$/

/** Answers that are estimates in the engine: compare them within this relative error. */
export function toleranceOf(name: string): number {
  if (PERCENTILE_NAME.test(name) || name === 'perc') return 0.01
  if (name === 'estdc') return 0.1
  return 1e-9
}

export function aggregate(input: AggregateInput): Value {
  const values = input.samples.map(sample => sample.value)
  const named = PERCENTILE_NAME.exec(input.name)
  if (named !== null) return nearestRank(numbersOf(values), Number(`${named[1]}.${named[2] ?? 0}`))
  switch (input.name) {
    case 'count':
      return input.samples.length
    case 'sum':
      return sum(asFloats(values))
    case 'avg':
      return average(asFloats(values))
    case 'min':
      return values.reduce<Value>((best, v) => (best === null || compareValues(v, best) < 0 ? v : best), null)
    case 'max':
      return values.reduce<Value>((best, v) => (best === null || compareValues(v, best) > 0 ? v : best), null)
    case 'range':
      return range(asFloats(values))
    case 'dc':
    case 'estdc':
      return new Set(values.map(keyOf)).size
    case 'perc':
      return nearestRank(numbersOf(values), Number(input.parameters[0]))
    case 'exactperc':
      return interpolated(asFloats(values), Number(input.parameters[0]))
    case 'median':
      return interpolated(asFloats(values), 50)
    case 'var':
      return variance(asFloats(values))
    case 'stdev': {
      const squared = variance(asFloats(values))
      return squared === null ? null : Math.sqrt(squared)
    }
    case 'mode':
      return mode(values)
    case 'first':
      return values[0] ?? null
    case 'last':
      return values.at(-1) ?? null
    case 'earliest':
      return byTime(input.samples, -1)
    case 'latest':
      return byTime(input.samples, 1)
    case 'values':
      return distinct(values).sort(compareValues)
    case 'list':
      return values
    case 'topk':
      return mostFrequent(values).slice(0, Number(input.parameters[0]))
    case 'rate':
      return rate(input)
    default:
      throw new Error(`the reference knows no aggregate ${input.name}`)
  }
}

function numbersOf(values: readonly Value[]): (number | bigint)[] {
  return values.map(toNumeric).filter(value => value !== null)
}

function asFloats(values: readonly Value[]): number[] {
  return numbersOf(values).map(Number)
}

function total(values: readonly number[]): number {
  return values.reduce((before, value) => before + value, 0)
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** Of float64: exact for ints as long as the total is. */
function sum(values: readonly number[]): number | null {
  return values.length === 0 ? null : finite(total(values))
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : finite(total(values) / values.length)
}

function range(values: readonly number[]): number | null {
  return values.length === 0 ? null : finite(Math.max(...values) - Math.min(...values))
}

/** Of a sample: divided by n - 1. */
function variance(values: readonly number[]): number | null {
  if (values.length < 2) return null
  const mean = total(values) / values.length
  return finite(total(values.map(value => (value - mean) ** 2)) / (values.length - 1))
}

function nearestRank(values: readonly (number | bigint)[], percent: number): Value {
  const sorted = [...values].sort(compareValues)
  const rank = Math.ceil((percent / 100) * sorted.length)
  return sorted[Math.max(0, rank - 1)] ?? null
}

function interpolated(values: readonly number[], percent: number): Value {
  const sorted = [...values].sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const at = (percent / 100) * (sorted.length - 1)
  const low = sorted[Math.floor(at)] as number
  const high = sorted[Math.ceil(at)] as number
  return low + (high - low) * (at - Math.floor(at))
}

function distinct(values: readonly Value[]): Value[] {
  return [...new Map(values.map(value => [keyOf(value), value] as const).reverse()).values()].reverse()
}

/** Most frequent first; among equals the smallest value. */
function mostFrequent(values: readonly Value[]): Value[] {
  const counts = new Map<string | number, number>()
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1)
  const countOf = (value: Value): number => counts.get(keyOf(value)) ?? 0
  return distinct(values).sort((a, b) => countOf(b) - countOf(a) || compareValues(a, b))
}

function mode(values: readonly Value[]): Value {
  return mostFrequent(values)[0] ?? null
}

/** The value of the earliest (-1) or latest (1) event; among events of one instant the first, and the last. */
function byTime(samples: readonly Sample[], direction: 1 | -1): Value {
  let best: Sample | undefined
  for (const sample of samples) {
    if (!(sample.time instanceof DateTime)) continue
    const order = best === undefined ? 1 : compareValues(sample.time, best.time) * direction
    if (order > 0 || (order === 0 && direction === 1)) best = sample
  }
  return best?.value ?? null
}

/** Rows per second: of the time bin if there is one, else from the first counted event to the last. */
function rate(input: AggregateInput): Value {
  const seconds = input.binSeconds ?? spanOf(input.samples)
  return seconds === 0 ? null : input.samples.length / seconds
}

function spanOf(samples: readonly Sample[]): number {
  const micros = samples
    .map(({ time }) => (time instanceof DateTime ? time.micros : Number.NaN))
    .filter(Number.isFinite)
  return micros.length === 0 ? 0 : (Math.max(...micros) - Math.min(...micros)) / 1e6
}
