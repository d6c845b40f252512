/** Batches of an answer on their way from the thread that made it: some rows at a time, and unpacked a column at a time when it is read. */
import { type PackedBlock, Packer, Unpacker } from '../../storage/build/handover.ts'
import { withOwnValues } from '../../storage/dictionary.ts'
import { pickRows } from '../../storage/pick.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { selectedRange } from '../collect.ts'
import { batchOf } from '../column-batch.ts'

/** What is packed, sent and unpacked in about a millisecond. */
const ROWS_AT_ONCE = 2048

/** @param rowsMax  of all there are; the rest is left out */
export function* packedBatches(batch: Batch, rowsMax: number = batch.selectedCount): Generator<PackedBlock> {
  const count = Math.min(batch.selectedCount, rowsMax)
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const rows = selectedRange(batch, first, Math.min(count, first + ROWS_AT_ONCE))
    const { selection, selectedCount } = rows
    const columns = new Map<string, Vector>()
    for (const name of rows.names) {
      const vector = batch.column(name)
      const own = selection === null ? vector : pickRows(vector, selection.subarray(0, selectedCount))
      columns.set(name, withOwnValues(own))
    }
    yield new Packer(bytes => new Uint8Array(bytes)).pack({ rowCount: selectedCount, columns }).block
  }
}

export function receivedBatch(block: PackedBlock): Batch {
  const { rowCount, columns } = new Unpacker().unpack(block)
  return batchOf(columns, rowCount)
}
