/**
 * What aggregates of numbers do with everything that is not a plain number: ints beyond 2^53 stay exact, durations give durations, and
 * datetimes have a range. All of it is kept apart in a `rest` per group that most groups never get, so plain numbers pay nothing.
 * A group that mixes numbers with durations has no sum, as `1 + 5s` has none: its answer is null.
 */
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { makeDuration, sub } from './arithmetic.ts'
import { compareValues } from './compare.ts'
import { normalFloat, normalInt, toNumeric } from './numbers.ts'

// ── sum ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface SumRest {
  /** Whole numbers, exact; nanoseconds of durations too. */
  ints: bigint
  floats: number
  count: number
  durations: number
}

function sumRest(rest: SumRest | null): SumRest {
  return rest ?? { ints: 0n, floats: 0, count: 0, durations: 0 }
}

function addNumber(rest: SumRest, value: number | bigint): void {
  if (typeof value === 'bigint') rest.ints += value
  else if (Number.isInteger(value)) rest.ints += BigInt(value)
  else rest.floats += value
}

/** A value that the row loop could not add to its double; what is neither number nor duration changes nothing. */
function sumAdd(rest: SumRest | null, value: Value): SumRest | null {
  const amount = value instanceof Duration ? value.ns : toNumeric(value)
  if (amount === null) return rest
  const into = sumRest(rest)
  addNumber(into, amount)
  into.count++
  if (value instanceof Duration) into.durations++
  return into
}

function sumMerge(into: SumRest | null, from: SumRest | null): SumRest | null {
  if (from === null) return into
  const both = sumRest(into)
  both.ints += from.ints
  both.floats += from.floats
  both.count += from.count
  both.durations += from.durations
  return both
}

/** @param total, lost  of plain numbers: what their doubles add up to, and what rounding took from it; exact together for ints */
function sumOf(total: number, lost: number, count: number, rest: SumRest | null): Value {
  if (count + (rest?.count ?? 0) === 0) return null
  if (rest === null && lost === 0 && Math.abs(total) <= Number.MAX_SAFE_INTEGER) return normalFloat(total)
  const all = sumRest(rest === null ? null : { ...rest })
  if (all.durations > 0 && all.durations < count + all.count) return null
  // Beyond the largest double there is nothing to be exact about.
  if (!Number.isFinite(total) || !Number.isFinite(lost)) return normalFloat(total + all.floats)
  addNumber(all, total)
  addNumber(all, lost)
  if (all.durations > 0) return makeDuration(Number(all.ints) + all.floats)
  return all.floats === 0 ? normalInt(all.ints) : normalFloat(Number(all.ints) + all.floats)
}

function averageOf(total: number, count: number, rest: SumRest | null): Value {
  if (rest === null) return count === 0 ? null : normalFloat(total / count)
  const counted = count + rest.count
  if (counted === 0 || (rest.durations > 0 && rest.durations < counted)) return null
  const mean = (Number(rest.ints) + rest.floats + total) / counted
  return rest.durations > 0 ? makeDuration(mean) : normalFloat(mean)
}

// ── range ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Least and greatest of what is not a plain number; what is of two kinds has no range. */
export interface RangeRest {
  least: Value
  greatest: Value
}

function hasRange(value: Value): boolean {
  return (
    typeof value === 'bigint' || typeof value === 'number' || value instanceof Duration || value instanceof DateTime
  )
}

function rangeAdd(rest: RangeRest | null, value: Value): RangeRest | null {
  const amount = typeof value === 'string' ? toNumeric(value) : value
  if (!hasRange(amount)) return rest
  if (rest === null) return { least: amount, greatest: amount }
  if (compareValues(amount, rest.least) < 0) rest.least = amount
  if (compareValues(amount, rest.greatest) > 0) rest.greatest = amount
  return rest
}

function rangeMerge(into: RangeRest | null, from: RangeRest | null): RangeRest | null {
  return from === null ? into : rangeAdd(rangeAdd(into, from.least), from.greatest)
}

/** @param low, high  of plain numbers, @param from, to  of plain times in microseconds; infinite where there were none */
function rangeOf(low: number, high: number, from: number, to: number, rest: RangeRest | null): Value {
  let all = rest === null ? null : { ...rest }
  if (low <= high) all = rangeAdd(rangeAdd(all, low), high)
  if (from <= to) all = rangeAdd(rangeAdd(all, new DateTime(from)), new DateTime(to))
  return all === null ? null : sub(all.greatest, all.least)
}

// ── stdev ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Welford's state of the durations, in nanoseconds. */
export interface SpreadRest {
  count: number
  mean: number
  squares: number
}

function spreadAdd(rest: SpreadRest | null, value: Value): SpreadRest | null {
  if (!(value instanceof Duration)) return rest
  const into = rest ?? { count: 0, mean: 0, squares: 0 }
  const delta = value.ns - into.mean
  into.count++
  into.mean += delta / into.count
  into.squares += delta * (value.ns - into.mean)
  return into
}

function spreadMerge(into: SpreadRest | null, from: SpreadRest | null): SpreadRest | null {
  if (from === null) return into
  // A copy: what it came from goes on being merged elsewhere.
  if (into === null) return { ...from }
  const count = into.count + from.count
  const delta = from.mean - into.mean
  into.squares += from.squares + (delta * delta * into.count * from.count) / count
  into.mean += (delta * from.count) / count
  into.count = count
  return into
}

/** @param count, squares  of numbers */
function deviationOf(count: number, squares: number, rest: SpreadRest | null): Value {
  if (rest === null) return count < 2 ? null : normalFloat(Math.sqrt(squares / (count - 1)))
  return count > 0 || rest.count < 2 ? null : makeDuration(Math.sqrt(rest.squares / (rest.count - 1)))
}

export const QUANTITY_HELPERS = {
  spreadAdd,
  spreadMerge,
  deviationOf,
  sumAdd,
  sumMerge,
  sumOf,
  averageOf,
  rangeAdd,
  rangeMerge,
  rangeOf,
}
