/**
 * A block's rows a part at a time, for a thread that others wait for: what some operators do with 65,536 rows takes tens of milliseconds. What
 * has been decoded of the block serves all parts of it.
 *
 * Only while somebody waits, and only where the block before took long: rows of a part are read by way of a selection, and what is known of a
 * whole column is looked up again for each. Eight parts of a block cost `stats count() by host, status` three times what the block does, which
 * at 2 ms a block nobody would have waited for.
 */
import type { Batch } from './batch.ts'
import { selectedRange } from './collect.ts'

/** What a block may take in one go though others wait. */
const LONG_MS = 15
/** What a part should take. */
const PART_MS = 8
const PART_ROWS_MIN = 4096

export class Pace {
  readonly #isAnyoneWaiting: () => boolean
  /** Of the rows pushed last. */
  #msPerRow = 0

  constructor(isAnyoneWaiting: () => boolean) {
    this.#isAnyoneWaiting = isAnyoneWaiting
  }

  /** The rows of a batch, to be pushed one part after the other. */
  *parts(batch: Batch): Generator<Batch> {
    const { selectedCount } = batch
    for (let first = 0; first < selectedCount; ) {
      const last = Math.min(selectedCount, first + this.#rowsAtOnce(selectedCount - first))
      yield selectedRange(batch, first, last)
      first = last
    }
  }

  /** What pushing so many rows took. */
  note(rowCount: number, ms: number): void {
    this.#msPerRow = ms / rowCount
  }

  #rowsAtOnce(count: number): number {
    if (this.#msPerRow * count <= LONG_MS || !this.#isAnyoneWaiting()) return count
    return Math.max(PART_ROWS_MIN, Math.floor(PART_MS / this.#msPerRow))
  }
}
