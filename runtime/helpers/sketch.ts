/**
 * Percentile sketch: a count per logarithmic bucket. The bucket of a double is the top of its bit pattern (exponent and 7 bits of
 * mantissa), so finding it is one shift, no logarithm: about 2 ns a value. Buckets are 1/128 wide, so their middle is within
 * 0.4 % of every value in them. Merging adds counts: exact, in any order.
 */
import { Duration, type Value } from '../../storage/value.ts'
import { makeDuration } from './arithmetic.ts'

const SHIFT = 13
/** Bucket numbers of positive doubles. */
const BUCKETS = 1 << (31 - SHIFT)

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)
/** Which half of the double holds sign and exponent. */
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0

interface Side {
  counts: Float64Array
  /** Bucket number of counts[0]. */
  base: number
}

export interface Sketch {
  readonly positive: Side
  readonly negative: Side
  zeros: number
  /** How many of the values were durations, in nanoseconds. */
  durations: number
  /** Least and greatest value. */
  readonly bounds: Float64Array
}

function sketchNew(): Sketch {
  return {
    positive: { counts: new Float64Array(0), base: 0 },
    negative: { counts: new Float64Array(0), base: 0 },
    zeros: 0,
    durations: 0,
    bounds: Float64Array.of(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  }
}

/** A value that is no number: durations count as their nanoseconds, the rest not at all. */
function sketchAddRest(sketch: Sketch, value: Value): void {
  if (!(value instanceof Duration)) return
  sketchAdd(sketch, value.ns)
  sketch.durations++
}

/** Positive values in the window, nearly all there are, touch one counter and two bounds. */
function sketchAdd(sketch: Sketch, value: number): void {
  const { bounds } = sketch
  if (value < bounds[0]!) bounds[0] = value
  if (value > bounds[1]!) bounds[1] = value
  double[0] = value
  // The sign bit makes negative numbers huge here, so they fall outside of the window.
  const at = (halves[HIGH]! >>> SHIFT) - sketch.positive.base
  const { counts } = sketch.positive
  if (at >= 0 && at < counts.length) counts[at]!++
  else addRare(sketch, value)
}

function addRare(sketch: Sketch, value: number): void {
  double[0] = value
  const bucket = (halves[HIGH]! & 0x7fffffff) >>> SHIFT
  // Bucket 0 is zero and what is too small to tell from it; windows never reach down there.
  if (bucket === 0) {
    sketch.zeros++
    return
  }
  const side = value > 0 ? sketch.positive : sketch.negative
  const at = bucket - side.base
  if (at >= 0 && at < side.counts.length) side.counts[at]!++
  else addOutside(side, bucket, 1)
}

function addOutside(side: Side, bucket: number, count: number): void {
  const end = side.base + side.counts.length
  if (side.counts.length === 0) {
    side.base = Math.max(1, bucket - 64)
    side.counts = new Float64Array(128)
  } else {
    // A margin on the side that grew, so that a slow drift does not copy every time.
    const margin = side.counts.length >> 1
    const base = bucket < side.base ? Math.max(1, bucket - margin) : side.base
    const newEnd = bucket >= end ? Math.min(BUCKETS, bucket + 1 + margin) : end
    const counts = new Float64Array(newEnd - base)
    counts.set(side.counts, side.base - base)
    side.base = base
    side.counts = counts
  }
  side.counts[bucket - side.base]! += count
}

function sketchMerge(into: Sketch, from: Sketch): void {
  into.zeros += from.zeros
  into.durations += from.durations
  into.bounds[0] = Math.min(into.bounds[0]!, from.bounds[0]!)
  into.bounds[1] = Math.max(into.bounds[1]!, from.bounds[1]!)
  for (const name of ['positive', 'negative'] as const) {
    const source = from[name]
    for (const [index, count] of source.counts.entries()) {
      if (count === 0) continue
      const bucket = source.base + index
      const at = bucket - into[name].base
      if (at >= 0 && at < into[name].counts.length) into[name].counts[at]! += count
      else addOutside(into[name], bucket, count)
    }
  }
}

function middleOf(bucket: number): number {
  halves[HIGH] = bucket << SHIFT
  halves[1 - HIGH] = 0
  const low = double[0]!
  halves[HIGH] = (bucket + 1) << SHIFT
  const high = double[0]!
  return Number.isFinite(high) ? (low + high) / 2 : low
}

/** Nearest rank: the value at position ceil(q · n). Null when empty, or when numbers and durations are mixed. */
function sketchQuantile(sketch: Sketch, q: number): Value {
  const total = sketch.zeros + sum(sketch.positive.counts) + sum(sketch.negative.counts)
  if (sketch.durations === 0) return total === 0 ? null : quantile(sketch, q, total)
  return sketch.durations === total ? makeDuration(quantile(sketch, q, total)) : null
}

function quantile(sketch: Sketch, q: number, total: number): number {
  let rank = Math.max(1, Math.ceil(q * total))
  const [least, greatest] = sketch.bounds as unknown as readonly [number, number]
  const clamp = (value: number): number => Math.min(greatest, Math.max(least, value))
  if (rank === 1) return least
  if (rank >= total) return greatest
  const { negative, positive } = sketch
  for (let index = negative.counts.length - 1; index >= 0; index--) {
    rank -= negative.counts[index]!
    if (rank <= 0) return clamp(-middleOf(negative.base + index))
  }
  rank -= sketch.zeros
  if (rank <= 0) return 0
  for (let index = 0; index < positive.counts.length; index++) {
    rank -= positive.counts[index]!
    if (rank <= 0) return clamp(middleOf(positive.base + index))
  }
  return greatest
}

function sum(counts: Float64Array): number {
  let total = 0
  // By index: an iterator costs ten times as much, and streamstats asks for every row.
  for (let at = 0; at < counts.length; at++) total += counts[at]!
  return total
}

export const SKETCH_HELPERS = { sketchNew, sketchAdd, sketchAddRest, sketchMerge, sketchQuantile }
