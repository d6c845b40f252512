/** correlate: columns in pairs, by the measure their values call for. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, vectorOf } from '../../column-batch.ts'
import { keyOf } from '../../helpers/compare.ts'
import { CORRELATE_COLUMNS, type CorrelateMethod } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { cramersV, eta, pearson, spearman } from './association.ts'
import { measuresOf, toDecimals } from './measures.ts'
import { CollectedRows, type TableRun } from './table.ts'

interface Column {
  readonly name: string
  readonly kind: 'numbers' | 'bools' | 'categories'
  /** NaN where the value is no number. */
  readonly numbers: Float64Array
  /** Dense numbers of the different values; -1 where there is none. */
  readonly codes: Int32Array
}

/** Of one value: boxed, as a number and as a code. */
const VALUE_BYTES = 44

export class CorrelateOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'correlate'>
  readonly #collected: CollectedRows

  constructor(run: TableRun<'correlate'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'correlate')
  }

  push(batch: Batch): void {
    const { context, options } = this.#run
    context.memory.charge(batch.selectedCount * VALUE_BYTES * options.names.length, 'correlate')
    this.#collected.add(batch)
  }

  finish(): void {
    const { options, inputs, next } = this.#run
    const columns = options.names.map((name, index) =>
      columnOf(name, this.#collected.values(inputs[`v${index}`] as string)),
    )
    const rows = columns.flatMap((a, index) =>
      columns.slice(index + 1).map(b => correlated(a, b, options.method ?? methodFor(a, b))),
    )
    rows.sort((a, b) => strength(b) - strength(a))
    next.push(
      batchOf(
        new Map(CORRELATE_COLUMNS.map((name, index) => [name, vectorOf(rows.map(row => row[index]))])),
        rows.length,
      ),
    )
    next.finish()
  }
}

/** Null is weaker than any. */
function strength([, , , correlation]: readonly Value[]): number {
  return typeof correlation === 'number' ? Math.abs(correlation) : -1
}

function columnOf(name: string, values: readonly Value[]): Column {
  const { numbers } = measuresOf(values)
  const codes = new Int32Array(values.length).fill(-1)
  const known = new Map<string | number, number>()
  let [present, bools, measured] = [0, 0, 0]
  for (const [row, value] of values.entries()) {
    if (value == null) continue
    const key = keyOf(value)
    let code = known.get(key)
    if (code === undefined) known.set(key, (code = known.size))
    codes[row] = code
    present++
    if (typeof value === 'boolean') {
      numbers[row] = Number(value)
      bools++
    } else if (!Number.isNaN(numbers[row])) measured++
  }
  const kind = (bools + measured) * 2 < present ? 'categories' : measured > 0 ? 'numbers' : 'bools'
  return { name, kind, numbers, codes }
}

function methodFor(a: Column, b: Column): CorrelateMethod {
  if (a.kind !== 'categories' && b.kind !== 'categories') return 'pearson'
  return a.kind === 'numbers' || b.kind === 'numbers' ? 'eta' : 'cramers_v'
}

function correlated(a: Column, b: Column, method: CorrelateMethod): Value[] {
  const { value, n } = measured(a, b, method)
  return [a.name, b.name, method, value === null ? null : toDecimals(value), n]
}

function measured(
  a: Column,
  b: Column,
  method: CorrelateMethod,
): { readonly value: number | null; readonly n: number } {
  switch (method) {
    case 'pearson':
    case 'spearman': {
      const rows = rowsWith(a.codes, row => !Number.isNaN(a.numbers[row]) && !Number.isNaN(b.numbers[row]))
      const [x, y] = [rows.map(row => a.numbers[row]!), rows.map(row => b.numbers[row]!)]
      return { value: method === 'pearson' ? pearson(x, y) : spearman(x, y), n: rows.length }
    }
    case 'cramers_v': {
      const rows = rowsWith(a.codes, row => a.codes[row]! >= 0 && b.codes[row]! >= 0)
      const [x, y] = [rows.map(row => a.codes[row]!), rows.map(row => b.codes[row]!)]
      return { value: cramersV(x, y), n: rows.length }
    }
    case 'eta': {
      // The one that has numbers is explained by the other; of two numbers the second is.
      const [category, number] = b.kind === 'categories' ? [b, a] : [a, b]
      const rows = rowsWith(a.codes, row => category.codes[row]! >= 0 && !Number.isNaN(number.numbers[row]))
      const [x, y] = [rows.map(row => category.codes[row]!), rows.map(row => number.numbers[row]!)]
      return { value: eta(x, y), n: rows.length }
    }
  }
}

function rowsWith({ length }: Int32Array, isIn: (row: number) => boolean): number[] {
  const rows: number[] = []
  for (let row = 0; row < length; row++) if (isIn(row)) rows.push(row)
  return rows
}
