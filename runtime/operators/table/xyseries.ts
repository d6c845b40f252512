/** xyseries: a cell for each pair of x and y, the last one to be there; then a table with a column for each y. */
import type { Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, vectorOf } from '../../column-batch.ts'
import { compareValues, keyOf } from '../../helpers/compare.ts'
import { DataError } from '../../helpers/errors.ts'
import { toText } from '../../helpers/format-value.ts'
import { valueAt } from '../../helpers/vectors.ts'
import type { Operator } from '../operator.ts'
import type { TableRun } from './table.ts'

const CELL_BYTES = 48

export function xyseriesOperator(run: TableRun<'xyseries'>): Operator {
  return new XyseriesOperator(run)
}

/** How a value of y is called as a column. */
export function columnOf(y: Value): string {
  return toText(y) ?? 'null'
}

class XyseriesOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'xyseries'>
  readonly #rows = new Map<string | number, number>()
  readonly #xs: Value[] = []
  /** By name: the value it stands for, and cells by row. */
  readonly #columns = new Map<string, { readonly y: Value; readonly cells: Value[] }>()

  constructor(run: TableRun<'xyseries'>) {
    this.#run = run
  }

  push(batch: Batch): void {
    const { inputs, context } = this.#run
    const [x, y, value] = ['x', 'y', 'value'].map(name => batch.column(inputs[name]!)) as [Vector, Vector, Vector]
    context.memory.charge(batch.selectedCount * CELL_BYTES, 'xyseries')
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      this.#columnFor(valueAt(y, row))[this.#rowFor(valueAt(x, row))] = valueAt(value, row) ?? null
    }
  }

  #rowFor(x: Value): number {
    const key = keyOf(x)
    let at = this.#rows.get(key)
    if (at === undefined) {
      at = this.#xs.push(x ?? null) - 1
      this.#rows.set(key, at)
    }
    return at
  }

  #columnFor(y: Value): Value[] {
    const name = columnOf(y)
    let column = this.#columns.get(name)
    if (column === undefined) {
      const { name: x, limit } = this.#run.options
      if (name === x) {
        throw new DataError(`xyseries: a value of y is '${name}', and the column of x has that name; rename x first`)
      }
      if (this.#columns.size === limit) {
        throw new DataError(
          `xyseries: more than ${limit} different values of y; keep the most important ones, or say limit=${limit * 10}`,
        )
      }
      column = { y: y ?? null, cells: [] }
      this.#columns.set(name, column)
    }
    return column.cells
  }

  finish(): void {
    const { next, options } = this.#run
    const rowCount = this.#xs.length
    const columns = new Map<string, Vector>([[options.name, vectorOf(this.#xs)]])
    for (const [name, { cells }] of [...this.#columns].sort(([, a], [, b]) => compareValues(a.y, b.y))) {
      columns.set(name, vectorOf(Array.from({ length: rowCount }, (_, row) => cells[row] ?? null)))
    }
    if (rowCount > 0) next.push(batchOf(columns, rowCount))
    next.finish()
  }
}
