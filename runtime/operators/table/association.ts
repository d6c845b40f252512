/** Measures of how two lists of equal length go together; null where one of them does not vary. */

export function pearson(x: readonly number[], y: readonly number[]): number | null {
  if (isConstant(x) || isConstant(y)) return null
  const [meanX, meanY] = [mean(x), mean(y)]
  let [xx, yy, xy] = [0, 0, 0]
  for (let n = 0; n < x.length; n++) {
    const [dx, dy] = [x[n]! - meanX, y[n]! - meanY]
    xx += dx * dx
    yy += dy * dy
    xy += dx * dy
  }
  return within(xy / Math.sqrt(xx) / Math.sqrt(yy))
}

/** Pearson of the ranks; equal values share the middle of theirs. */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  return pearson(ranks(x), ranks(y))
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => values[a]! - values[b]!)
  const result = new Array<number>(values.length)
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++
    for (let n = start; n < end; n++) result[order[n]!] = (start + end - 1) / 2
    start = end
  }
  return result
}

/** Cramér's V of two lists of codes with the bias correction of Bergsma (2013): what chance alone would give is taken away. */
export function cramersV(x: readonly number[], y: readonly number[]): number | null {
  const n = x.length
  const [byX, byY, byBoth] = [tally(x), tally(y), new Map<string, number>()]
  const [rows, columns] = [byX.size, byY.size]
  if (n < 2 || rows < 2 || columns < 2) return null
  for (let at = 0; at < n; at++) {
    const key = `${x[at]} ${y[at]}`
    byBoth.set(key, (byBoth.get(key) ?? 0) + 1)
  }
  // Of pairs that never meet nothing need be added: the sum of squares over expectations says it all.
  let sum = 0
  for (const [key, count] of byBoth) {
    const [a, b] = key.split(' ').map(Number) as [number, number]
    sum += (count * count) / (byX.get(a)! * byY.get(b)!)
  }
  const corrected = Math.max(0, sum - 1 - ((rows - 1) * (columns - 1)) / (n - 1))
  const smaller = Math.min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
  return smaller <= 0 ? 0 : within(Math.sqrt(corrected / smaller))
}

/**
 * The correlation ratio: how much of the variance of the numbers lies between the categories, as its root. Corrected for chance
 * (Kelley's epsilon): the more categories, the more they seem to explain.
 */
export function eta(categories: readonly number[], numbers: readonly number[]): number | null {
  if (isConstant(numbers) || isConstant(categories)) return null
  const all = mean(numbers)
  const groups = new Map<number, { sum: number; count: number }>()
  let total = 0
  for (let n = 0; n < numbers.length; n++) {
    total += (numbers[n]! - all) ** 2
    const group = groups.get(categories[n]!) ?? { sum: 0, count: 0 }
    group.sum += numbers[n]! - all
    group.count++
    groups.set(categories[n]!, group)
  }
  let between = 0
  for (const { sum, count } of groups.values()) between += (sum * sum) / count
  const free = numbers.length - groups.size
  const unexplained = Math.max(0, 1 - between / total)
  return free <= 0 ? 0 : within(Math.sqrt(Math.max(0, 1 - (unexplained * (numbers.length - 1)) / free)))
}

function isConstant(values: readonly number[]): boolean {
  return values.every(value => value === values[0])
}

function mean(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

function tally(codes: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1)
  return counts
}

/** Rounding may carry a perfect correlation past 1; sums that overflowed say nothing. */
function within(value: number): number | null {
  return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : null
}
