/**
 * union: every input goes into the same operator, one input after the other. Rows keep their columns; their positions go on where
 * the input before ended, so that what depends on the order of rows (first, stable sorts) sees one input.
 */
import type { Batch } from '../batch.ts'
import { ColumnBatch } from '../column-batch.ts'
import { inletOf, type Operator } from './operator.ts'

export class UnionOperator {
  /** One to feed for each input; they are finished in this order. */
  readonly inputs: readonly Operator[]

  constructor(count: number, next: Operator) {
    let open = count
    /** Where the rows of the current input begin, and where they end so far: blocks may come newest first. */
    let base = 0
    let end = 0
    const push = (batch: Batch): void => {
      const moved = base === 0 ? batch : movedBy(batch, base)
      end = Math.max(end, moved.rowOrderBase + moved.rowCount)
      next.push(moved)
    }
    const finish = (): void => {
      base = end
      open--
      if (open === 0) next.finish()
    }
    this.inputs = Array.from({ length: count }, () => inletOf(next, push, finish))
  }
}

function movedBy(batch: Batch, rows: number): Batch {
  const { rowCount, selection, selectedCount, names } = batch
  const moved = { rowCount, selection, selectedCount, rowOrderBase: batch.rowOrderBase + rows }
  return new ColumnBatch(moved, names, name => batch.column(name))
}
