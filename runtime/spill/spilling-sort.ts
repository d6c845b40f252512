/**
 * Rows sorted in memory as long as they fit, and by runs on disk beyond that: the same rows in the same order. Rows are held as references;
 * their columns are read when rows are given out or written. With a limit only the first so many are held, and a boundary: a row, or by time
 * a whole block, that cannot beat the last of them is not looked at again.
 */
import { dividendsOf } from '../../storage/decimal-vector.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { gather, narrowed } from '../column-batch.ts'
import { compareValues } from '../helpers/compare.ts'
import { valueAt } from '../helpers/vectors.ts'
import type { Memory } from '../memory.ts'
import { boundaryAmong, within } from './best-rows.ts'
import { compacted } from './frame-batch.ts'
import { bytesOfValue, widthOf } from './size.ts'
import { type Compare, frameRowsFor, type SortedRow, type SortedRows, SortedRuns } from './sorted-runs.ts'
import type { Spill } from './space.ts'

const OUTPUT_ROWS = 8192
/** Rough cost of one held row: its reference and its place. */
const ROW_BYTES = 80
/** Of a block of which fewer rows than one in so many are wanted, only these are kept. */
const SPARSE = 4
/** A limit up to this needs no accounting: what it holds is little, whatever the data. */
const SMALL_LIMIT = 8192

export interface SortOptions {
  readonly memory: Memory
  readonly spill: Spill
  readonly stage: string
  readonly descending: readonly boolean[]
  /** Rows after so many are not wanted. */
  readonly limit: number | null
}

export class SpillingSort {
  readonly #options: SortOptions
  readonly #compare: Compare
  readonly #isCharged: boolean
  #held: SortedRow[] = []
  #heldBytes = 0
  #runs: SortedRuns | null = null
  #batches = 0
  /** Bytes a row takes with all its columns, and with its keys, as far as seen. */
  #width = 0
  #keyWidth = 0
  /** First key of the last row within the limit, when it is a plain number or time: what a row must beat. */
  #boundary: number | null = null

  constructor(options: SortOptions) {
    this.#options = options
    this.#compare = compareBy(options.descending)
    this.#isCharged = options.limit === null || options.limit > SMALL_LIMIT
  }

  get boundary(): number | null {
    return this.#boundary
  }

  get isSpilled(): boolean {
    return this.#runs !== null
  }

  /** @param orders  by position among the selected rows; null: where they stand in the input */
  add(batch: Batch, keys: readonly Vector[], orders: Float64Array | null = null): void {
    const { limit } = this.#options
    const { selection, selectedCount, rowCount, rowOrderBase } = batch
    if (selectedCount === 0) return
    const kept = limit === null && selectedCount * SPARSE < rowCount ? compacted(batch) : batch
    if (this.#isCharged) this.#weigh(limit === null ? kept : sampleOf(batch), batch, keys)
    const positions = this.#worthwhile(batch, keys[0])
    const count = positions?.length ?? selectedCount
    for (let at = 0; at < count; at++) {
      const n = positions === null ? at : positions[at]!
      const row = selection === null ? n : selection[n]!
      this.#held.push({
        batch: kept,
        row: kept === batch ? row : n,
        order: orders === null ? rowOrderBase + row : orders[n]!,
        keys: keys.map(vector => valueAt(vector, row)),
      })
      if (limit !== null && this.#held.length >= pruneAt(limit)) this.#prune(limit)
    }
    if (limit !== null && this.#held.length > limit) this.#prune(limit)
    if (this.#isCharged)
      this.#charge(
        limit === null
          ? this.#heldBytes + this.#bytesOf(selectedCount, kept.rowCount)
          : this.#bytesOf(this.#held.length, this.#held.length),
      )
  }

  #bytesOf(rows: number, rowsOfBatches: number): number {
    return Math.round(rows * (ROW_BYTES + this.#keyWidth) + rowsOfBatches * this.#width)
  }

  #charge(bytes: number): void {
    const { memory } = this.#options
    const more = bytes - this.#heldBytes
    this.#heldBytes = bytes
    if (!memory.hold(more)) this.#spill()
  }

  /** Every so often rows of a batch are weighed, with all columns they have; all of them will be read, sooner or later. */
  #weigh(rows: Batch, batch: Batch, keys: readonly Vector[]): void {
    this.#batches++
    if ((this.#batches & (this.#batches - 1)) !== 0) return
    this.#width = Math.max(this.#width, widthOf(rows))
    const row = batch.selection === null ? 0 : batch.selection[0]!
    const keyWidth = keys.reduce((sum, key) => sum + bytesOfValue(valueAt(key, row)), 0)
    this.#keyWidth = Math.max(this.#keyWidth, keyWidth)
  }

  #prune(limit: number): void {
    this.#held.sort(this.#compare)
    if (this.#held.length > limit) this.#held.length = limit
    if (this.#held.length === limit) this.#boundary = plainNumber(this.#held.at(-1)?.keys[0])
  }

  /** Positions among the selected rows of those that may be within the limit, by their first key; null: any may. */
  #worthwhile({ selection, selectedCount }: Batch, first: Vector | undefined): Uint32Array | null {
    const { limit, descending } = this.#options
    if (limit === null || (first?.kind !== 'number' && first?.kind !== 'time')) return null
    const { presence } = first
    const { values, divisor } = first.kind === 'time' ? { values: first.micros, divisor: 1 } : dividendsOf(first)
    const rows = { values, divisor, presence, selection, count: selectedCount }
    const boundary = this.#boundary ?? boundaryAmong(rows, limit, descending[0]!)
    return boundary === null ? null : within(rows, boundary, descending[0]!)
  }

  /** Everything held goes to disk, as a run. */
  #spill(): void {
    const { spill, stage, descending, limit } = this.#options
    this.#runs ??= new SortedRuns(spill, stage, descending.length, this.#compare, limit)
    this.#runs.begin()
    this.#held.sort(this.#compare)
    const rowsAtOnce = frameRowsFor(this.#width, spill.memoryBytes)
    for (let start = 0; start < this.#held.length; start += rowsAtOnce)
      this.#runs.appendRows(this.#held.slice(start, start + rowsAtOnce))
    this.#letGo()
  }

  #letGo(): void {
    this.#held = []
    if (this.#isCharged) this.#options.memory.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  /** All rows in order. Once; after the last nothing is held any more. */
  *sorted(): Generator<SortedRows> {
    const { spill, limit } = this.#options
    if (this.#runs !== null) {
      if (this.#held.length > 0) this.#spill()
      yield* this.#runs.merged(Math.min(OUTPUT_ROWS, 4 * frameRowsFor(this.#width, spill.memoryBytes)))
      return
    }
    this.#held.sort(this.#compare)
    if (limit !== null && this.#held.length > limit) this.#held.length = limit
    const refs = narrowed(this.#held)
    for (let start = 0; start < refs.length; start += OUTPUT_ROWS) {
      const end = start + OUTPUT_ROWS
      yield { batch: gather(refs.slice(start, end), start), rows: this.#held.slice(start, end) }
    }
    this.#letGo()
  }
}

const SAMPLED_ROWS = 64

/** Rows to weigh of a batch of which few may be wanted in the end. */
function sampleOf(batch: Batch): Batch {
  const { selection, selectedCount } = batch
  const count = Math.min(SAMPLED_ROWS, selectedCount)
  return batch.at(selection === null ? Uint32Array.from({ length: count }, (_, n) => n) : selection.subarray(0, count))
}

function pruneAt(limit: number): number {
  return Math.max(2 * limit, 4096)
}

/** By the keys, then by the order of input. */
export function compareBy(descending: readonly boolean[]): Compare {
  return (a, b) => {
    for (let key = 0; key < descending.length; key++) {
      const order = compareKeys(a.keys[key], b.keys[key], descending[key]!)
      if (order !== 0) return order
    }
    return a.order - b.order
  }
}

/** Nulls and missing last ascending, first descending. */
function compareKeys(a: Value, b: Value, descending: boolean): number {
  if (typeof a === 'number' && typeof b === 'number') return descending ? b - a : a - b
  return descending ? compareValues(b, a) : compareValues(a, b)
}

function plainNumber(value: Value): number | null {
  if (typeof value === 'number') return value
  return value instanceof DateTime ? value.micros : null
}
