/**
 * Aggregates over an array of values, each a few lines: no states, no merging, no sketches. Percentiles are the exact
 * nearest rank where the engine keeps a sketch, so comparisons of those allow for its stated error.
 */
import { FUNCTIONS, lookupAggregate } from '../../compiler/functions/index.ts'
import { sub } from '../../runtime/helpers/arithmetic.ts'
import { compareValues, keyOf } from '../../runtime/helpers/compare.ts'
import { normalInt, toNumeric } from '../../runtime/helpers/numbers.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'

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
const PERCENTILE_NAME = /^p(100|\d{1,2})(?:_(\d+))?$/

/** Of sums of floats, whichever way they were added. */
const ROUNDING = 1e-9

export interface Tolerance {
  readonly relative: number
  readonly absolute: number
}

/**
 * Answers are compared within this error: what the descriptor promises of a sketch, and of the count of distinct values what it may miss: of a few,
 * one, because two of them may fall into one of 16,384 registers (two of two did at seed 1830409216).
 */
export function toleranceOf(name: string): Tolerance {
  const merging = lookupAggregate(FUNCTIONS, name)?.function.merging
  if (merging?.law === 'sketch') return { relative: merging.relativeError, absolute: 0 }
  return name === 'estdc' ? { relative: 0.1, absolute: 1 } : { relative: ROUNDING, absolute: 0 }
}

export function isEstimate(name: string): boolean {
  return toleranceOf(name).relative > ROUNDING
}

export function aggregate(input: AggregateInput): Value {
  const values = input.samples.map(sample => sample.value)
  const named = PERCENTILE_NAME.exec(input.name)
  if (named !== null) {
    const percent = Number(`${named[1]}.${named[2] ?? 0}`)
    return ofQuantities(values, amounts => nearestRank(amounts, percent))
  }
  switch (input.name) {
    case 'count':
      return input.samples.length
    case 'sum':
      return ofQuantities(values, sum)
    case 'avg':
      return ofQuantities(values, amounts => average(amounts.map(Number)))
    case 'min':
      return values.reduce<Value>((best, v) => (best === null || compareValues(v, best) < 0 ? v : best), null)
    case 'max':
      return values.reduce<Value>((best, v) => (best === null || compareValues(v, best) > 0 ? v : best), null)
    case 'range':
      return range(values)
    case 'dc':
    case 'estdc':
      return new Set(values.map(keyOf)).size
    case 'perc':
      return ofQuantities(values, amounts => nearestRank(amounts, Number(input.parameters[0])))
    case 'exactperc':
      return ofQuantities(values, amounts => interpolated(amounts.map(Number), Number(input.parameters[0])))
    case 'median':
      return ofQuantities(values, amounts => interpolated(amounts.map(Number), 50))
    case 'var':
      return variance(asFloats(values))
    case 'stdev':
      return ofQuantities(values, amounts => {
        const squared = variance(amounts.map(Number))
        return squared === null ? null : Math.sqrt(squared)
      })
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
      return topOf(values, Number(input.parameters[0]))
    case 'rate':
      return perSecond(input, input.samples.length)
    case 'per_second':
      return numbersOf(values).length === 0 ? null : perSecond(numeric(input), total(asFloats(values)))
    default:
      throw new Error(`the reference knows no aggregate ${input.name}: test/reference/aggregates.ts`)
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

/** Over numbers, or over durations as their nanoseconds, which then give a duration. A group of both has no answer. */
function ofQuantities(values: readonly Value[], answer: (amounts: readonly (number | bigint)[]) => Value): Value {
  const durations = values.filter(value => value instanceof Duration)
  const numbers = numbersOf(values)
  if (durations.length === 0) return answer(numbers)
  if (numbers.length > 0) return null
  const ns = answer(durations.map(({ ns }) => ns))
  return ns === null ? null : new Duration(Math.round(Number(ns)))
}

/** Whole numbers exactly, as bigints, and so the whole when the fractions among them add up to a whole number. */
function sum(values: readonly (number | bigint)[]): Value {
  if (values.length === 0) return null
  const isWhole = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isInteger(value)
  const ints = values.filter(isWhole).reduce((before: bigint, value) => before + BigInt(value), 0n)
  const fractions = total(values.filter(value => !isWhole(value)).map(Number))
  return Number.isInteger(fractions) ? normalInt(ints + BigInt(fractions)) : finite(Number(ints) + fractions)
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : finite(total(values) / values.length)
}

/** Of numbers, durations or datetimes; not of several kinds. */
function range(values: readonly Value[]): Value {
  const members = values.flatMap<Value>(value =>
    value instanceof Duration || value instanceof DateTime ? [value] : (toNumeric(value) ?? []),
  )
  const sorted = members.sort(compareValues)
  return sorted.length === 0 ? null : sub(sorted.at(-1), sorted[0])
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

function topOf(values: readonly Value[], k: number): Value[] {
  return mostFrequent(values)
    .slice(0, k)
    .map(value => ({ value, count: values.filter(each => keyOf(each) === keyOf(value)).length }))
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

/** An amount per second: of the time bin if there is one, else from the first counted event to the last. */
function perSecond(input: AggregateInput, amount: number): Value {
  const seconds = input.binSeconds ?? spanOf(input.samples)
  return seconds === 0 ? null : finite(amount / seconds)
}

/** Without the rows whose argument is no number. */
function numeric(input: AggregateInput): AggregateInput {
  return { ...input, samples: input.samples.filter(({ value }) => toNumeric(value) !== null) }
}

function spanOf(samples: readonly Sample[]): number {
  const micros = samples
    .map(({ time }) => (time instanceof DateTime ? time.micros : Number.NaN))
    .filter(Number.isFinite)
  return micros.length === 0 ? 0 : (Math.max(...micros) - Math.min(...micros)) / 1e6
}
