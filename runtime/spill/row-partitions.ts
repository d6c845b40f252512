/**
 * Rows by partitions of the hashes of some of their columns: what has the same keys comes back together, in the order it was written, however
 * many rows lie between. For whatever joins, groups or tells apart rows that memory cannot hold at once.
 */
import type { NumberVector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { gather, type RowRef } from '../column-batch.ts'
import { Frame, rowsInFrame } from './frame.ts'
import { batchOfFrame, compacted, frameOf } from './frame-batch.ts'
import { type HashedColumn, hashRows, PARTITIONS, partitionOf } from './hash.ts'
import { LEVELS_MAX, PartitionedFile } from './partitioned-file.ts'
import { widthOf } from './size.ts'
import type { Spill } from './space.ts'

const SPARSE = 4
/** A batch of this many rows is not kept in memory for the sake of fuller frames. */
const LARGE_BATCH = 4096

export interface PartitionedRows {
  readonly batch: Batch
  /** The number each row was written with. */
  readonly orders: Float64Array
}

interface Pending {
  rows: RowRef[]
  orders: number[]
}

export class RowPartitions {
  readonly #file: PartitionedFile
  readonly #columns: readonly HashedColumn[]
  readonly #spill: Spill
  #pending: Pending[] = []
  #width = 0

  constructor(spill: Spill, stage: string, level: number, columns: readonly HashedColumn[]) {
    if (level > LEVELS_MAX) throw spill.refuse(stage, { kind: 'indivisible', what: 'the rows of one key' })
    this.#file = new PartitionedFile(spill, stage, level)
    this.#columns = columns
    this.#spill = spill
    this.#clear()
  }

  get level(): number {
    return this.#file.level
  }

  #clear(): void {
    this.#pending = Array.from({ length: PARTITIONS }, () => ({ rows: [], orders: [] }))
  }

  /** @param orders  a number for each selected row, which comes back with it */
  add(batch: Batch, orders: Float64Array): void {
    const { selection, selectedCount, rowCount } = batch
    if (selectedCount === 0) return
    const hashes = hashRows(batch, this.#columns)
    // Of a block of which few rows are wanted, the others are not read.
    const isSparse = selectedCount * SPARSE < rowCount
    const source = isSparse ? compacted(batch) : batch
    this.#width = Math.max(this.#width, widthOf(source))
    const frameRows = rowsInFrame(this.#width, this.#spill.memoryBytes / (4 * PARTITIONS))
    for (let n = 0; n < selectedCount; n++) {
      const partition = partitionOf(hashes[n]!, this.#file.level)
      const pending = this.#pending[partition]!
      pending.rows.push({ batch: source, row: isSparse || selection === null ? n : selection[n]! })
      pending.orders.push(orders[n]!)
      if (pending.rows.length >= frameRows) this.#flush(partition)
    }
    if (rowCount >= LARGE_BATCH) this.#flushAll()
  }

  #flush(partition: number): void {
    const { rows, orders } = this.#pending[partition]!
    if (rows.length === 0) return
    const order: NumberVector = {
      kind: 'number',
      rowCount: rows.length,
      values: Float64Array.from(orders),
      presence: null,
    }
    this.#file.write(partition, frameOf(gather(rows, 0), [order]))
    this.#pending[partition] = { rows: [], orders: [] }
  }

  #flushAll(): void {
    for (let partition = 0; partition < PARTITIONS; partition++) this.#flush(partition)
  }

  /** Those with rows in them. Nothing may be added from here on. */
  partitions(): number[] {
    this.#flushAll()
    return Array.from({ length: PARTITIONS }, (_, partition) => partition).filter(each => !this.#file.isEmpty(each))
  }

  /** The rows of a partition, as they were added; again and again, if need be. */
  *read(partition: number): Generator<PartitionedRows> {
    let rows = 0
    for (const raw of this.#file.read(partition)) {
      const frame = new Frame(raw)
      const { values } = frame.extra(0) as NumberVector
      yield { batch: batchOfFrame(frame, rows), orders: Float64Array.from(values) }
      rows += frame.rowCount
    }
  }

  remove(): void {
    this.#file.remove()
  }
}
