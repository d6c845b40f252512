/** State of the aggregates that keep values: extremes, tallies, lists, and numbers for exact percentiles. */
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { makeDuration } from './arithmetic.ts'
import { compareValues, keyOf } from './compare.ts'

// ── min and max ─────────────────────────────────────────────────────────────────────────────────────────────────────

const isAbsent = (value: Value): boolean => value === null || value === undefined

const lesserOf = (a: Value, b: Value): Value => (isAbsent(b) || (!isAbsent(a) && compareValues(a, b) <= 0) ? a : b)
const greaterOf = (a: Value, b: Value): Value => (isAbsent(b) || (!isAbsent(a) && compareValues(a, b) >= 0) ? a : b)

/** The answer from the typed slots (infinite: no such value) and the rest. */
function extremeOf(number: number, micros: number, other: Value, isLeast: boolean): Value {
  const pick = isLeast ? lesserOf : greaterOf
  let best: Value = other ?? null
  if (Number.isFinite(number)) best = pick(best, number)
  if (Number.isFinite(micros)) best = pick(best, new DateTime(micros))
  return best
}

// ── values and mode ─────────────────────────────────────────────────────────────────────────────────────────────────

export interface Tally {
  readonly byKey: Map<string | number, { readonly value: Value; count: number }>
  dictionary: Dictionary | null
  counts: Map<number, number>
}

function tallyAdd(tally: Tally, value: Value, count = 1): void {
  const key = keyOf(value)
  const entry = tally.byKey.get(key)
  if (entry === undefined) tally.byKey.set(key, { value, count })
  else entry.count += count
}

function tallyAddCode(tally: Tally, dictionary: Dictionary, code: number): void {
  if (tally.dictionary !== dictionary) tallyFlush(tally, dictionary)
  tally.counts.set(code, (tally.counts.get(code) ?? 0) + 1)
}

function tallyFlush(tally: Tally, next: Dictionary | null): void {
  for (const [code, count] of tally.counts) tallyAdd(tally, tally.dictionary!.values[code], count)
  tally.counts.clear()
  tally.dictionary = next
}

function tallyMerge(into: Tally, from: Tally): void {
  tallyFlush(from, null)
  for (const { value, count } of from.byKey.values()) tallyAdd(into, value, count)
}

function tallyValues(tally: Tally): Value[] {
  tallyFlush(tally, null)
  return Array.from(tally.byKey.values(), entry => entry.value).sort(compareValues)
}

/** Most frequent first; among equals the least in sort order. */
function tallyTop(tally: Tally, count: number): Value[] {
  tallyFlush(tally, null)
  return Array.from(tally.byKey.values())
    .sort((a, b) => b.count - a.count || compareValues(a.value, b.value))
    .slice(0, count)
    .map(({ value, count }) => ({ value, count }))
}

function tallyMode(tally: Tally): Value {
  tallyFlush(tally, null)
  let best: { readonly value: Value; readonly count: number } | null = null
  for (const entry of tally.byKey.values()) {
    const isBetter =
      best === null ||
      entry.count > best.count ||
      (entry.count === best.count && compareValues(entry.value, best.value) < 0)
    if (isBetter) best = entry
  }
  return best === null ? null : best.value
}

// ── list ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface OrderedList {
  readonly orders: number[]
  readonly values: Value[]
}

function listMerge(into: OrderedList, from: OrderedList): void {
  for (const [index, order] of from.orders.entries()) {
    into.orders.push(order)
    into.values.push(from.values[index])
  }
}

/** In order of input; merged partial lists may be out of order until here. A copy: the list may go on growing. */
function listValues({ orders, values }: OrderedList): Value[] {
  const isOrdered = orders.every((order, index) => index === 0 || orders[index - 1]! <= order)
  if (isOrdered) return [...values]
  return values
    .map((value, index) => ({ value, order: orders[index]! }))
    .sort((a, b) => a.order - b.order)
    .map(item => item.value)
}

// ── exact percentiles ───────────────────────────────────────────────────────────────────────────────────────────────

export interface NumberList {
  values: Float64Array
  length: number
  /** So many of the first are in order already. */
  sorted: number
  /** How many of the values were durations, in nanoseconds. */
  durations: number
}

function numberListAdd(list: NumberList, value: number): void {
  if (list.length === list.values.length) {
    const grown = new Float64Array(Math.max(16, list.values.length * 2))
    grown.set(list.values)
    list.values = grown
  }
  list.values[list.length++] = value
}

/** A value that is no number: durations count as their nanoseconds, the rest not at all. */
function numberListAddRest(list: NumberList, value: Value): void {
  if (!(value instanceof Duration)) return
  numberListAdd(list, value.ns)
  list.durations++
}

function numberListMerge(into: NumberList, from: NumberList): void {
  for (let index = 0; index < from.length; index++) numberListAdd(into, from.values[index]!)
  into.durations += from.durations
}

/** Linear interpolation between the neighbours of position q · (n − 1). Null when numbers and durations are mixed. */
function exactQuantile(list: NumberList, q: number): Value {
  if (list.length === 0) return null
  if (list.durations === 0) return interpolated(list, q)
  return list.durations === list.length ? makeDuration(interpolated(list, q)) : null
}

/** More new values than this are sorted with the old ones; fewer are put in their places, one by one. */
const INSERTED_MAX = 16

/** The values in order. Where the answer is asked for after every row (`streamstats`), each time one more finds its place. */
function inOrder(list: NumberList): Float64Array {
  const { values, length } = list
  if (list.sorted === 0 || length - list.sorted > INSERTED_MAX) values.subarray(0, length).sort()
  else for (let at = list.sorted; at < length; at++) insert(values, at)
  list.sorted = length
  return values.subarray(0, length)
}

/** Moves the value at `at` to its place among those before it, which are in order. */
function insert(values: Float64Array, at: number): void {
  const value = values[at]!
  let low = 0
  let high = at
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! <= value) low = middle + 1
    else high = middle
  }
  values.copyWithin(low + 1, low, at)
  values[low] = value
}

function interpolated(list: NumberList, q: number): number {
  const sorted = inOrder(list)
  const position = Math.min(1, Math.max(0, q)) * (sorted.length - 1)
  const below = Math.floor(position)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low === high ? low : low + (high - low) * (position - below)
}

export const AGGREGATE_HELPERS = {
  lesserOf,
  greaterOf,
  extremeOf,
  tallyNew: (): Tally => ({ byKey: new Map(), dictionary: null, counts: new Map() }),
  tallyAdd: (tally: Tally, value: Value): void => tallyAdd(tally, value),
  tallyAddMany: tallyAdd,
  /** Everything counted, whatever it was counted by. */
  tallyEntries(tally: Tally): { readonly value: Value; readonly count: number }[] {
    tallyFlush(tally, null)
    return [...tally.byKey.values()]
  },
  tallyAddCode,
  tallyMerge,
  tallyValues,
  tallyMode,
  tallyTop,
  listNew: (): OrderedList => ({ orders: [], values: [] }),
  listAdd(list: OrderedList, order: number, value: Value): void {
    list.orders.push(order)
    list.values.push(value)
  },
  listMerge,
  listValues,
  numberListNew: (): NumberList => ({ values: new Float64Array(16), length: 0, sorted: 0, durations: 0 }),
  numberListAdd,
  numberListAddRest,
  numberListMerge,
  exactQuantile,
}
