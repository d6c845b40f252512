/** The rows of a join's right side, held until the left side has passed, and their columns, put together when somebody reads one. */
import { DateTime, type Value } from '../../../storage/value.ts'
import { MISSING, NULL, PRESENT, type Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { isNowhere, shownAs } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { bytesOfVector } from '../../spill/size.ts'

/** Rough cost of one value of a column that was put together. */
const VALUE_BYTES = 16

/** A column by row number: `at` gives the values of rows counted from 1, missing for 0, and what is shown of them. */
export interface RightColumn {
  at(rows: Uint32Array): Vector
}

/** What is worth keeping of a batch: where few of its rows are selected, those alone. */
export function heldBatch(batch: Batch): Batch {
  const { selection, selectedCount, rowCount } = batch
  if (selection === null || selectedCount * 2 > rowCount) return batch
  return batch.at(selection.slice(0, selectedCount))
}

/** As rows of the right side: their columns are put together besides, where they are read. */
export function bytesOfHeld(batch: Batch): number {
  return bytesOfBatch(batch) + batch.selectedCount * batch.names.length * VALUE_BYTES
}

/** With every column decoded: whoever holds the batch will read it. */
export function bytesOfBatch(batch: Batch): number {
  return batch.names.reduce((bytes, name) => bytes + bytesOfVector(batch.column(name)), 0)
}

export class RightRows {
  readonly batches: Batch[] = []
  readonly #names = new Set<string>()
  readonly #columns = new Map<string, RightColumn>()

  /** As `heldBatch` gives it. */
  add(batch: Batch): void {
    this.batches.push(batch)
    for (const name of batch.names) this.#names.add(name)
  }

  get names(): readonly string[] {
    return [...this.#names]
  }

  column(name: string): RightColumn {
    let column = this.#columns.get(name)
    if (column === undefined) {
      column = columnOf(this.#values(batch => batch.column(name)))
      const isWhole = !this.#names.has(name) || this.batches.every(batch => shownBy(batch, name) === batch.column(name))
      if (!isWhole) column = showing(column, columnOf(this.#values(batch => shownBy(batch, name))))
      this.#columns.set(name, column)
    }
    return column
  }

  /** By row number; the first belongs to no row. */
  #values(vectorOf: (batch: Batch) => Vector): Value[] {
    const values: Value[] = [undefined]
    for (const batch of this.batches) {
      const vector = vectorOf(batch)
      for (let n = 0; n < batch.selectedCount; n++) {
        values.push(valueAt(vector, batch.selection === null ? n : batch.selection[n]!))
      }
    }
    return values
  }
}

/** What another batch has as a field, this one may put together from members, which then are its fields: of that it shows nothing. */
function shownBy(batch: Batch, name: string): Vector {
  const vector = batch.column(name)
  return shownAs(vector, batch.names.includes(name) || isNowhere(vector))
}

/** An event shows less of an object whose members stand beside it. */
function showing(whole: RightColumn, shown: RightColumn): RightColumn {
  return {
    at(rows) {
      const vector = whole.at(rows)
      const values = Array.from(rows, (_, row) => valueAt(vector, row))
      return { kind: 'any', rowCount: rows.length, values, shown: shown.at(rows) }
    },
  }
}

/** Numbers and times stay what kernels are fastest with; anything else is a dictionary whose codes are the row numbers. */
function columnOf(values: readonly Value[]): RightColumn {
  let numbers = 0
  let times = 0
  let absent = 0
  for (const value of values) {
    if (typeof value === 'number') numbers++
    else if (value === undefined || value === null) absent++
    else if (value instanceof DateTime && value.nanos === 0) times++
    else break
  }
  if (numbers > 0 && numbers + absent === values.length) {
    const lane = Float64Array.from(values, value => (typeof value === 'number' ? value : 0))
    return laneColumn(lane, presenceOf(values), (rowCount, taken, presence) => ({
      kind: 'number',
      rowCount,
      values: taken,
      presence,
    }))
  }
  if (times > 0 && times + absent === values.length) {
    const lane = Float64Array.from(values, value => (value instanceof DateTime ? value.micros : 0))
    return laneColumn(lane, presenceOf(values), (rowCount, micros, presence) => ({
      kind: 'time',
      rowCount,
      micros,
      nanos: null,
      presence,
    }))
  }
  const dictionary = { values, repeats: true as const }
  return { at: rows => ({ kind: 'dict', rowCount: rows.length, codes: rows, dictionary }) }
}

function presenceOf(values: readonly Value[]): Uint8Array {
  return Uint8Array.from(values, value => (value === undefined ? MISSING : value === null ? NULL : PRESENT))
}

function laneColumn(
  lane: Float64Array,
  present: Uint8Array,
  vectorOf: (rowCount: number, values: Float64Array, presence: Uint8Array | null) => Vector,
): RightColumn {
  return {
    at(rows) {
      const values = new Float64Array(rows.length)
      const presence = new Uint8Array(rows.length)
      let isWhole = true
      for (let n = 0; n < rows.length; n++) {
        const row = rows[n]!
        values[n] = lane[row]!
        presence[n] = present[row]!
        if (presence[n] !== PRESENT) isWhole = false
      }
      return vectorOf(rows.length, values, isWhole ? null : presence)
    },
  }
}
