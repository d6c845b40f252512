/** Batches as frames of temporary files, and frames as batches again: names, columns, and what may be read besides. */
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { ColumnBatch } from '../column-batch.ts'
import { derivedColumn } from '../object-fields.ts'
import { encodeFrame, type Frame, type NamedColumn } from './frame.ts'

/** No field of an event, but an operator above may ask for it. */
const BESIDE = 'index'

/** The bytes of a batch without a selection; `extras` have a row for each of its rows. */
export function frameOf(batch: Batch, extras: readonly Vector[]): Uint8Array {
  const columns: NamedColumn[] = batch.names.map(name => [name, batch.column(name)])
  if (!batch.names.includes(BESIDE)) {
    const beside = batch.column(BESIDE)
    if (beside.kind !== 'const' || beside.value !== undefined) columns.push([BESIDE, beside])
  }
  return encodeFrame(batch.rowCount, extras, columns, batch.names.length)
}

export function batchOfFrame(frame: Frame, rowOrderBase: number): Batch {
  const { rowCount, names } = frame
  const rows = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
  const batch: ColumnBatch = new ColumnBatch(rows, names, name => {
    return frame.column(name) ?? derivedColumn(name, names, field => batch.column(field), rowCount)
  })
  return batch
}

/** The selected rows alone. */
export function compacted(batch: Batch): Batch {
  const { selection, selectedCount } = batch
  return selection === null ? batch : batch.at(selection.subarray(0, selectedCount))
}
