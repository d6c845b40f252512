/**
 * Runs of rows in order, in temporary files, and one order of all of them. A run is written from its first row to its last; merging reads a
 * frame of each run at a time. More runs than one merge takes are merged into longer ones first. The file of a pass goes when the next is written.
 */
import type { Value } from '../../storage/value.ts'
import type { NumberVector, Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { gather, type RowRef, vectorOf } from '../column-batch.ts'
import { valueAt } from '../helpers/vectors.ts'
import { Frame, rowsInFrame } from './frame.ts'
import { batchOfFrame, frameOf } from './frame-batch.ts'
import type { Spill } from './space.ts'
import type { SpillFile } from './spill-file.ts'

/** What decides a row's place: its keys, then its order; of rows that share both, the one in the earlier run, or earlier in its run. */
export interface Sortable {
  readonly keys: readonly Value[]
  readonly order: number
}

export interface SortedRow extends Sortable, RowRef {}

export type Compare = (a: Sortable, b: Sortable) => number

export interface SortedRows {
  readonly batch: Batch
  readonly rows: readonly SortedRow[]
}

/** Runs merged at a time: so many frames are in memory together. */
const FAN_IN = 32
const FRAME_ROWS_MAX = 8192

/** Rows of `width` bytes in a frame, so that those of all runs of a merge take a quarter of the memory. */
export function frameRowsFor(width: number, memoryBytes: number): number {
  return Math.min(FRAME_ROWS_MAX, rowsInFrame(width, memoryBytes / (4 * FAN_IN)))
}

interface Run {
  /** Frames of the file. */
  readonly first: number
  end: number
}

export class SortedRuns {
  readonly #spill: Spill
  readonly #stage: string
  readonly #keyCount: number
  readonly #compare: Compare
  readonly #limit: number
  #file: SpillFile
  #runs: Run[] = []

  /** @param limit  rows after so many are not wanted */
  constructor(spill: Spill, stage: string, keyCount: number, compare: Compare, limit: number | null = null) {
    this.#spill = spill
    this.#stage = stage
    this.#keyCount = keyCount
    this.#compare = compare
    this.#limit = limit ?? Number.POSITIVE_INFINITY
    this.#file = spill.create(stage)
  }

  get count(): number {
    return this.#runs.length
  }

  /** Rows appended from here on are a run of their own. */
  begin(): void {
    this.#runs.push({ first: this.#file.frameCount, end: this.#file.frameCount })
  }

  /** The next rows of the run, in order: all rows of the batch, their keys and orders beside it. */
  append(batch: Batch, keys: readonly Vector[], orders: Float64Array): void {
    write(this.#file, this.#runs.at(-1)!, batch, keys, orders)
  }

  /** The same for rows here and there. */
  appendRows(rows: readonly SortedRow[]): void {
    this.#writeRows(this.#file, this.#runs.at(-1)!, rows)
  }

  #writeRows(file: SpillFile, run: Run, rows: readonly SortedRow[]): void {
    const keys = Array.from({ length: this.#keyCount }, (_, key) => vectorOf(rows.map(row => row.keys[key])))
    const orders = Float64Array.from(rows, row => row.order)
    write(file, run, gather(rows, 0), keys, orders)
  }

  /** All rows in order, at most so many at a time. The file is gone when the last was given. */
  *merged(rowsAtOnce: number): Generator<SortedRows> {
    while (this.#runs.length > FAN_IN) this.#pass(rowsAtOnce)
    yield* this.#merge(this.#runs, rowsAtOnce)
    this.#file.remove()
  }

  /** Every run becomes part of a longer one, in another file. */
  #pass(rowsAtOnce: number): void {
    const file = this.#spill.create(this.#stage)
    const longer: Run[] = []
    for (let at = 0; at < this.#runs.length; at += FAN_IN) {
      const run: Run = { first: file.frameCount, end: file.frameCount }
      longer.push(run)
      for (const { rows } of this.#merge(this.#runs.slice(at, at + FAN_IN), rowsAtOnce))
        this.#writeRows(file, run, rows)
    }
    this.#file.remove()
    this.#file = file
    this.#runs = longer
  }

  *#merge(runs: readonly Run[], rowsAtOnce: number): Generator<SortedRows> {
    const readers = runs.map((run, number) => new RunReader(this.#file, run, number, this.#keyCount))
    const heap = new Heap(
      readers.filter(reader => reader.advance()),
      this.#compare,
    )
    let given = 0
    let rows: SortedRow[] = []
    for (let top = heap.top; top !== null && given + rows.length < this.#limit; top = heap.top) {
      rows.push(top.row())
      heap.replaceTop(top.advance())
      if (rows.length < rowsAtOnce) continue
      yield { batch: gather(rows, given), rows }
      given += rows.length
      rows = []
    }
    if (rows.length > 0) yield { batch: gather(rows, given), rows }
  }
}

function write(file: SpillFile, run: Run, batch: Batch, keys: readonly Vector[], orders: Float64Array): void {
  if (batch.rowCount === 0) return
  const order: NumberVector = { kind: 'number', rowCount: orders.length, values: orders, presence: null }
  file.write(frameOf(batch, [...keys, order]))
  run.end = file.frameCount
}

/** The next row of a run. */
class RunReader implements Sortable {
  readonly #file: SpillFile
  readonly #keyCount: number
  readonly #end: number
  readonly number: number
  #nextFrame: number
  #batch: Batch | null = null
  #keyVectors: readonly Vector[] = []
  #orders: Vector | null = null
  #row = -1
  keys: readonly Value[] = []
  order = 0

  constructor(file: SpillFile, run: Run, number: number, keyCount: number) {
    this.#file = file
    this.number = number
    this.#keyCount = keyCount
    this.#nextFrame = run.first
    this.#end = run.end
  }

  /** To the next row; false: there is none. */
  advance(): boolean {
    this.#row++
    if (this.#batch === null || this.#row >= this.#batch.rowCount) {
      if (this.#nextFrame === this.#end) return false
      const frame = new Frame(this.#file.read(this.#nextFrame++))
      this.#batch = batchOfFrame(frame, 0)
      this.#keyVectors = Array.from({ length: this.#keyCount }, (_, key) => frame.extra(key))
      this.#orders = frame.extra(this.#keyCount)
      this.#row = 0
    }
    this.keys = this.#keyVectors.map(vector => valueAt(vector, this.#row))
    this.order = valueAt(this.#orders!, this.#row) as number
    return true
  }

  row(): SortedRow {
    return { batch: this.#batch!, row: this.#row, keys: this.keys, order: this.order }
  }
}

/** The least of several readers on top. */
class Heap {
  readonly #readers: RunReader[]
  readonly #compare: (a: RunReader, b: RunReader) => number

  constructor(readers: readonly RunReader[], compare: Compare) {
    this.#compare = (a, b) => compare(a, b) || a.number - b.number
    // In order is a heap.
    this.#readers = [...readers].sort(this.#compare)
  }

  get top(): RunReader | null {
    return this.#readers[0] ?? null
  }

  /** The top has moved on to its next row, or is at its end. */
  replaceTop(hasMore: boolean): void {
    const readers = this.#readers
    if (!hasMore) {
      const last = readers.pop()!
      if (readers.length === 0) return
      readers[0] = last
    }
    const moved = readers[0]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= readers.length) break
      if (child + 1 < readers.length && this.#compare(readers[child + 1]!, readers[child]!) < 0) child++
      if (this.#compare(moved, readers[child]!) <= 0) break
      readers[at] = readers[child]!
      at = child
    }
    readers[at] = moved
  }
}
