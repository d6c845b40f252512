/** A series on an even grid of bins, as models of seasons need it. */

export interface Grid {
  readonly values: Float64Array
  readonly widthMicros: number
  readonly lastMicros: number
  /** Bins that had no value and were given one between their neighbours. */
  readonly missing: number
}

/** A bin that is far too short for its series would make more bins than anybody has data for. */
const BINS_MAX = 1_000_000

/** Of times in order; null when there are fewer than two instants, or too many bins between them. */
export function layOnGrid(micros: readonly number[], numbers: Float64Array): Grid | null {
  const widthMicros = widthOf(micros)
  if (widthMicros === null) return null
  const start = micros[0]!
  const count = Math.round((micros.at(-1)! - start) / widthMicros) + 1
  if (count > BINS_MAX) return null
  const values = new Float64Array(count).fill(Number.NaN)
  // Of rows in one bin the first counts.
  for (const [index, at] of micros.entries()) {
    const bin = Math.round((at - start) / widthMicros)
    if (Number.isNaN(values[bin])) values[bin] = numbers[index]!
  }
  const missing = interpolate(values)
  return { values, widthMicros, lastMicros: start + (count - 1) * widthMicros, missing }
}

/** The most frequent distance of two neighbours; of several, the smallest. */
function widthOf(micros: readonly number[]): number | null {
  const counts = new Map<number, number>()
  for (let n = 1; n < micros.length; n++) {
    const width = micros[n]! - micros[n - 1]!
    if (width > 0) counts.set(width, (counts.get(width) ?? 0) + 1)
  }
  let best: number | null = null
  for (const [width, count] of counts) {
    const most = best === null ? 0 : counts.get(best)!
    if (count > most || (count === most && width < best!)) best = width
  }
  return best
}

/** Straight lines over the gaps; the first and the last bin are never in one. */
function interpolate(values: Float64Array): number {
  let missing = 0
  let before = 0
  for (let at = 1; at < values.length; at++) {
    if (Number.isNaN(values[at])) continue
    for (let gap = before + 1; gap < at; gap++) {
      values[gap] = values[before]! + ((values[at]! - values[before]!) * (gap - before)) / (at - before)
      missing++
    }
    before = at
  }
  return missing
}
