/**
 * Optimal partitioning: the cuts of a series for which squared deviations from the pieces' levels (or lines), plus a price for each
 * cut, are least; candidates that can never be best again are dropped (PELT: Killick, Fearnhead, Eckley 2012).
 */
import { quantile } from './fences.ts'

export interface Cuts {
  /** First index of each piece but the first, ascending. */
  readonly cuts: readonly number[]
  /** By cut: how many standard errors the pieces on its sides are apart. */
  readonly scores: readonly number[]
  /** Bins that were taken together, because there were too many. */
  readonly joined: number
}

/** The time grows with the square of the number of points; longer series are looked at several bins at a time. */
const POINTS_MAX = 20_000

export function cutSeries(numbers: Float64Array, model: 'level' | 'trend', penalty: number): Cuts {
  const joined = Math.ceil(numbers.length / POINTS_MAX)
  const points = joined > 1 ? averaged(numbers, joined) : numbers
  const noise = noiseOf(points, model)
  if (noise === 0 || !Number.isFinite(noise)) return { cuts: [], scores: [], joined: 1 }
  const middle = quantile(points.toSorted(), 0.5)
  const scaled = withoutSpikes(points).map(value => (value - middle) / noise)
  const cost = model === 'level' ? levelCost(scaled) : lineCost(scaled)
  const least = model === 'level' ? 2 : 3
  // A line has a parameter more than a level.
  const price = penalty * Math.log(scaled.length) * (model === 'level' ? 1 : 1.5)
  const cuts = partition(scaled.length, least, price, cost)
  const edges = [0, ...cuts, scaled.length]
  const scores = cuts.map((cut, index) => {
    const [from, to] = [edges[index]!, edges[index + 2]!]
    return Math.sqrt(Math.max(0, cost(from, to) - cost(from, cut) - cost(cut, to)))
  })
  return { cuts: cuts.map(cut => cut * joined), scores, joined }
}

/** Of `from` up to but not including `to`. */
type Cost = (from: number, to: number) => number

/** Of two ways to cut that cost the same but for rounding, the one whose last piece is longer. */
const TIE = 1e-7

function partition(length: number, least: number, price: number, cost: Cost): number[] {
  const best = new Float64Array(length + 1).fill(Number.POSITIVE_INFINITY)
  const previous = new Int32Array(length + 1)
  best[0] = -price
  // Where the last piece may begin, ascending, and from which end on it no longer may.
  const starts = new Int32Array(length + 1)
  const untils = new Float64Array(length + 1).fill(Number.POSITIVE_INFINITY)
  const costs = new Float64Array(length + 1)
  let count = 1
  for (let to = least; to <= length; to++) {
    for (let n = 0; n < count; n++) {
      const start = starts[n]!
      costs[n] = best[start]! + cost(start, to)
      if (costs[n]! + price < best[to]! - TIE) {
        best[to] = costs[n]! + price
        previous[to] = start
      }
    }
    // A start that loses against a cut here loses for good, once a piece that begins here is long enough.
    let kept = 0
    for (let n = 0; n < count; n++) {
      const until = costs[n]! > best[to]! + TIE ? Math.min(untils[n]!, to + least) : untils[n]!
      if (to + 1 >= until) continue
      starts[kept] = starts[n]!
      untils[kept++] = until
    }
    count = kept
    if (to + 1 - least < least) continue
    starts[count] = to + 1 - least
    untils[count++] = Number.POSITIVE_INFINITY
  }
  const cuts: number[] = []
  for (let at = length < least ? 0 : previous[length]!; at > 0; at = previous[at]!) cuts.unshift(at)
  return cuts
}

function levelCost(values: Float64Array): Cost {
  const [sum, squares] = [prefixSums(values, value => value), prefixSums(values, value => value * value)]
  return (from, to) => {
    const total = sum[to]! - sum[from]!
    return squares[to]! - squares[from]! - (total * total) / (to - from)
  }
}

/** Around the least-squares line over the positions. */
function lineCost(values: Float64Array): Cost {
  const sum = prefixSums(values, value => value)
  const squares = prefixSums(values, value => value * value)
  const weighted = prefixSums(values, (value, index) => value * index)
  return (from, to) => {
    const n = to - from
    const total = sum[to]! - sum[from]!
    const meanAt = (from + to - 1) / 2
    const spread = (n * (n * n - 1)) / 12
    const together = weighted[to]! - weighted[from]! - meanAt * total
    return squares[to]! - squares[from]! - (total * total) / n - (spread === 0 ? 0 : (together * together) / spread)
  }
}

function prefixSums(values: Float64Array, of: (value: number, index: number) => number): Float64Array {
  const sums = new Float64Array(values.length + 1)
  for (let n = 0; n < values.length; n++) sums[n + 1] = sums[n]! + of(values[n]!, n)
  return sums
}

/** Rise from one value to the next, by least squares. */
export function slopeOf(values: Float64Array): number {
  const n = values.length
  if (n < 2) return 0
  const middle = (n - 1) / 2
  let [together, spread] = [0, 0]
  for (let at = 0; at < n; at++) {
    together += (at - middle) * (values[at]! - values[0]!)
    spread += (at - middle) ** 2
  }
  return together / spread
}

/**
 * The standard deviation of the noise, from differences of neighbours (for lines: from differences of those), which steps are too rare
 * to disturb. Where more than half of the differences are equal, their mean deviation is taken instead of the median one.
 */
function noiseOf(values: Float64Array, model: 'level' | 'trend'): number {
  const first = differences(values)
  const changes = model === 'level' ? first : differences(first)
  if (changes.length === 0) return 0
  const center = quantile(changes.toSorted(), 0.5)
  const deviations = changes.map(change => Math.abs(change - center)).sort()
  const median = quantile(deviations, 0.5)
  const mean = deviations.reduce((sum, deviation) => sum + deviation, 0) / deviations.length
  // What rounding leaves of equal differences is no noise.
  const rounding = 1e-9 * values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const deviation = median > rounding ? median / 0.6745 : mean * 1.253314
  // The variance of a difference is twice, of a difference of differences six times that of the values.
  return deviation > rounding ? deviation / Math.sqrt(model === 'level' ? 2 : 6) : 0
}

function differences(values: Float64Array): Float64Array {
  return Float64Array.from({ length: Math.max(0, values.length - 1) }, (_, n) => values[n + 1]! - values[n]!)
}

/** Medians of three neighbours: steps stay where they are, a single value that stands out is gone. */
function withoutSpikes(values: Float64Array): Float64Array {
  return values.map((value, at) => {
    if (at === 0 || at === values.length - 1) return value
    const [before, after] = [values[at - 1]!, values[at + 1]!]
    return Math.max(Math.min(before, value), Math.min(Math.max(before, value), after))
  })
}

function averaged(values: Float64Array, size: number): Float64Array {
  return Float64Array.from({ length: Math.ceil(values.length / size) }, (_, n) => {
    const piece = values.subarray(n * size, (n + 1) * size)
    return piece.reduce((sum, value) => sum + value, 0) / piece.length
  })
}
