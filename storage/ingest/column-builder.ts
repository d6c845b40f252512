/**
 * One column of an open block. It starts as narrow as its first value allows and moves to a wider storage when a value does not fit:
 * constant → number, bool, time, duration or dictionary → text (too many distinct strings) → any (mixed types).
 */

import { isSparse } from '../part/encodings/sparse.ts'
import type { ThinColumn } from '../part/thin.ts'
import { DateTime, Duration, type ValueType } from '../value.ts'
import type { Vector } from '../vector.ts'
import {
  AnyStorage,
  BoolStorage,
  type ColumnStorage,
  DurationStorage,
  NumberStorage,
  type PresentOrNull,
  TimeStorage,
} from './column-storage.ts'
import type { EventBatch } from './event-batch.ts'
import { FieldDictionary, type FrozenDictionaries } from './field-dictionary.ts'
import { ConstStorage, SparseStorage } from './sparse-storage.ts'
import { DictStorage, TextStorage } from './string-storage.ts'

/** A block shorter than this is cheap enough to hold dense. */
const SPARSE_FROM_ROW = 1024
/** One row in this many, or fewer, is sparse … */
const SPARSE_BELOW = 16
/** … until one row in this many is there. */
const DENSE_ABOVE = 8

/** What is known of a field across the blocks of one (index, day). */
export class FieldState {
  readonly name: string
  presentCount = 0
  dictionary: FieldDictionary | null = null
  /** Its strings have proved too diverse for a dictionary. */
  isText = false
  /** Of a block. */
  readonly expectedTextBytes: number
  private readonly expected: { readonly rows: number }
  private types = 0

  /** @param expected  of the next block, as it is known when that begins */
  constructor(name: string, expectedTextBytes = 0, expected: { readonly rows: number } = { rows: 0 }) {
    this.name = name
    this.expectedTextBytes = expectedTextBytes
    this.expected = expected
  }

  get expectedRows(): number {
    return this.expected.rows
  }

  note(value: PresentOrNull): void {
    this.presentCount++
    this.types |= typeBit(value)
  }

  /** Values that `storage` took. */
  noteMany(count: number, storage: ColumnStorage): void {
    this.presentCount += count
    if (storage instanceof NumberStorage) this.types |= (storage.hasInts ? INT : 0) | (storage.hasFloats ? FLOAT : 0)
    else this.types |= typeBit(storage.at(storage.filled - 1) as PresentOrNull)
  }

  /** The one type of all present values; `number` when some are ints and some floats. */
  get type(): ValueType {
    return TYPE_OF_BITS.get(this.types) ?? 'any'
  }
}

export class ColumnBuilder {
  readonly field: FieldState
  presentCount = 0
  nullCount = 0
  private storage: ColumnStorage

  constructor(field: FieldState, row: number, first: PresentOrNull) {
    this.field = field
    if (row >= SPARSE_FROM_ROW) this.storage = new SparseStorage()
    else if (row > 0 || (field.isText && typeof first === 'string')) this.storage = denseFor(first, field)
    else this.storage = new ConstStorage(first)
  }

  /** Rows come in increasing order; a row passed over is missing. */
  append(row: number, value: PresentOrNull): void {
    const kept = typeof value === 'number' && !Number.isFinite(value) ? null : value
    if (row >= this.storage.capacity) this.reconsiderDensity(row)
    if (!this.storage.add(row, kept)) this.widen(row, kept)
    if (kept === null) this.nullCount++
    else {
      this.presentCount++
      this.field.note(kept)
    }
  }

  /** The same value in so many rows. */
  appendMany(row: number, count: number, value: PresentOrNull): void {
    for (let index = 0; index < count; index++) this.append(row + index, value)
  }

  /** The values at `place` of lines of one shape: `[from, to)` of the batch, for the rows from `row` on. */
  appendCells(row: number, batch: EventBatch, place: number, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const first = row + at - from
      if (first >= this.storage.capacity) this.reconsiderDensity(first)
      const { storage } = this
      const end = Math.min(to, at + Math.max(1, storage.capacity - first))
      const taken = storage.addCells?.(first, batch, place, at, end) ?? 0
      if (taken > 0) {
        this.presentCount += taken
        this.field.noteMany(taken, storage)
        at += taken
      }
      if (at === end) continue
      // It may want another storage for it.
      this.append(row + at - from, batch.cells.valueAt(batch.firstCells[at]! + place, batch.bytes))
      at++
    }
  }

  /** The first `rowCount` rows; later rows of the block may already be there. */
  view(rowCount: number, frozen: FrozenDictionaries | null): Vector {
    this.settle(rowCount)
    return this.storage.view(rowCount, frozen)
  }

  /** Rows and values, where they are few among `rowCount`; null: they are many. */
  thin(rowCount: number): ThinColumn | null {
    const { storage } = this
    return storage instanceof SparseStorage && isSparse(storage.count, rowCount) ? storage.thin() : null
  }

  finish(rowCount: number, isUnread: boolean): void {
    this.settle(rowCount)
    this.storage.finish(rowCount, isUnread)
  }

  /** Nobody reads it any more. */
  release(): void {
    this.storage.release?.()
  }

  /** Bounds of a column of numbers, over all its rows; null for any other. */
  numberBounds(): { readonly min: number; readonly max: number } | null {
    const storage = this.storage
    if (storage instanceof NumberStorage && storage.min <= storage.max) return { min: storage.min, max: storage.max }
    if (storage instanceof ConstStorage) {
      const value = storage.at(0)
      if (typeof value === 'number') return { min: value, max: value }
    }
    return null
  }

  /** False when no row can hold this string; true when one may. */
  mayHoldString(value: string): boolean {
    const storage = this.storage
    if (storage instanceof DictStorage) return storage.dictionary.has(value)
    if (storage instanceof ConstStorage) {
      const only = storage.at(0)
      return typeof only !== 'string' || only === value
    }
    return true
  }

  /** No more distinct values than this; null: nobody counted. */
  distinctMax(): number | null {
    if (this.storage instanceof DictStorage) return this.storage.dictionary.size
    return this.storage instanceof ConstStorage ? 1 : null
  }

  get byteLength(): number {
    return this.storage.byteLength
  }

  get textBytes(): number {
    return this.storage instanceof TextStorage ? this.storage.textBytes : 0
  }

  /** A constant cannot say that its last rows are missing. */
  private settle(rowCount: number): void {
    if (this.storage instanceof ConstStorage && this.storage.filled < rowCount) {
      const first = this.storage.at(0)
      this.storage = rebuilt(this.storage, denseFor(first ?? null, this.field), this.field)
    }
  }

  private reconsiderDensity(row: number): void {
    const count = this.presentCount + this.nullCount
    if (this.storage instanceof SparseStorage) {
      if (count * DENSE_ABOVE <= row) return
      let first: PresentOrNull = null
      for (let at = 0; at < this.storage.filled && first === null; at++) first = this.storage.at(at) ?? null
      this.storage = rebuilt(this.storage, denseFor(first, this.field), this.field)
    } else if (this.isSparse(row)) this.storage = copied(this.storage, new SparseStorage())
  }

  private isSparse(row: number): boolean {
    return row >= SPARSE_FROM_ROW && (this.presentCount + this.nullCount) * SPARSE_BELOW < row
  }

  private widen(row: number, value: PresentOrNull): void {
    let next: ColumnStorage
    if (this.isSparse(row)) next = new SparseStorage()
    else if (this.presentCount === 0 || this.storage instanceof ConstStorage) {
      // A null says nothing of the type, so the value that is there does.
      const only = this.storage.at(0)
      next = denseFor(value === null && only !== undefined ? only : value, this.field)
    } else next = wider(this.storage, value, this.field)
    next = rebuilt(this.storage, next, this.field)
    while (!next.add(row, value)) next = rebuilt(next, wider(next, value, this.field), this.field)
    this.storage = next
  }
}

/** The storage that takes what `storage` could not. */
function wider(storage: ColumnStorage, value: PresentOrNull, field: FieldState): ColumnStorage {
  if (!(storage instanceof DictStorage) || typeof value !== 'string') return new AnyStorage()
  field.isText = true
  return new TextStorage(field.expectedTextBytes, field.expectedRows)
}

/** `target`, or something wider, with every row of `source`. */
function rebuilt(source: ColumnStorage, target: ColumnStorage, field: FieldState): ColumnStorage {
  for (let row = 0; row < source.filled; row++) {
    const value = source.at(row)
    if (value !== undefined && !target.add(row, value)) return rebuilt(source, wider(target, value, field), field)
  }
  return target
}

/** As `rebuilt`, for a target that takes everything. */
function copied(source: ColumnStorage, target: ColumnStorage): ColumnStorage {
  for (let row = 0; row < source.filled; row++) {
    const value = source.at(row)
    if (value !== undefined) target.add(row, value)
  }
  return target
}

function denseFor(value: PresentOrNull, field: FieldState): ColumnStorage {
  switch (typeof value) {
    case 'number':
      return new NumberStorage(field.expectedRows)
    case 'boolean':
      return new BoolStorage()
    case 'string':
      if (field.isText) return new TextStorage(field.expectedTextBytes, field.expectedRows)
      if (field.dictionary === null) field.dictionary = new FieldDictionary()
      return new DictStorage(field.dictionary, field.expectedRows)
    case 'bigint':
      return new AnyStorage()
    default:
      if (value === null) return new BoolStorage()
      if (value instanceof DateTime) return new TimeStorage()
      return value instanceof Duration ? new DurationStorage() : new AnyStorage()
  }
}

const INT = 1
const FLOAT = 2
const TYPE_OF_BITS: ReadonlyMap<number, ValueType> = new Map<number, ValueType>([
  [0, 'null'],
  [INT, 'int'],
  [FLOAT, 'float'],
  [INT | FLOAT, 'number'],
  [4, 'string'],
  [8, 'bool'],
  [16, 'datetime'],
  [32, 'duration'],
  [64, 'array'],
  [128, 'object'],
])

function typeBit(value: PresentOrNull): number {
  switch (typeof value) {
    case 'number':
      return (value | 0) === value || Number.isSafeInteger(value) ? INT : FLOAT
    case 'string':
      return 4
    case 'boolean':
      return 8
    case 'bigint':
      return INT
    default:
      if (value instanceof DateTime) return 16
      if (value instanceof Duration) return 32
      return Array.isArray(value) ? 64 : 128
  }
}
