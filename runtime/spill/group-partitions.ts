/**
 * Groups that do not fit in memory, by partitions of their keys' hashes. Of one group there may be many states, each of the rows between two
 * times that memory was full; whoever reads a partition merges them, and where even that does not fit, writes partitions of its own.
 */
import type { Interner } from '../helpers/interner.ts'
import type { StateColumnSpec } from '../program.ts'
import { rowsInFrame } from './frame.ts'
import { decodeGroups, encodeGroups, type Groups, someGroups } from './group-frame.ts'
import { hashGroups, PARTITIONS, partitionOf } from './hash.ts'
import { LEVELS_MAX, PartitionedFile } from './partitioned-file.ts'
import type { Spill } from './space.ts'

export class GroupPartitions {
  readonly #file: PartitionedFile
  readonly #columns: readonly StateColumnSpec[]
  readonly #spill: Spill

  constructor(spill: Spill, stage: string, level: number, columns: readonly StateColumnSpec[]) {
    if (level > LEVELS_MAX) throw spill.refuse(stage, { kind: 'indivisible', what: 'the state of one group' })
    this.#file = new PartitionedFile(spill, stage, level)
    this.#columns = columns
    this.#spill = spill
  }

  get level(): number {
    return this.#file.level
  }

  /** @param width  bytes a group takes */
  write(groups: Groups, interner: Interner, width: number): void {
    const { level } = this.#file
    const hashes = hashGroups(groups.keys, groups.count)
    const ofPartition: number[][] = Array.from({ length: PARTITIONS }, () => [])
    for (let group = 0; group < groups.count; group++) ofPartition[partitionOf(hashes[group]!, level)]!.push(group)
    const atOnce = rowsInFrame(width, this.#spill.memoryBytes / (4 * PARTITIONS))
    for (const [partition, chosen] of ofPartition.entries()) {
      for (let start = 0; start < chosen.length; start += atOnce) {
        const some = someGroups(groups, Uint32Array.from(chosen.slice(start, start + atOnce)))
        this.#file.write(partition, encodeGroups(some, this.#columns, interner))
      }
    }
  }

  partitions(): number[] {
    return Array.from({ length: PARTITIONS }, (_, partition) => partition).filter(each => !this.#file.isEmpty(each))
  }

  /** The states of a partition, in the order they were written. @param interner  asked each time: it may change meanwhile */
  *read(partition: number, keyCount: number, interner: () => Interner): Generator<Groups> {
    for (const raw of this.#file.read(partition)) yield decodeGroups(raw, keyCount, this.#columns, interner())
  }

  remove(): void {
    this.#file.remove()
  }
}
