/** Bounds beyond which a value is an outlier of its group. */
import type { OutlierMethod } from '../../table.ts'

export interface Fence {
  readonly lower: number
  readonly upper: number
  /** Distance is counted from here: below `low`, above `high`, in units of `scale`. */
  readonly low: number
  readonly high: number
  readonly scale: number
}

/** Of normally distributed values, the standard deviation is so many mean absolute deviations … */
const STDEV_PER_MEAN_DEVIATION = 1.253314
/** … and so many median absolute deviations; the interquartile range is so many standard deviations. */
const STDEV_PER_MAD = 1 / 0.6745
const IQR_PER_STDEV = 1.349

/** Null for no values, and where doubles do not reach. */
export function fenceOf(sorted: Float64Array, method: OutlierMethod, threshold: number): Fence | null {
  if (sorted.length === 0) return null
  const { low, high, scale } = spreadOf(sorted, method)
  const fence = { lower: low - threshold * scale, upper: high + threshold * scale, low, high, scale }
  return Number.isFinite(fence.lower) && Number.isFinite(fence.upper) ? fence : null
}

function spreadOf(sorted: Float64Array, method: OutlierMethod): Pick<Fence, 'low' | 'high' | 'scale'> {
  if (method === 'zscore') {
    const center = meanOf(sorted)
    return { low: center, high: center, scale: sorted.length < 2 ? 0 : stdevOf(sorted, center) }
  }
  const median = quantile(sorted, 0.5)
  const meanDeviation = meanOf(sorted.map(value => Math.abs(value - median)))
  if (method === 'mad') {
    const mad = quantile(sorted.map(value => Math.abs(value - median)).sort(), 0.5)
    return {
      low: median,
      high: median,
      scale: mad > 0 ? mad * STDEV_PER_MAD : meanDeviation * STDEV_PER_MEAN_DEVIATION,
    }
  }
  const [low, high] = [quantile(sorted, 0.25), quantile(sorted, 0.75)]
  const scale = high > low ? high - low : meanDeviation * STDEV_PER_MEAN_DEVIATION * IQR_PER_STDEV
  return { low, high, scale }
}

/** Interpolated between neighbours, as `exactperc` does. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  const high = sorted[Math.ceil(at)]!
  return low + (high - low) * (at - Math.floor(at))
}

/** In ascending order of the values, so that the rounding is the same however rows came in. */
function meanOf(values: Float64Array): number {
  let sum = 0
  for (let n = 0; n < values.length; n++) sum += values[n]!
  return sum / values.length
}

function stdevOf(sorted: Float64Array, mean: number): number {
  // All equal: the rounding of the mean is no spread.
  if (sorted[0] === sorted.at(-1)) return 0
  let sum = 0
  for (let n = 0; n < sorted.length; n++) sum += (sorted[n]! - mean) ** 2
  return Math.sqrt(sum / (sorted.length - 1))
}
