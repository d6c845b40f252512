/**
 * Two storages that hold few things: one value for every row, or a few rows among many. A source with thousands of fields has most of
 * them in one row of a thousand; arrays of a block's length for each would cost gigabytes.
 */
import { utf8Of } from '../part/ascii.ts'
import { isWellFormed } from '../part/bytes.ts'
import type { Value } from '../value.ts'
import type { Dictionary, Vector } from '../vector.ts'
import type { ColumnStorage, PresentOrNull } from './column-storage.ts'
import type { EventBatch } from './event-batch.ts'
import { NUMBER, TEXT } from './line-cells.ts'
import { detached } from './shape.ts'

/** Every row so far holds the same value. */
export class ConstStorage implements ColumnStorage {
  filled = 0
  readonly capacity = Number.POSITIVE_INFINITY
  readonly byteLength = 16
  private readonly value: PresentOrNull

  /** Of a text. */
  private readonly bytes: Uint8Array | null

  constructor(value: PresentOrNull) {
    this.value = detached(value)
    this.bytes = typeof value === 'string' && isWellFormed(value) ? utf8Of(value) : null
  }

  add(row: number, value: PresentOrNull): boolean {
    if (value !== this.value || row !== this.filled) return false
    this.filled = row + 1
    return true
  }

  addCells(row: number, batch: EventBatch, place: number, from: number, to: number): number {
    if (row !== this.filled) return 0
    const { firstCells } = batch
    const { kinds, numbers } = batch.cells
    let at = from
    for (; at < to; at++) {
      const cell = firstCells[at]! + place
      if (kinds[cell] === TEXT ? !this.isText(batch, cell) : kinds[cell] !== NUMBER || numbers[cell] !== this.value)
        break
    }
    this.filled = row + at - from
    return at - from
  }

  private isText({ bytes, cells }: EventBatch, cell: number): boolean {
    const own = this.bytes
    const start = cells.starts[cell]!
    if (own === null || cells.ends[cell]! - start !== own.length) return false
    for (let at = 0; at < own.length; at++) if (own[at] !== bytes[start + at]) return false
    return true
  }

  at(row: number): Value {
    return row < this.filled ? this.value : undefined
  }

  /** Not beyond `filled`: the builder widens a constant before rows are missing after it. */
  view(rowCount: number): Vector {
    return { kind: 'const', rowCount, value: this.value }
  }

  finish(): void {}
}

export class SparseStorage implements ColumnStorage {
  filled = 0
  private readonly rows: number[] = []
  private readonly values: PresentOrNull[] = []
  /** Kept once no row follows, so that the dictionary stays one object. */
  private coded: Coded | null = null

  get capacity(): number {
    return this.filled
  }

  get count(): number {
    return this.rows.length
  }

  add(row: number, value: PresentOrNull): boolean {
    this.rows.push(row)
    this.values.push(detached(value))
    this.filled = row + 1
    return true
  }

  at(row: number): Value {
    const found = this.lowerBound(row)
    return this.rows[found] === row ? this.values[found] : undefined
  }

  view(rowCount: number): Vector {
    if (rowCount > this.filled) this.filled = rowCount
    const count = this.lowerBound(rowCount)
    const { codes: entryCodes, dictionary } = this.coded ?? this.encode(count)
    const size = dictionary.values.length
    const codes =
      size <= 256 ? new Uint8Array(rowCount) : size <= 65_536 ? new Uint16Array(rowCount) : new Uint32Array(rowCount)
    // Code 0 is missing.
    for (let i = 0; i < count; i++) codes[this.rows[i] ?? 0] = entryCodes[i] ?? 0
    return { kind: 'dict', rowCount, codes, dictionary }
  }

  /** All there is, once no row follows. */
  thin(): { readonly rows: Uint32Array; readonly values: Vector } {
    const { rows, values } = this
    return { rows: Uint32Array.from(rows), values: { kind: 'any', rowCount: rows.length, values } }
  }

  finish(rowCount: number): void {
    if (rowCount > this.filled) this.filled = rowCount
    this.coded = this.encode(this.rows.length)
  }

  get byteLength(): number {
    return this.rows.length * 24
  }

  private encode(count: number): Coded {
    const values: Value[] = [undefined]
    const known = new Map<Value, number>()
    const codes: number[] = []
    for (let i = 0; i < count; i++) {
      const value = this.values[i]
      let code = known.get(value)
      if (code === undefined) {
        code = values.length
        values.push(value)
        known.set(value, code)
      }
      codes.push(code)
    }
    return { codes, dictionary: { values } }
  }

  /** The first entry at or after `row`. */
  private lowerBound(row: number): number {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.rows[middle] ?? 0) < row) low = middle + 1
      else high = middle
    }
    return low
  }
}

interface Coded {
  readonly codes: readonly number[]
  readonly dictionary: Dictionary
}
