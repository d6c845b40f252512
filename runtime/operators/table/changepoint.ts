/** changepoint: each series cut where cutting pays, and what is on the two sides of each cut. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, vectorOf } from '../../column-batch.ts'
import { CHANGE_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { quantile } from './fences.ts'
import { inUnit, rounded, type Unit } from './measures.ts'
import { cutSeries, slopeOf } from './segments.ts'
import { type Series, SeriesRows } from './series.ts'
import type { TableRun } from './table.ts'

interface Change {
  readonly row: number
  readonly group: number
  readonly values: readonly Value[]
}

export class ChangepointOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'changepoint'>
  readonly #rows: SeriesRows

  constructor(run: TableRun<'changepoint'>) {
    this.#run = run
    this.#rows = new SeriesRows(run.context, run.inputs, 'changepoint')
  }

  push(batch: Batch): void {
    this.#rows.add(batch)
  }

  finish(): void {
    const { next, options } = this.#run
    const { series, unit } = this.#rows.series()
    const { times, keys } = this.#rows
    const changes = series.flatMap(each => this.#changesOf(each, unit))
    changes.sort((a, b) => times.between(b.row, a.row) || keys.compare(a.group, b.group) || a.row - b.row)
    if (changes.length > 0) {
      const columns = new Map([['_time', vectorOf(changes.map(({ row }) => times.at(row)))]])
      for (const [key, name] of options.keys.entries()) {
        columns.set(name, vectorOf(changes.map(({ group }) => keys.value(group, key))))
      }
      for (const [index, name] of CHANGE_COLUMNS.entries()) {
        columns.set(name, vectorOf(changes.map(({ values }) => values[index])))
      }
      next.push(batchOf(columns, changes.length))
    }
    next.finish()
  }

  #changesOf({ group, rows, numbers }: Series, unit: Unit): Change[] {
    const { model, penalty } = this.#run.options
    const { cuts, scores, joined } = cutSeries(numbers, model, penalty)
    if (joined > 1) {
      this.#run.context.count(`note:a series of ${rows.length} bins was looked at ${joined} bins at a time`)
    }
    const edges = [0, ...cuts, numbers.length]
    return cuts.map((cut, index) => {
      const [from, to] = [edges[index]!, edges[index + 2]!]
      const sides = [numbers.subarray(from, cut), numbers.subarray(cut, to)]
      const [before, after] = sides.map(side =>
        model === 'level' ? quantile(side.toSorted(), 0.5) : (rounded(slopeOf(side), 6) ?? 0),
      ) as [number, number]
      const change = after - before
      const percent = before === 0 ? null : rounded((100 * change) / Math.abs(before))
      const measured = [before, after, change].map(number => inUnit(number, unit === 'datetime' ? 'duration' : unit))
      return { row: rows[cut]!, group, values: [...measured, percent, rounded(scores[index]!)] }
    })
  }
}
