/**
 * Percentile sketch: a count per logarithmic bucket. The bucket of a double is the top of its bit pattern (exponent and 7 bits of
 * mantissa), so finding it is one shift, no logarithm: about 2 ns a value. Buckets are 1/128 wide, so their middle is within
 * 0.4 % of every value in them. Merging adds counts: exact, in any order.
 */

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
  total: number
  min: number
  max: number
}

function sketchNew(): Sketch {
  return {
    positive: { counts: new Float64Array(0), base: 0 },
    negative: { counts: new Float64Array(0), base: 0 },
    zeros: 0,
    total: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  }
}

function sketchAdd(sketch: Sketch, value: number): void {
  sketch.total++
  if (value < sketch.min) sketch.min = value
  if (value > sketch.max) sketch.max = value
  if (value === 0) {
    sketch.zeros++
    return
  }
  double[0] = value
  const bucket = (halves[HIGH]! & 0x7fffffff) >>> SHIFT
  const side = value > 0 ? sketch.positive : sketch.negative
  const at = bucket - side.base
  if (at >= 0 && at < side.counts.length) side.counts[at]!++
  else addOutside(side, bucket, 1)
}

function addOutside(side: Side, bucket: number, count: number): void {
  const end = side.base + side.counts.length
  if (side.counts.length === 0) {
    side.base = Math.max(0, bucket - 64)
    side.counts = new Float64Array(128)
  } else {
    // A margin on the side that grew, so that a slow drift does not copy every time.
    const margin = side.counts.length >> 1
    const base = bucket < side.base ? Math.max(0, bucket - margin) : side.base
    const newEnd = bucket >= end ? Math.min(BUCKETS, bucket + 1 + margin) : end
    const counts = new Float64Array(newEnd - base)
    counts.set(side.counts, side.base - base)
    side.base = base
    side.counts = counts
  }
  side.counts[bucket - side.base]! += count
}

function sketchMerge(into: Sketch, from: Sketch): void {
  into.total += from.total
  into.zeros += from.zeros
  into.min = Math.min(into.min, from.min)
  into.max = Math.max(into.max, from.max)
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

/** Nearest rank: the value at position ceil(q · n). Null when empty. */
function sketchQuantile(sketch: Sketch, q: number): number | null {
  if (sketch.total === 0) return null
  let rank = Math.max(1, Math.ceil(q * sketch.total))
  const clamp = (value: number): number => Math.min(sketch.max, Math.max(sketch.min, value))
  if (rank === 1) return sketch.min
  if (rank >= sketch.total) return sketch.max
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
  return sketch.max
}

export const SKETCH_HELPERS = { sketchNew, sketchAdd, sketchMerge, sketchQuantile }
