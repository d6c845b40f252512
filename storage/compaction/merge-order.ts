/**
 * In which order the rows of several parts go into one: by event time, block against block, with a bounded number of blocks open.
 * Where more blocks overlap than may be open, the rest wait, and rows come out somewhat out of order; blocks say so themselves, and
 * nothing but speed depends on it.
 */
import type { BlockReader, PartReader } from '../index.ts'
import type { DateTime } from '../value.ts'

/** Blocks open at once: each holds its times and, if it was out of order, the order of its rows. */
const OPEN_BLOCKS_MAX = 64

/** Rows of one block: `runs` are triples (first row there, first row here, count). */
export interface RowSource {
  readonly block: BlockReader
  readonly runs: readonly number[]
}

/** What one block of the new part is made of. */
export interface RowSelection {
  readonly rowCount: number
  readonly sources: readonly RowSource[]
}

interface Cursor {
  readonly block: BlockReader
  /** Equal times come in the order of the parts, and within a part in the order of its rows. */
  readonly ordinal: number
  readonly micros: Float64Array
  readonly nanos: Uint16Array | null
  /** Rows by time; null: they are. */
  readonly order: Uint32Array | null
  at: number
}

interface PendingBlock {
  readonly block: BlockReader
  readonly ordinal: number
  readonly minTime: DateTime
}

export function* mergeOrder(parts: readonly PartReader[], blockRows: number): Generator<RowSelection> {
  const pending = blocksByTime(parts)
  const open = new CursorHeap()
  const selection = new SelectionBuilder()
  let next = 0
  for (;;) {
    while (next < pending.length && open.size < OPEN_BLOCKS_MAX && isDue(pending[next]!, open.first)) {
      open.add(cursorOf(pending[next++]!))
    }
    const cursor = open.first
    if (cursor === null) break
    const limit = next < pending.length && open.size < OPEN_BLOCKS_MAX ? pending[next]!.minTime : null
    const rival = open.second
    // Rows are taken from one block for as long as it has the earliest.
    do {
      const row = cursor.order === null ? cursor.at : cursor.order[cursor.at]!
      selection.add(cursor.block, row)
      cursor.at++
    } while (
      selection.rowCount < blockRows &&
      cursor.at < cursor.block.rowCount &&
      (rival === null || isBefore(cursor, rival)) &&
      (limit === null || microsAt(cursor) < limit.micros)
    )
    open.firstChanged()
    if (selection.rowCount >= blockRows) yield selection.take()
  }
  if (selection.rowCount > 0) yield selection.take()
}

function blocksByTime(parts: readonly PartReader[]): PendingBlock[] {
  const pending: PendingBlock[] = []
  for (const part of parts) {
    for (let number = 0; number < part.blockCount; number++) {
      const block = part.block(number)
      pending.push({ block, ordinal: pending.length, minTime: block.minTime })
    }
  }
  return pending.sort(
    (a, b) => a.minTime.micros - b.minTime.micros || a.minTime.nanos - b.minTime.nanos || a.ordinal - b.ordinal,
  )
}

function isDue({ minTime }: PendingBlock, first: Cursor | null): boolean {
  return first === null || minTime.micros <= microsAt(first)
}

function cursorOf({ block, ordinal }: PendingBlock): Cursor {
  const times = block.column('_time')
  if (times?.kind === 'time') {
    const { micros, nanos } = times
    return { block, ordinal, micros, nanos, order: block.timeSorted ? null : orderOf(micros, nanos), at: 0 }
  }
  const micros = new Float64Array(block.rowCount).fill(block.minTime.micros)
  const nanos = block.minTime.nanos === 0 ? null : new Uint16Array(block.rowCount).fill(block.minTime.nanos)
  return { block, ordinal, micros, nanos, order: null, at: 0 }
}

function orderOf(micros: Float64Array, nanos: Uint16Array | null): Uint32Array {
  const order = new Uint32Array(micros.length)
  for (let row = 0; row < order.length; row++) order[row] = row
  return order.sort((a, b) => micros[a]! - micros[b]! || (nanos === null ? 0 : nanos[a]! - nanos[b]!) || a - b)
}

function microsAt({ micros, order, at }: Cursor): number {
  return micros[order === null ? at : order[at]!]!
}

function isBefore(left: Cursor, right: Cursor): boolean {
  const difference = microsAt(left) - microsAt(right)
  if (difference !== 0) return difference < 0
  const nanos = nanosAt(left) - nanosAt(right)
  return nanos !== 0 ? nanos < 0 : left.ordinal < right.ordinal
}

function nanosAt({ nanos, order, at }: Cursor): number {
  return nanos === null ? 0 : nanos[order === null ? at : order[at]!]!
}

/** A binary heap whose first two anyone may look at. */
class CursorHeap {
  private readonly cursors: Cursor[] = []

  get size(): number {
    return this.cursors.length
  }

  get first(): Cursor | null {
    return this.cursors[0] ?? null
  }

  get second(): Cursor | null {
    const [, left, right] = this.cursors
    if (left === undefined || right === undefined) return left ?? null
    return isBefore(right, left) ? right : left
  }

  add(cursor: Cursor): void {
    if (cursor.block.rowCount === 0) return
    let at = this.cursors.push(cursor) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(this.cursors[at]!, this.cursors[parent]!)) break
      this.swap(at, parent)
      at = parent
    }
  }

  firstChanged(): void {
    const { cursors } = this
    if (cursors[0]!.at >= cursors[0]!.block.rowCount) {
      const last = cursors.pop()!
      if (cursors.length === 0) return
      cursors[0] = last
    }
    let at = 0
    for (;;) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < cursors.length && isBefore(cursors[child]!, cursors[least]!)) least = child
      }
      if (least === at) return
      this.swap(at, least)
      at = least
    }
  }

  private swap(left: number, right: number): void {
    const cursor = this.cursors[left]!
    this.cursors[left] = this.cursors[right]!
    this.cursors[right] = cursor
  }
}

class SelectionBuilder {
  rowCount = 0
  private sources = new Map<BlockReader, { readonly block: BlockReader; readonly runs: number[] }>()

  add(block: BlockReader, row: number): void {
    let source = this.sources.get(block)
    if (source === undefined) {
      source = { block, runs: [] }
      this.sources.set(block, source)
    }
    const { runs } = source
    const last = runs.length - 3
    if (last >= 0 && runs[last]! + runs[last + 2]! === row && runs[last + 1]! + runs[last + 2]! === this.rowCount) {
      runs[last + 2]!++
    } else {
      runs.push(row, this.rowCount, 1)
    }
    this.rowCount++
  }

  take(): RowSelection {
    const selection = { rowCount: this.rowCount, sources: [...this.sources.values()] }
    this.rowCount = 0
    this.sources = new Map()
    return selection
  }
}
