/** Batches as frames of temporary files, and frames as batches again: names, columns, and what may be read besides. */
import type { ByteSink } from '../../storage/part/bytes.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { ColumnBatch, gather } from '../column-batch.ts'
import { derivedColumn } from '../object-fields.ts'
import { encodeFrame, type Frame, type NamedColumn } from './frame.ts'

/** No field of an event, but an operator above may ask for it. */
const BESIDE = 'index'

/** The bytes of a batch without a selection; `extras` have a row for each of its rows. */
export function frameOf(batch: Batch, extras: readonly Vector[], sink?: ByteSink): Uint8Array {
  const columns: NamedColumn[] = batch.names.map(name => [name, batch.column(name)])
  if (!batch.names.includes(BESIDE)) {
    const beside = batch.column(BESIDE)
    if (beside.kind !== 'const' || beside.value !== undefined) columns.push([BESIDE, beside])
  }
  return encodeFrame(batch.rowCount, extras, columns, sink)
}

/** `hasBeside`: `index` is one of the names, not only to be read. */
export function batchOfFrame(frame: Frame, rowOrderBase: number, names: readonly string[]): Batch {
  const { rowCount } = frame
  const rows = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
  const batch: ColumnBatch = new ColumnBatch(rows, names, name => {
    const own = frame.column(name)
    return own ?? derivedColumn(name, names, field => batch.column(field), rowCount)
  })
  return batch
}

/** The selected rows alone, in memory of their own. */
export function compacted(batch: Batch): Batch {
  if (batch.selection === null && batch.selectedCount === batch.rowCount) return batch
  const { selection, rowOrderBase } = batch
  const rows = Array.from({ length: batch.selectedCount }, (_, n) => ({
    batch,
    row: selection === null ? n : selection[n]!,
  }))
  return gather(rows, rowOrderBase)
}
