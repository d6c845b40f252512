/** Rows as series, for changepoint and forecast. */
import type { AstExpr } from '../../../grammar/ast.ts'
import type { Value } from '../../../storage/value.ts'
import type { Row } from '../row.ts'
import { compareKeys, type Evaluate, groupsBy, inTimeOrder, measure, unitOf } from './rows.ts'

export interface Series {
  readonly keys: readonly Value[]
  /** Those that have a time and a number, in order of time. */
  readonly rows: readonly Row[]
  readonly numbers: readonly number[]
}

interface SeriesStage {
  readonly value: AstExpr
  readonly by: readonly AstExpr[]
}

export function seriesOf({ value, by }: SeriesStage, rows: readonly Row[], evaluate: Evaluate) {
  const unit = unitOf(rows.map(row => evaluate(value, row)))
  const numberOf = (row: Row): number | null => measure(evaluate(value, row), unit)
  const series = groupsBy(rows, by, evaluate).map((group): Series => {
    const own = inTimeOrder(group.rows).filter(row => numberOf(row) !== null)
    return { keys: group.keys, rows: own, numbers: own.map(row => numberOf(row)!) }
  })
  return { unit, series: series.toSorted((a, b) => compareKeys(a.keys, b.keys)) }
}
