/** Event time of a block, from its `_time` column: the bounds every reader prunes by, and whether rows come in order. */
import { DateTime } from '../value.ts'
import type { TimeVector, Vector } from '../vector.ts'
import type { BlockColumns } from './columns.ts'
import { factsOf } from './encodings/number-loop.ts'

export interface BlockTimes {
  readonly minTime: DateTime
  readonly maxTime: DateTime
  readonly timeSorted: boolean
}

/** @throws {TypeError} when the block has no event time: nothing may be stored that no time range finds. */
export function timesOfBlock(block: BlockColumns): BlockTimes {
  const column: Vector | undefined = block.columns.get('_time')
  if (column?.kind === 'const' && column.value instanceof DateTime) {
    return { minTime: column.value, maxTime: column.value, timeSorted: true }
  }
  if (column?.kind !== 'time') throw new TypeError(`_time is ${column?.kind ?? 'not there'}, not a column of times`)
  return timesOfRows(column)
}

function timesOfRows(column: TimeVector): BlockTimes {
  const { micros, nanos } = column
  if (nanos === null && micros.length === column.rowCount) {
    const { min, max, isInOrder } = factsOf(micros)
    return { minTime: new DateTime(min, 0), maxTime: new DateTime(max, 0), timeSorted: isInOrder }
  }
  let minRow = 0
  let maxRow = 0
  let timeSorted = true
  for (let row = 1; row < column.rowCount; row++) {
    if (isBefore(micros, nanos, row, minRow)) minRow = row
    if (isBefore(micros, nanos, maxRow, row)) maxRow = row
    // In order means that no row is before the largest so far.
    else if (isBefore(micros, nanos, row, maxRow)) timeSorted = false
  }
  const at = (row: number) => new DateTime(micros[row]!, nanos?.[row] ?? 0)
  return { minTime: at(minRow), maxTime: at(maxRow), timeSorted }
}

function isBefore(micros: Float64Array, nanos: Uint16Array | null, left: number, right: number): boolean {
  if (micros[left] !== micros[right]) return micros[left]! < micros[right]!
  return nanos !== null && nanos[left]! < nanos[right]!
}
