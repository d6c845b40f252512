/**
 * How one column of an open block is held while rows arrive: one class per vector kind, each taking only the values it is made for.
 * `add` answers false when it cannot take a value; the builder (`column-builder.ts`) then moves the rows to a wider storage.
 * Rows below a view's row count never change after the view was taken, so views share memory with the storage.
 */
import { blockElements, giveBlockElements } from '../spare-memory.ts'
import { DateTime, Duration, type Value } from '../value.ts'
import { MISSING, NULL, PRESENT, type Vector } from '../vector.ts'
import type { EventBatch } from './event-batch.ts'
import type { FrozenDictionaries } from './field-dictionary.ts'
import { FALSE, NUMBER, TRUE } from './line-cells.ts'
import { detached } from './shape.ts'

export type PresentOrNull = Exclude<Value, undefined>

export interface ColumnStorage {
  /** Rows below are decided; a row passed over is missing. */
  readonly filled: number
  /** Rows that fit without growing. */
  readonly capacity: number
  add(row: number, value: PresentOrNull): boolean
  /**
   * The values at `place` of rows of a batch from `from` on, up to `to` or the first that it cannot take so; answers how many it took.
   */
  addCells?(row: number, batch: EventBatch, place: number, from: number, to: number): number
  at(row: number): Value
  /** The first `rowCount` rows. Rows not yet decided become missing, so the caller must not add below `rowCount` any more. */
  view(rowCount: number, frozen: FrozenDictionaries | null): Vector
  /**
   * Gives up spare capacity and takes the narrowest element type: no row follows.
   * @param isUnread  no view was ever taken, so that what it gives up is memory of nobody
   */
  finish(rowCount: number, isUnread?: boolean): void
  /** Nobody reads it any more: its memory is for blocks to come. */
  release?(): void
  readonly byteLength: number
}

/** Presence of rows, made only when a row is not present. */
export abstract class PresenceStorage {
  filled = 0
  capacity = 0
  protected presence: Uint8Array | null = null
  private readonly expectedRows: number

  /** @param expectedRows  what to make room for with the first */
  constructor(expectedRows = 0) {
    this.expectedRows = expectedRows
  }

  /** Makes room for `row`, marks the rows passed over as missing and `row` as told. */
  protected mark(row: number, state: number): void {
    if (row >= this.capacity) this.growFor(row)
    if (this.presence === null && (state !== PRESENT || row > this.filled)) this.makePresence()
    // A new presence is all zero, and zero is missing.
    if (this.presence !== null) this.presence[row] = state
    this.filled = row + 1
  }

  /** So many from `row` on are present; there is room for them, and none was passed over that is not marked. */
  protected markMany(row: number, count: number): void {
    if (row > this.filled && this.presence === null) this.makePresence()
    if (this.presence !== null) this.presence.fill(PRESENT, row, row + count)
    this.filled = row + count
  }

  protected growFor(row: number): void {
    this.setCapacity(grownCapacity(this.capacity, Math.max(row + 1, this.expectedRows)))
  }

  protected pad(rowCount: number): void {
    if (rowCount <= this.filled) return
    this.mark(rowCount - 1, MISSING)
  }

  /** No row follows. */
  protected fit(rowCount: number): void {
    if (this.capacity !== rowCount) this.setCapacity(rowCount)
  }

  protected presenceView(rowCount: number): Uint8Array | null {
    return this.presence === null ? null : this.presence.subarray(0, rowCount)
  }

  protected setCapacity(capacity: number): void {
    this.capacity = capacity
    if (this.presence !== null) this.presence = resized(this.presence, new Uint8Array(capacity))
  }

  private makePresence(): void {
    this.presence = new Uint8Array(this.capacity).fill(PRESENT, 0, this.filled)
  }

  protected isPresent(row: number): boolean {
    return row < this.filled && (this.presence === null || this.presence[row] === PRESENT)
  }

  protected absent(row: number): null | undefined {
    return row < this.filled && this.presence?.[row] === NULL ? null : undefined
  }
}

/** Rows to make room for when there is room for `capacity`: arrays of a full block were copied as often again as they are long. */
export function grownCapacity(capacity: number, needed: number): number {
  return Math.max(64, needed, capacity * (capacity < 1024 ? 2 : 4))
}

export class NumberStorage extends PresenceStorage implements ColumnStorage {
  private values: Float64Array | Int32Array = new Float64Array(0)
  hasInts = false
  hasFloats = false
  private fitsInt32 = true
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY

  add(row: number, value: PresentOrNull): boolean {
    if (typeof value !== 'number') {
      if (value !== null) return false
      this.mark(row, NULL)
      return true
    }
    this.put(row, value)
    return true
  }

  private put(row: number, value: number): void {
    this.mark(row, PRESENT)
    this.values[row] = value
    this.noteType(value)
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
  }

  addCells(row: number, batch: EventBatch, place: number, from: number, to: number): number {
    const { min, max } = this
    if (row + to - from > this.capacity) this.growFor(row + to - from - 1)
    const count = putNumbers(batch, place, from, to, this.values as Float64Array, row - from) - from
    if (count === 0) return 0
    this.markMany(row, count)
    const added = this.values.subarray(row, row + count) as Float64Array
    if (this.fitsInt32 && areInt32s(added)) this.hasInts = true
    else for (let index = 0; index < count; index++) this.noteType(added[index]!)
    this.min = leastOf(added, min)
    this.max = greatestOf(added, max)
    return count
  }

  private noteType(value: number): void {
    if ((value | 0) === value) this.hasInts = true
    else {
      this.fitsInt32 = false
      if (Number.isSafeInteger(value)) this.hasInts = true
      else this.hasFloats = true
    }
  }

  at(row: number): Value {
    return this.isPresent(row) ? this.values[row] : this.absent(row)
  }

  view(rowCount: number): Vector {
    this.pad(rowCount)
    return {
      kind: 'number',
      rowCount,
      values: this.values.subarray(0, rowCount),
      presence: this.presenceView(rowCount),
    }
  }

  finish(rowCount: number, isUnread = false): void {
    this.pad(rowCount)
    if (this.fitsInt32) {
      const held = this.values
      this.values = resized(held, blockElements(Int32Array, rowCount))
      if (isUnread) giveBlockElements(held)
    }
    this.fit(rowCount)
  }

  release(): void {
    giveBlockElements(this.values)
    this.values = new Float64Array(0)
  }

  get byteLength(): number {
    return this.values.byteLength + (this.presence?.byteLength ?? 0)
  }

  protected override setCapacity(capacity: number): void {
    super.setCapacity(capacity)
    const { values } = this
    this.values = resized(values, values instanceof Int32Array ? new Int32Array(capacity) : spareDoubles(capacity))
  }
}

/** Up to `to` or the first value that is none; answers where. Each loop is a function, so that little is compiled for it. */
function putNumbers(
  { firstCells, cells: { kinds, numbers } }: EventBatch,
  place: number,
  from: number,
  to: number,
  values: Float64Array,
  shift: number,
): number {
  for (let row = from; row < to; row++) {
    const cell = firstCells[row]! + place
    if (kinds[cell] !== NUMBER) return row
    values[row + shift] = numbers[cell]!
  }
  return to
}

function areInt32s(values: Float64Array): boolean {
  for (let index = 0; index < values.length; index++) if ((values[index]! | 0) !== values[index]) return false
  return true
}

export function leastOf(values: Float64Array, than: number): number {
  let least = than
  for (let index = 0; index < values.length; index++) if (values[index]! < least) least = values[index]!
  return least
}

export function greatestOf(values: Float64Array, than: number): number {
  let greatest = than
  for (let index = 0; index < values.length; index++) if (values[index]! > greatest) greatest = values[index]!
  return greatest
}

export class BoolStorage extends PresenceStorage implements ColumnStorage {
  private values: Uint8Array = new Uint8Array(0)

  add(row: number, value: PresentOrNull): boolean {
    if (typeof value !== 'boolean' && value !== null) return false
    this.mark(row, value === null ? NULL : PRESENT)
    if (value === true) this.values[row] = 1
    return true
  }

  addCells(row: number, batch: EventBatch, place: number, from: number, to: number): number {
    const { firstCells } = batch
    const { kinds } = batch.cells
    let at = from
    for (; at < to; at++) {
      const kind = kinds[firstCells[at]! + place]
      if (kind !== TRUE && kind !== FALSE) break
      this.mark(row + at - from, PRESENT)
      if (kind === TRUE) this.values[row + at - from] = 1
    }
    return at - from
  }

  at(row: number): Value {
    return this.isPresent(row) ? this.values[row] === 1 : this.absent(row)
  }

  view(rowCount: number): Vector {
    this.pad(rowCount)
    return { kind: 'bool', rowCount, values: this.values.subarray(0, rowCount), presence: this.presenceView(rowCount) }
  }

  finish(rowCount: number): void {
    this.pad(rowCount)
    this.fit(rowCount)
  }

  get byteLength(): number {
    return this.values.byteLength + (this.presence?.byteLength ?? 0)
  }

  protected override setCapacity(capacity: number): void {
    super.setCapacity(capacity)
    this.values = resized(this.values, new Uint8Array(capacity))
  }
}

export class TimeStorage extends PresenceStorage implements ColumnStorage {
  private micros: Float64Array = new Float64Array(0)
  private nanos: Uint16Array | null = null

  add(row: number, value: PresentOrNull): boolean {
    if (value === null) {
      this.mark(row, NULL)
      return true
    }
    if (!(value instanceof DateTime)) return false
    this.put(row, value.micros, value.nanos)
    return true
  }

  /** Of a row that has one. */
  put(row: number, micros: number, nanos: number): void {
    this.mark(row, PRESENT)
    this.micros[row] = micros
    if (nanos !== 0 && this.nanos === null) this.nanos = new Uint16Array(this.capacity)
    if (this.nanos !== null) this.nanos[row] = nanos
  }

  /** The same of many, without nanoseconds. */
  putMany(row: number, micros: Float64Array): void {
    const end = row + micros.length
    if (end > this.capacity) this.growFor(end - 1)
    this.micros.set(micros, row)
    this.nanos?.fill(0, row, end)
    this.markMany(row, micros.length)
  }

  at(row: number): Value {
    return this.isPresent(row) ? new DateTime(this.micros[row] ?? 0, this.nanos?.[row] ?? 0) : this.absent(row)
  }

  view(rowCount: number): Vector {
    this.pad(rowCount)
    const micros = this.micros.subarray(0, rowCount)
    const nanos = this.nanos === null ? null : this.nanos.subarray(0, rowCount)
    return { kind: 'time', rowCount, micros, nanos, presence: this.presenceView(rowCount) }
  }

  finish(rowCount: number): void {
    this.pad(rowCount)
    this.fit(rowCount)
  }

  release(): void {
    giveBlockElements(this.micros)
    this.micros = new Float64Array(0)
  }

  get byteLength(): number {
    return this.micros.byteLength + (this.nanos?.byteLength ?? 0) + (this.presence?.byteLength ?? 0)
  }

  protected override setCapacity(capacity: number): void {
    super.setCapacity(capacity)
    this.micros = resized(this.micros, spareDoubles(capacity))
    if (this.nanos !== null) this.nanos = resized(this.nanos, new Uint16Array(capacity))
  }
}

export class DurationStorage extends PresenceStorage implements ColumnStorage {
  private values: Float64Array = new Float64Array(0)

  add(row: number, value: PresentOrNull): boolean {
    if (!(value instanceof Duration) && value !== null) return false
    this.mark(row, value === null ? NULL : PRESENT)
    if (value !== null) this.values[row] = value.ns
    return true
  }

  at(row: number): Value {
    return this.isPresent(row) ? new Duration(this.values[row] ?? 0) : this.absent(row)
  }

  view(rowCount: number): Vector {
    this.pad(rowCount)
    const values = this.values.subarray(0, rowCount)
    return { kind: 'duration', rowCount, values, presence: this.presenceView(rowCount) }
  }

  finish(rowCount: number): void {
    this.pad(rowCount)
    this.fit(rowCount)
  }

  get byteLength(): number {
    return this.values.byteLength + (this.presence?.byteLength ?? 0)
  }

  protected override setCapacity(capacity: number): void {
    super.setCapacity(capacity)
    this.values = resized(this.values, new Float64Array(capacity))
  }
}

/** The last resort: takes everything. */
export class AnyStorage implements ColumnStorage {
  private readonly values: Value[] = []
  private finished = false

  get filled(): number {
    return this.values.length
  }

  get capacity(): number {
    return this.values.length
  }

  add(row: number, value: PresentOrNull): boolean {
    this.pad(row)
    this.values.push(detached(value))
    return true
  }

  at(row: number): Value {
    return this.values[row]
  }

  view(rowCount: number): Vector {
    this.pad(rowCount)
    const whole = this.finished && this.values.length === rowCount
    return { kind: 'any', rowCount, values: whole ? this.values : this.values.slice(0, rowCount) }
  }

  finish(rowCount: number): void {
    this.pad(rowCount)
    this.finished = true
  }

  get byteLength(): number {
    return this.values.length * 16
  }

  private pad(rowCount: number): void {
    while (this.values.length < rowCount) this.values.push(undefined)
  }
}

/** Zeros. */
function spareDoubles(length: number): Float64Array {
  return blockElements(Float64Array, length).fill(0)
}

/** `into` with as much of `from` as fits. Views on `from` keep their memory. */
export function resized<Elements extends Float64Array | Int32Array | Uint8Array | Uint16Array | Uint32Array>(
  from: Float64Array | Int32Array | Uint8Array | Uint16Array | Uint32Array,
  into: Elements,
): Elements {
  into.set(from.length > into.length ? from.subarray(0, into.length) : from)
  return into
}
