/**
 * A block's rows a part at a time, for a thread that others wait for: what some conditions and operators do with 65,536 rows takes a second.
 * What has been decoded of the block serves all parts of it.
 *
 * Only where others wait, and only where the rows before took long: rows of a part are read by way of a selection, and what is known of a
 * whole column is looked up again for each. Eight parts of a block cost `stats count() by host, status` three times what the block does, which
 * at 2 ms a block nobody would have waited for.
 */
import type { Batch } from './batch.ts'
import { selectedRange } from './collect.ts'

/** What may be done in one go though others wait. */
const LONG_MS = 8
/** What a part should take. */
const PART_MS = 5
const PART_ROWS_MIN = 256
/** With this many the first look is taken at what nothing is known of: a hard pattern takes 50 µs a row. */
const PROBE_ROWS = 512
/** Half the rows in more than this share of the time: the time is not the rows'. */
const GAIN_MIN = 0.7
const WHOLE_BLOCKS = 16

export class Pace {
  readonly #mustGiveWay: () => boolean
  /** Of the rows done last. */
  #last: { readonly rowCount: number; readonly ms: number } | null = null
  /** Blocks to be taken whole, because parts took as long: searching a whole block for each, say. */
  #wholeBlocks = 0

  constructor(mustGiveWay: () => boolean) {
    this.#mustGiveWay = mustGiveWay
  }

  /** The rows of a batch, to be done one part after the other, each told to `note`. */
  *parts(batch: Batch): Generator<Batch> {
    const { selectedCount } = batch
    if (this.#wholeBlocks > 0) this.#wholeBlocks--
    for (let first = 0; first < selectedCount; ) {
      const last = Math.min(selectedCount, first + this.#rowsAtOnce(selectedCount - first))
      yield selectedRange(batch, first, last)
      first = last
    }
  }

  /** What so many rows took. */
  note(rowCount: number, ms: number): void {
    const last = this.#last
    if (last !== null && ms > PART_MS && rowCount * 2 <= last.rowCount && ms > last.ms * GAIN_MIN)
      this.#wholeBlocks = WHOLE_BLOCKS
    this.#last = { rowCount, ms }
  }

  #rowsAtOnce(count: number): number {
    if (this.#wholeBlocks > 0 || !this.#mustGiveWay()) return count
    if (this.#last === null) return PROBE_ROWS
    const msPerRow = this.#last.ms / this.#last.rowCount
    return msPerRow * count <= LONG_MS ? count : Math.max(PART_ROWS_MIN, Math.floor(PART_MS / msPerRow))
  }
}
