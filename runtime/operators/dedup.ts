/**
 * dedup: the first N rows of each key, in order. Null and missing are one key. Rows pass as they come for as long as the keys seen fit in
 * memory; from then on what may still be a first row goes to disk, by partitions of the keys, and is given out in order at the end.
 */
import type { Batch } from '../batch.ts'
import { batchOf, vectorOf, withSelection } from '../column-batch.ts'
import { Interner } from '../helpers/interner.ts'
import type { DedupSpec } from '../program.ts'
import { RowPartitions } from '../spill/row-partitions.ts'
import { widthOf } from '../spill/size.ts'
import { frameRowsFor, SortedRuns } from '../spill/sorted-runs.ts'
import { compareBy } from '../spill/spilling-sort.ts'
import { GroupTable } from './group-table.ts'
import type { Operator, RunContext } from './operator.ts'

/** Rough cost of one remembered key: its place in the table, and of each of its fields. */
const GROUP_BYTES = 32
const KEY_BYTES = 112
const OUTPUT_ROWS = 8192

type Accept = (batch: Batch, orders: Float64Array) => void

export class DedupOperator implements Operator {
  readonly #spec: DedupSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #firsts: FirstRows
  #rows = 0

  constructor(spec: DedupSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#firsts = new FirstRows(spec, context, 0, batch => next.push(batch))
  }

  get isDone(): boolean {
    return this.#next.isDone
  }

  push(batch: Batch): void {
    const first = this.#rows
    this.#rows += batch.selectedCount
    this.#firsts.add(batch, null, first)
  }

  finish(): void {
    const rest = this.#firsts.finish()
    if (rest === null) this.#next.finish()
    else this.#context.defer(this.#fromDisk(rest))
  }

  *#fromDisk(rest: RowPartitions): Generator<void> {
    const { spill } = this.#context
    const runs = new SortedRuns(spill, 'dedup', 0, compareBy([]))
    let atOnce = 1
    const accept: Accept = (batch, orders) => {
      atOnce = frameRowsFor(widthOf(batch), spill.memoryBytes)
      runs.appendRows(Array.from(orders, (order, n) => ({ batch, row: batch.selection![n]!, keys: [], order })))
    }
    yield* this.#read(rest, runs, accept)
    for (const { batch } of runs.merged(Math.min(OUTPUT_ROWS, 4 * atOnce))) {
      if (this.#next.isDone) break
      this.#next.push(batch)
      yield
    }
    this.#next.finish()
  }

  /** The first rows of each partition are a run. */
  *#read(partitions: RowPartitions, runs: SortedRuns, accept: Accept): Generator<void> {
    for (const partition of partitions.partitions()) {
      runs.begin()
      const firsts = new FirstRows(this.#spec, this.#context, partitions.level + 1, accept)
      for (const { batch, orders } of partitions.read(partition)) {
        firsts.add(batch, orders)
        yield
      }
      const rest = firsts.finish()
      if (rest !== null) yield* this.#read(rest, runs, accept)
    }
    partitions.remove()
  }
}

/** Tells first rows from others as long as memory lasts. */
class FirstRows {
  readonly #spec: DedupSpec
  readonly #context: RunContext
  readonly #level: number
  readonly #accept: Accept
  #groups: GroupTable
  #seen = new Uint32Array(1024)
  #heldBytes = 0
  /** What may be first rows, or rows that were, since memory was full. */
  #rest: RowPartitions | null = null

  constructor(spec: DedupSpec, context: RunContext, level: number, accept: Accept) {
    this.#spec = spec
    this.#context = context
    this.#level = level
    this.#accept = accept
    this.#groups = this.#newTable(level > 0)
  }

  #newTable(isOwn: boolean): GroupTable {
    const keys = this.#spec.fields.map(field => ({ field, binMicros: null }))
    return new GroupTable(keys, isOwn ? new Interner() : undefined)
  }

  /**
   * @param orders  where each selected row stands among all; below zero it is no row, but a key that was seen so many times before all rows
   * beside it. Null: one after the other, from `first` on.
   */
  add(batch: Batch, orders: Float64Array | null, first = 0): void {
    const before = this.#groups.count
    this.#groups.prepare(batch)
    const assigned = new Uint32Array(batch.selectedCount)
    this.#groups.assign(batch, assigned)
    if (this.#seen.length < this.#groups.count) {
      const seen = new Uint32Array(Math.max(this.#groups.count, this.#seen.length * 2))
      seen.set(this.#seen)
      this.#seen = seen
    }
    const kept = new Uint32Array(batch.selectedCount)
    // Nobody asks where rows stand that go on at once.
    const keptOrders = new Float64Array(orders === null && this.#rest === null ? 0 : batch.selectedCount)
    let count = 0
    for (let n = 0; n < batch.selectedCount; n++) {
      const group = assigned[n]!
      const order = orders === null ? first + n : orders[n]!
      if (order < 0 && this.#rest === null) {
        this.#seen[group]! -= order
        continue
      }
      if (order >= 0) {
        if (this.#seen[group]! >= this.#spec.count) continue
        this.#seen[group]!++
      }
      keptOrders[count] = order
      kept[count++] = batch.selection === null ? n : batch.selection[n]!
    }
    if (count > 0) {
      const rows = withSelection(batch, kept, count)
      if (this.#rest === null) this.#accept(rows, keptOrders.subarray(0, count))
      else this.#rest.add(rows, keptOrders)
    }
    const bytes = (this.#groups.count - before) * (GROUP_BYTES + this.#spec.fields.length * KEY_BYTES)
    this.#heldBytes += bytes
    if (!this.#context.memory.hold(bytes)) this.#makeRoom()
  }

  /** The keys seen go to disk, where the rows to come will follow; of those no more is remembered than to leave out some of them. */
  #makeRoom(): void {
    const { fields } = this.#spec
    if (this.#rest === null) {
      const columns = fields.map(field => ({ field, binMicros: null }))
      this.#rest = new RowPartitions(this.#context.spill, 'dedup', this.#level, columns)
      const { count } = this.#groups
      const keys = batchOf(new Map(fields.map((field, key) => [field, vectorOf(this.#groups.valuesOf(key))])), count)
      this.#rest.add(
        keys,
        Float64Array.from(this.#seen.subarray(0, count), seen => -seen),
      )
    }
    this.#letGo()
    this.#groups = this.#newTable(true)
    this.#seen = new Uint32Array(1024)
  }

  #letGo(): void {
    this.#context.memory.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  /** What is still to be told apart; null: nothing, all first rows have been accepted. */
  finish(): RowPartitions | null {
    this.#letGo()
    return this.#rest
  }
}
