/** One block of the buffer: columns while they fill, and the same columns once complete. */
import type { IncomingEvent } from '../index.ts'
import { DateTime, type Value } from '../value.ts'
import type { Vector } from '../vector.ts'
import { ColumnBuilder, type FieldState } from './column-builder.ts'
import { type PresentOrNull, TimeStorage } from './column-storage.ts'
import type { FrozenDictionaries } from './field-dictionary.ts'
import { type Shape, ShapedFields } from './shape.ts'
import { TextStorage } from './string-storage.ts'

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
  readonly columns = new Map<string, ColumnBuilder>()
  private readonly order: ColumnBuilder[] = []
  private readonly columnsOfShapes = new Map<Shape, (ColumnBuilder | null)[]>()
  private lastShape: Shape | null = null
  private lastColumns: (ColumnBuilder | null)[] = []
  private readonly time = new TimeStorage()
  private readonly raw: TextStorage
  private rawCount = 0
  private min: DateTime | null = null
  private max: DateTime | null = null
  private last: DateTime | null = null
  private sorted = true

  constructor(expectedRawBytes = 0) {
    this.raw = new TextStorage(expectedRawBytes)
  }

  append(event: IncomingEvent, fieldOf: (name: string) => FieldState | null): void {
    const row = this.rowCount
    this.noteTime(row, event.time)
    if (event.raw !== null) {
      this.raw.add(row, event.raw)
      this.rawCount++
    }
    if (event.fields instanceof ShapedFields) this.appendShaped(event.fields, row, fieldOf)
    else this.appendFields(event.fields, row, fieldOf)
    this.rowCount = row + 1
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

  /** A column for each place of a shape: names are looked up once a block. */
  private appendShaped(
    { shape, shapedValues }: ShapedFields,
    row: number,
    fieldOf: (name: string) => FieldState | null,
  ): void {
    let columns = shape === this.lastShape ? this.lastColumns : this.columnsOfShapes.get(shape)
    if (columns === undefined) {
      columns = new Array<ColumnBuilder | null>(shapedValues.length).fill(null)
      this.columnsOfShapes.set(shape, columns)
    }
    this.lastShape = shape
    this.lastColumns = columns
    for (let place = 0; place < shapedValues.length; place++) {
      const value = shapedValues[place]
      if (value === undefined) continue
      let column = columns[place] ?? null
      if (column === null) {
        const name = shape.names[place]!
        column = this.columns.get(name) ?? this.addColumn(fieldOf(name), row, value)
        if (column === null) continue
        columns[place] = column
      }
      column.append(row, value)
    }
  }

  get isFull(): boolean {
    return this.raw.textBytes >= MAX_RAW_BYTES
  }

  get bounds(): TimeBounds {
    const min = this.min ?? new DateTime(0)
    return { min, max: this.max ?? min, sorted: this.sorted }
  }

  get hasRaw(): boolean {
    return this.rawCount > 0
  }

  /** No row follows. All columns at once, because it may add to dictionaries, which readers of complete blocks take for whole. */
  finish(): void {
    this.time.finish(this.rowCount)
    this.raw.finish(this.rowCount)
    for (const column of this.columns.values()) column.finish(this.rowCount)
  }

  /** Null when no row of the block has the field. */
  view(field: string, rowCount: number, frozen: FrozenDictionaries | null): Vector | null {
    if (field === '_time') return this.time.view(rowCount)
    if (field === '_raw') return this.rawCount === 0 ? null : this.raw.view(rowCount)
    return this.columns.get(field)?.view(rowCount, frozen) ?? null
  }

  columnBytes(field: string): number {
    if (field === '_time') return this.time.byteLength
    if (field === '_raw') return this.rawCount === 0 ? 0 : this.raw.byteLength
    return this.columns.get(field)?.byteLength ?? 0
  }

  textBytes(field: string): number {
    return field === '_raw' ? this.raw.textBytes : (this.columns.get(field)?.textBytes ?? 0)
  }

  private addColumn(field: FieldState | null, row: number, first: PresentOrNull): ColumnBuilder | null {
    if (field === null) return null
    const column = new ColumnBuilder(field, row, first)
    this.columns.set(field.name, column)
    return column
  }

  private noteTime(row: number, time: DateTime): void {
    this.time.add(row, time)
    if (this.last !== null && isBefore(time, this.last)) this.sorted = false
    this.last = time
    if (this.min === null || isBefore(time, this.min)) this.min = time
    if (this.max === null || isBefore(this.max, time)) this.max = time
  }
}

export function isBefore(a: DateTime, b: DateTime): boolean {
  return a.micros < b.micros || (a.micros === b.micros && a.nanos < b.nanos)
}
