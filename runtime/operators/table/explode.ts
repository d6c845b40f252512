/** explode: a row for each element of an array. Blocks without an array go on as they are; rows are copied only where there is one. */
import type { Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { ColumnBatch, shownOf, vectorOf, wholeOf, withAdded } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { takeRows } from '../../take-rows.ts'
import type { Operator } from '../operator.ts'
import type { TableRun } from './table.ts'

const OUTPUT_ROWS = 8192

export class ExplodeOperator implements Operator {
  readonly #run: TableRun<'explode'>
  /** Where the next output row stands. */
  #position = 0

  constructor(run: TableRun<'explode'>) {
    this.#run = run
  }

  get isDone(): boolean {
    return this.#run.next.isDone
  }

  push(batch: Batch): void {
    const vector = batch.column(this.#run.inputs.array!)
    if (hasArray(vector, batch)) this.#explode(batch, vector)
    else this.#pass(batch, vector)
  }

  finish(): void {
    this.#run.next.finish()
  }

  #pass(batch: Batch, vector: Vector): void {
    const { rowCount, selection, selectedCount, names } = batch
    const size = { rowCount, selection, selectedCount, rowOrderBase: this.#advance(rowCount) }
    const placed = new ColumnBatch(size, names, name => batch.column(name))
    const { inputs, options, next } = this.#run
    next.push(options.as === inputs.array ? placed : withAdded(placed, new Map([[options.as, wholeOf(vector)]])))
  }

  #explode(batch: Batch, vector: Vector): void {
    const { next } = this.#run
    let taken = new Uint32Array(OUTPUT_ROWS)
    let values: Value[] = []
    const add = (row: number, value: Value): void => {
      taken[values.length] = row
      values.push(value)
      if (values.length < OUTPUT_ROWS) return
      this.#emit(batch, taken, values)
      taken = new Uint32Array(OUTPUT_ROWS)
      values = []
    }
    for (let n = 0; n < batch.selectedCount && !next.isDone; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const value = valueAt(vector, row)
      if (!Array.isArray(value)) add(row, value)
      else if (value.length === 0) add(row, null)
      else for (const element of value as readonly Value[]) add(row, element ?? null)
    }
    if (values.length > 0) this.#emit(batch, taken.subarray(0, values.length), values)
  }

  #emit(batch: Batch, taken: Uint32Array, values: readonly Value[]): void {
    const rowCount = values.length
    const size = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase: this.#advance(rowCount) }
    const rows = new ColumnBatch(size, batch.names, name => takeRows(batch.column(name), taken))
    const { inputs, options, next } = this.#run
    const made = vectorOf(values)
    // What was no array stays as it was, shown by its members where it was.
    const stays = options.as === inputs.array ? rows.column(options.as) : null
    next.push(withAdded(rows, new Map([[options.as, stays === null ? made : asShown(made, stays)]])))
  }

  #advance(rowCount: number): number {
    const at = this.#position
    this.#position += rowCount
    return at
  }
}

/** The elements, which show what the column before them showed where that shows less than it has. */
function asShown(made: Vector, before: Vector): Vector {
  const shown = shownOf(before)
  if (shown === before) return made
  const values = Array.from({ length: made.rowCount }, (_, row) => valueAt(made, row))
  const shownValues = values.map((value, row) => (valueAt(shown, row) === undefined ? undefined : value))
  return { kind: 'any', rowCount: made.rowCount, values, shown: vectorOf(shownValues) }
}

function hasArray(vector: Vector, { selection, selectedCount }: Batch): boolean {
  if (vector.kind === 'const') return Array.isArray(vector.value)
  if (vector.kind !== 'any' && vector.kind !== 'dict') return false
  for (let n = 0; n < selectedCount; n++) {
    if (Array.isArray(valueAt(vector, selection === null ? n : selection[n]!))) return true
  }
  return false
}
