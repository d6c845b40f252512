/** head stops its input; tail holds on to the last rows only. */
import type { Batch } from '../batch.ts'
import { gather, narrowed, type RowRef, withSelection } from '../column-batch.ts'
import type { Operator } from './operator.ts'

export class HeadOperator implements Operator {
  #left: number
  readonly #next: Operator

  constructor(count: number, next: Operator) {
    this.#left = count
    this.#next = next
  }

  get isDone(): boolean {
    return this.#left <= 0 || this.#next.isDone
  }

  push(batch: Batch): void {
    if (this.#left <= 0) return
    const taken = Math.min(this.#left, batch.selectedCount)
    this.#left -= taken
    this.#next.push(taken === batch.selectedCount ? batch : withSelection(batch, firstRows(batch, taken), taken))
  }

  finish(): void {
    this.#next.finish()
  }
}

function firstRows(batch: Batch, count: number): Uint32Array {
  if (batch.selection !== null) return batch.selection.subarray(0, count)
  return Uint32Array.from({ length: count }, (_, row) => row)
}

export class TailOperator implements Operator {
  readonly isDone = false
  readonly #count: number
  readonly #next: Operator
  #batches: Batch[] = []
  #rows = 0

  constructor(count: number, next: Operator) {
    this.#count = count
    this.#next = next
  }

  push(batch: Batch): void {
    this.#batches.push(batch)
    this.#rows += batch.selectedCount
    while (this.#batches.length > 1 && this.#rows - this.#batches[0]!.selectedCount >= this.#count) {
      this.#rows -= this.#batches.shift()!.selectedCount
    }
  }

  finish(): void {
    let skip = Math.max(0, this.#rows - this.#count)
    const rows: RowRef[] = []
    for (const batch of this.#batches) {
      for (let n = 0; n < batch.selectedCount; n++) {
        if (skip > 0) skip--
        else rows.push({ batch, row: batch.selection === null ? n : batch.selection[n]! })
      }
    }
    if (rows.length > 0) this.#next.push(gather(narrowed(rows), 0))
    this.#batches = []
    this.#next.finish()
  }
}
