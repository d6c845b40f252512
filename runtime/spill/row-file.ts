/** Rows in a temporary file in the order they came, to be read again from the first. */
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { Frame } from './frame.ts'
import { batchOfFrame, compacted, frameOf } from './frame-batch.ts'
import type { Spill } from './space.ts'
import type { SpillFile } from './spill-file.ts'

export interface WrittenRows {
  readonly batch: Batch
  extra(index: number): Vector
}

export class RowFile {
  readonly #file: SpillFile

  constructor(spill: Spill, stage: string) {
    this.#file = spill.create(stage)
  }

  /** The selected rows; extras have a row for each of these. */
  add(batch: Batch, extras: readonly Vector[]): void {
    if (batch.selectedCount > 0) this.#file.write(frameOf(compacted(batch), extras))
  }

  /** Batch by batch, as they were added. */
  *read(): Generator<WrittenRows> {
    let rows = 0
    for (let frame = 0; frame < this.#file.frameCount; frame++) {
      const read = new Frame(this.#file.read(frame))
      yield { batch: batchOfFrame(read, rows), extra: index => read.extra(index) }
      rows += read.rowCount
    }
  }

  remove(): void {
    this.#file.remove()
  }
}
