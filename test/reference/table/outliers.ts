/** outliers: bounds of each group's values, and the rows beyond them. */
import type { AstOutliers } from '../../../grammar/ast.ts'
import { boolOption, numberOption, optionOf, wordOption } from '../../../grammar/stages/options.ts'
import type { Value } from '../../../storage/value.ts'
import type { Row } from '../row.ts'
import type { TableReference } from './index.ts'
import {
  columnsAfter,
  fourDecimals,
  groupsBy,
  inUnit,
  mean,
  measure,
  median,
  quantile,
  significant,
  total,
  unitOf,
  withFields,
} from './rows.ts'

interface Bounds {
  readonly low: number
  readonly high: number
  readonly scale: number
}

export const outliers: TableReference<AstOutliers> = (stage, { rows, columns }, evaluate) => {
  const field = optionOf(stage.options, 'field')!
  const method = wordOption(stage.options, 'method') ?? 'iqr'
  const usual = method === 'iqr' ? 1.5 : method === 'zscore' ? 3 : 3.5
  const threshold = numberOption(stage.options, 'threshold') ?? usual
  const isMarking = boolOption(stage.options, 'mark') ?? false
  const unit = unitOf(rows.map(row => evaluate(field, row)))
  const numberOf = (row: Row): number | null => measure(evaluate(field, row), unit)
  const told = new Map<
    Row,
    { readonly isOut: boolean; readonly score: Value; readonly lower: Value; readonly upper: Value }
  >()
  for (const group of groupsBy(rows, stage.by, evaluate)) {
    const numbers = group.rows.map(numberOf).filter(number => number !== null)
    if (numbers.length === 0) continue
    const { low, high, scale } = boundsOf(numbers, method)
    const [lower, upper] = [low - threshold * scale, high + threshold * scale]
    if (!Number.isFinite(lower) || !Number.isFinite(upper)) continue
    const show = (bound: number): Value => inUnit(unit === 'datetime' ? bound : significant(bound, 6), unit)
    for (const row of group.rows) {
      const number = numberOf(row)
      if (number === null) continue
      const beyond = number > high ? number - high : number < low ? number - low : 0
      const score = scale === 0 ? 0 : fourDecimals(beyond / scale)
      told.set(row, { isOut: number < lower || number > upper, score, lower: show(lower), upper: show(upper) })
    }
  }
  const result = rows.flatMap(row => {
    const { isOut, ...shown } = told.get(row) ?? { isOut: false, score: null, lower: null, upper: null }
    if (isMarking) return [withFields(row, { ...shown, is_outlier: isOut })]
    return isOut ? [withFields(row, shown)] : []
  })
  const added = ['score', 'lower', 'upper', ...(isMarking ? ['is_outlier'] : [])]
  return { rows: result, columns: columnsAfter(columns, added) }
}

function boundsOf(unsorted: readonly number[], method: string): Bounds {
  const numbers = unsorted.toSorted((a, b) => a - b)
  const center = mean(numbers)
  if (method === 'zscore') {
    const isFlat = numbers.every(number => number === numbers[0])
    const variance = total(numbers.map(number => (number - center) ** 2)) / (numbers.length - 1)
    return { low: center, high: center, scale: isFlat ? 0 : Math.sqrt(variance) }
  }
  const middle = median(numbers)
  const deviations = numbers.map(number => Math.abs(number - middle))
  if (method === 'mad') {
    const scale = median(deviations) > 0 ? median(deviations) / 0.6745 : mean(deviations) * 1.253314
    return { low: middle, high: middle, scale }
  }
  const [low, high] = [quantile(numbers, 0.25), quantile(numbers, 0.75)]
  return { low, high, scale: high > low ? high - low : mean(deviations) * 1.253314 * 1.349 }
}
