/** A temporary file of frames that belong to partitions: what is too much to be held at once comes back a partition at a time. */
import { PARTITIONS } from './hash.ts'
import type { Spill } from './space.ts'
import type { SpillFile } from './spill-file.ts'

/** Partitions of partitions of … this deep hold keys that no hash tells apart. */
export const LEVELS_MAX = 8

export class PartitionedFile {
  /** 0 for what was written first; what does not fit when it is read goes to one of the next level. */
  readonly level: number
  readonly #file: SpillFile
  readonly #frames: number[][] = Array.from({ length: PARTITIONS }, () => [])

  constructor(spill: Spill, stage: string, level: number) {
    this.level = level
    this.#file = spill.create(stage)
  }

  write(partition: number, frame: Uint8Array): void {
    this.#frames[partition]!.push(this.#file.write(frame))
  }

  isEmpty(partition: number): boolean {
    return this.#frames[partition]!.length === 0
  }

  /** In the order they were written. */
  *read(partition: number): Generator<Uint8Array> {
    for (const frame of this.#frames[partition]!) yield this.#file.read(frame)
  }

  remove(): void {
    this.#file.remove()
  }
}
