/** One block of the buffer: columns while they fill, and the same columns once complete. */
import type { IncomingEvent } from '../index.ts'
import type { KnownRaw } from '../part/columns.ts'
import type { ReadyFilter } from '../part/ready-filter.ts'
import { isEarlier } from '../part/summary.ts'
import type { ThinColumn } from '../part/thin.ts'
import { DateTime, type Value } from '../value.ts'
import type { Vector } from '../vector.ts'
import { ColumnBuilder, type FieldState } from './column-builder.ts'
import { greatestOf, leastOf, type PresentOrNull, TimeStorage } from './column-storage.ts'
import type { EventBatch } from './event-batch.ts'
import type { FrozenDictionaries } from './field-dictionary.ts'
import { LineStorage } from './line-storage.ts'
import { type Shape, ShapedFields } from './shape.ts'

/** Text of one block beyond which it is complete before its rows are: offsets are 32 bits, and a chunk is read whole. */
const MAX_RAW_BYTES = 64 * 1024 * 1024

/** Where event time lies; copied whole when a snapshot is taken. */
export interface TimeBounds {
  readonly min: DateTime
  readonly max: DateTime
  readonly sorted: boolean
}

/** The fields of one (index, day), by name, in order of first appearance. */
export type FieldStates = Map<string, FieldState>

export class MemoryBlock {
  rowCount = 0
  /** Made ahead of its writer; null: nobody did. */
  filter: ReadyFilter | null = null
  /** A writer has it. */
  isHandedOver = false
  readonly columns = new Map<string, ColumnBuilder>()
  private readonly order: ColumnBuilder[] = []
  private readonly columnsOfShapes = new Map<Shape, (ColumnBuilder | null)[]>()
  private lastShape: Shape | null = null
  private lastColumns: (ColumnBuilder | null)[] = []
  private readonly time: TimeStorage
  private readonly raw: LineStorage
  private rawCount = 0
  private min: DateTime | null = null
  private max: DateTime | null = null
  private lastMicros = Number.NEGATIVE_INFINITY
  private lastNanos = 0
  private sorted = true

  /**
   * @param expectedRawBytes  of `_raw` that is kept, what to make room for with the first text
   * @param expectedRows  and with the first row of all else
   */
  constructor(expectedRawBytes = 0, expectedRows = 0) {
    this.raw = new LineStorage(expectedRawBytes)
    this.time = new TimeStorage(expectedRows)
  }

  append(event: IncomingEvent, fieldOf: (name: string) => FieldState | null): void {
    const row = this.rowCount
    this.noteTime(row, event.time.micros, event.time.nanos)
    if (event.raw !== null) {
      this.raw.add(row, event.raw)
      this.rawCount++
    }
    if (event.fields instanceof ShapedFields) this.appendShaped(event.fields, row, fieldOf)
    else this.appendFields(event.fields, row, fieldOf)
    this.rowCount = row + 1
  }

  /** Lines of one shape: `[from, to)` of the batch. A column at a time, as columns are told apart once for all of them. */
  appendLines(batch: EventBatch, from: number, to: number, fieldOf: (name: string) => FieldState | null): void {
    const row = this.rowCount
    const { known } = batch.shapes[from]!
    const { cells, firstCells } = batch
    this.noteTimes(row, batch, from, to)
    this.raw.addLines(row, batch, from, to)
    this.rawCount += to - from
    const columns = this.columnsOf(known.shape)
    const { names } = known.shape
    const placeCount = names.length - known.added.length
    for (let place = 0; place < names.length; place++) {
      const added = place < placeCount ? null : known.added[place - placeCount]!
      // What stands nowhere is the value of `source`.
      const cellPlace = place < placeCount ? place : known.sourceAt
      const first =
        added ?? (columns[place] === null ? cells.valueAt(firstCells[from]! + cellPlace, batch.bytes) : null)
      const column = this.columnAt(columns, known.shape, place, row, first, fieldOf)
      if (column === null) continue
      if (added === null) column.appendCells(row, batch, cellPlace, from, to)
      else column.appendMany(row, to - from, added)
    }
    this.rowCount = row + to - from
  }

  private appendFields(
    fields: ReadonlyMap<string, Value>,
    row: number,
    fieldOf: (name: string) => FieldState | null,
  ): void {
    let at = 0
    for (const [name, value] of fields) {
      if (value === undefined) continue
      // Events of one source name their fields in one order, so the column that came next last time is most often the one.
      let column = this.order[at] ?? null
      if (column === null || column.field.name !== name) {
        column = this.columns.get(name) ?? this.addColumn(fieldOf(name), row, value)
        if (column === null) continue
        this.order[at] = column
      }
      at++
      column.append(row, value)
    }
  }

  private appendShaped(
    { shape, shapedValues }: ShapedFields,
    row: number,
    fieldOf: (name: string) => FieldState | null,
  ): void {
    const columns = this.columnsOf(shape)
    for (let place = 0; place < shapedValues.length; place++) {
      const value = shapedValues[place]
      if (value !== undefined) this.columnAt(columns, shape, place, row, value, fieldOf)?.append(row, value)
    }
  }

  /** A column for each place of a shape: names are looked up once a block. */
  private columnsOf(shape: Shape): (ColumnBuilder | null)[] {
    if (shape === this.lastShape) return this.lastColumns
    let columns = this.columnsOfShapes.get(shape)
    if (columns === undefined) {
      columns = new Array<ColumnBuilder | null>(shape.names.length).fill(null)
      this.columnsOfShapes.set(shape, columns)
    }
    this.lastShape = shape
    this.lastColumns = columns
    return columns
  }

  private columnAt(
    columns: (ColumnBuilder | null)[],
    shape: Shape,
    place: number,
    row: number,
    first: PresentOrNull,
    fieldOf: (name: string) => FieldState | null,
  ): ColumnBuilder | null {
    let column = columns[place] ?? null
    if (column !== null) return column
    const name = shape.names[place]!
    column = this.columns.get(name) ?? this.addColumn(fieldOf(name), row, first)
    columns[place] = column
    return column
  }

  /** Text that it takes before it is full. */
  get rawRoom(): number {
    return MAX_RAW_BYTES - this.raw.textBytes
  }

  get bounds(): TimeBounds {
    const min = this.min ?? new DateTime(0)
    return { min, max: this.max ?? min, sorted: this.sorted }
  }

  get hasRaw(): boolean {
    return this.rawCount > 0
  }

  /**
   * No row follows. All columns at once, because it may add to dictionaries, which readers of complete blocks take for whole.
   * @param isUnread  nobody has a view of any
   */
  finish(isUnread: boolean): void {
    this.time.finish(this.rowCount)
    this.raw.finish(this.rowCount)
    for (const column of this.columns.values()) column.finish(this.rowCount, isUnread)
  }

  /** Nobody reads it any more: what it held is for blocks to come. */
  release(): void {
    this.raw.release()
    this.time.release()
    for (const column of this.columns.values()) column.release()
  }

  /** Null when no row of the block has the field. */
  view(field: string, rowCount: number, frozen: FrozenDictionaries | null): Vector | null {
    if (field === '_time') return this.time.view(rowCount)
    if (field === '_raw')
      return this.rawCount === 0 ? null : this.raw.view(rowCount, this.rowCount, name => this.present(name))
    return this.columns.get(field)?.view(rowCount, frozen) ?? null
  }

  /** All rows of a field; one of few values is not made whole. */
  private present(field: string): Vector | ThinColumn | null {
    const column = this.columns.get(field)
    return column?.thin(this.rowCount) ?? column?.view(this.rowCount, null) ?? null
  }

  /** Null: the part writer has to find out what `_raw` is made of. */
  knownRaw(): KnownRaw | null {
    return this.rawCount === this.rowCount ? this.raw.known(this.rowCount) : null
  }

  columnBytes(field: string): number {
    if (field === '_time') return this.time.byteLength
    if (field === '_raw') return this.rawCount === 0 ? 0 : this.raw.byteLength
    return this.columns.get(field)?.byteLength ?? 0
  }

  /** Of text that is kept. */
  textBytes(field: string): number {
    return field === '_raw' ? this.raw.keptBytes : (this.columns.get(field)?.textBytes ?? 0)
  }

  private addColumn(field: FieldState | null, row: number, first: PresentOrNull): ColumnBuilder | null {
    if (field === null) return null
    const column = new ColumnBuilder(field, row, first)
    this.columns.set(field.name, column)
    return column
  }

  /** Those without nanoseconds, which is nearly all, a column at a time: an object for each greatest so far took 25 ns a row. */
  private noteTimes(row: number, { micros, nanos }: EventBatch, from: number, to: number): void {
    if (nanos.subarray(from, to).some(each => each !== 0)) {
      for (let at = from; at < to; at++) this.noteTime(row + at - from, micros[at]!, nanos[at]!)
      return
    }
    const added = micros.subarray(from, to)
    this.noteTime(row, added[0]!, 0)
    this.time.putMany(row, added)
    if (!areInOrder(added)) this.sorted = false
    this.lastMicros = added.at(-1)!
    const [least, greatest] = [leastOf(added, added[0]!), greatestOf(added, added[0]!)]
    if (isEarlier(least, 0, this.min!.micros, this.min!.nanos)) this.min = new DateTime(least, 0)
    if (isEarlier(this.max!.micros, this.max!.nanos, greatest, 0)) this.max = new DateTime(greatest, 0)
  }

  private noteTime(row: number, micros: number, nanos: number): void {
    this.time.put(row, micros, nanos)
    if (isEarlier(micros, nanos, this.lastMicros, this.lastNanos)) this.sorted = false
    this.lastMicros = micros
    this.lastNanos = nanos
    const { min, max } = this
    if (min === null || isEarlier(micros, nanos, min.micros, min.nanos)) this.min = new DateTime(micros, nanos)
    if (max === null || isEarlier(max.micros, max.nanos, micros, nanos)) this.max = new DateTime(micros, nanos)
  }
}

function areInOrder(values: Float64Array): boolean {
  for (let index = 1; index < values.length; index++) if (values[index]! < values[index - 1]!) return false
  return true
}
