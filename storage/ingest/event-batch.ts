/**
 * Events on their way into the buffer, in the order they came. Lines that look like those before stay what they are, bytes and where their
 * values lie in them (`line-reader.ts`); any other is an event. One batch is filled, appended and emptied again and again: nothing is made
 * for a line.
 */
import type { IncomingEvent } from '../index.ts'
import type { Template } from '../part/rebuilt/template.ts'
import { DateTime, type Value } from '../value.ts'
import { sizeOfEvent, sizeOfFields } from './buffer.ts'
import type { ByteTemplate } from './byte-template.ts'
import { resized } from './column-storage.ts'
import type { KnownShape } from './known-shape.ts'
import { LineCells } from './line-cells.ts'
import type { LineRun } from './line-texts.ts'
import type { EventDefaults } from './read-event.ts'
import { ShapedFields } from './shape.ts'

/** Lines that look alike. */
export interface LineShape {
  readonly known: KnownShape
  readonly bytes: ByteTemplate
  /** The same as the part writer has it: `_raw` of such a line can be put together from its fields. */
  readonly template: Template
  /** The line it was learnt from has values that the machine code does not take. */
  readonly isOdd: boolean
}

/** To begin with: most requests hold few. */
const ROWS = 64
const NO_BYTES = Buffer.alloc(0)
const NO_VIEW = new DataView(new ArrayBuffer(0))

export class EventBatch {
  count = 0
  /** Another after each time it was emptied: until then nobody changes the bytes of its lines. */
  turn = 0
  /** What all lines lie in. */
  bytes: Buffer = NO_BYTES
  /** Of the same memory. */
  words: DataView = NO_VIEW
  readonly cells = new LineCells(ROWS * 8)
  cellCount = 0
  /** By row. Null: it is in `events`. */
  readonly shapes: (LineShape | null)[] = []
  readonly events: (IncomingEvent | null)[] = []
  readonly defaults: (EventDefaults | null)[] = []
  /** Of lines: where their first cell is, where they begin and end. */
  firstCells = new Int32Array(ROWS)
  starts = new Int32Array(ROWS)
  ends = new Int32Array(ROWS)
  micros = new Float64Array(ROWS)
  nanos = new Uint16Array(ROWS)
  /** Does it say its time itself? Else it is when it was received. */
  hasTime = new Uint8Array(ROWS)
  /** Is the line what its template and its values give, byte for byte? */
  isCanonical = new Uint8Array(ROWS)
  /** Has one of its texts an escape? */
  isEscaped = new Uint8Array(ROWS)
  /** Of lines that were read many at once, in order. */
  readonly runs: LineRun[] = []
  #lastRun = 0
  /** Texts of those, of one place of a run one behind the other. */
  texts = new Uint8Array(0)
  #textsUsed = 0
  /** Numbers of those of other places, or -1. */
  textNumbers = new Int32Array(0)
  #numbersUsed = 0

  addEvent(event: IncomingEvent): void {
    this.#reserve(1)
    const row = this.count++
    this.shapes[row] = null
    this.events[row] = event
    this.defaults[row] = null
    this.micros[row] = event.time.micros
  }

  /** A line of which the values are in the cells behind those of the lines before. Answers with its row. */
  addLine(shape: LineShape, bytes: Buffer, start: number, end: number, defaults: EventDefaults): number {
    const row = this.count
    this.addLines(shape, bytes, 1, defaults)
    this.starts[row] = start
    this.ends[row] = end
    return row
  }

  /** So many lines of one shape, of which the caller says the rest: their cells, which there is room for then, where they begin and end, whether they are canonical or have escapes. */
  addLines(shape: LineShape, bytes: Buffer, count: number, defaults: EventDefaults): void {
    this.#reserve(count)
    if (this.bytes !== bytes) {
      this.bytes = bytes
      this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    const placeCount = shape.template.fields.length
    this.cells.reserve(this.cellCount + count * placeCount)
    const { shapes, events, firstCells, isEscaped } = this
    for (let row = this.count, cell = this.cellCount; row < this.count + count; row++, cell += placeCount) {
      shapes[row] = shape
      events[row] = null
      this.defaults[row] = defaults
      firstCells[row] = cell
      isEscaped[row] = 0
    }
    this.count += count
    this.cellCount += count * placeCount
  }

  /** Answers with where they are in `texts`. */
  addTexts(bytes: Uint8Array): number {
    const at = this.#textsUsed
    const end = at + bytes.length
    if (end > this.texts.length) this.texts = resized(this.texts.subarray(0, at), new Uint8Array(end * 2))
    this.texts.set(bytes, at)
    this.#textsUsed = end
    return at
  }

  /** The same of numbers. */
  addTextNumbers(numbers: Int32Array): number {
    const at = this.#numbersUsed
    const end = at + numbers.length
    if (end > this.textNumbers.length)
      this.textNumbers = resized(this.textNumbers.subarray(0, at), new Int32Array(end * 2))
    this.textNumbers.set(numbers, at)
    this.#numbersUsed = end
    return at
  }

  /** The run that the row is in; null: it was read by itself. */
  runAt(row: number): LineRun | null {
    const { runs } = this
    let index = this.#lastRun < runs.length && runs[this.#lastRun]!.from <= row ? this.#lastRun : 0
    while (index < runs.length && runs[index]!.to <= row) index++
    this.#lastRun = index
    const run = runs[index]
    return run !== undefined && run.from <= row ? run : null
  }

  setTime(row: number, micros: number, nanos: number): void {
    this.micros[row] = micros
    this.nanos[row] = nanos
    this.hasTime[row] = 1
  }

  /** Of rows from `row` on, without nanoseconds. */
  setTimes(row: number, micros: Float64Array): void {
    const end = row + micros.length
    this.micros.set(micros, row)
    this.nanos.fill(0, row, end)
    this.hasTime.fill(1, row, end)
  }

  setReceived(row: number, { micros, nanos }: DateTime): void {
    this.setTime(row, micros, nanos)
    this.hasTime[row] = 0
  }

  /** Room for so many more. */
  #reserve(count: number): void {
    const { length } = this.starts
    if (this.count + count <= length) return
    const rows = Math.max(length * 2, this.count + count)
    const positions = (from: Int32Array) => resized(from, new Int32Array(rows))
    const flags = (from: Uint8Array) => resized(from, new Uint8Array(rows))
    this.firstCells = positions(this.firstCells)
    this.starts = positions(this.starts)
    this.ends = positions(this.ends)
    this.micros = resized(this.micros, new Float64Array(rows))
    this.nanos = resized(this.nanos, new Uint16Array(rows))
    this.hasTime = flags(this.hasTime)
    this.isCanonical = flags(this.isCanonical)
    this.isEscaped = flags(this.isEscaped)
  }

  clear(): void {
    this.turn++
    this.count = 0
    this.cellCount = 0
    this.bytes = NO_BYTES
    this.words = NO_VIEW
    this.runs.length = 0
    this.#textsUsed = 0
    this.#numbersUsed = 0
  }

  /** The end of the rows from `row` on that are lines of one shape, go to one index and happened on one day, as `row` did. */
  endOfRun(row: number, dayMicros: number): number {
    const { shapes, defaults, micros, count } = this
    const shape = shapes[row]
    const { index } = defaults[row]!
    const dayStart = Math.floor(micros[row]! / dayMicros) * dayMicros
    const dayEnd = dayStart + dayMicros
    let end = row + 1
    while (
      end < count &&
      shapes[end] === shape &&
      defaults[end]!.index === index &&
      micros[end]! >= dayStart &&
      micros[end]! < dayEnd
    )
      end++
    return end
  }

  /** Bytes of a line. */
  lengthOf(row: number): number {
    return this.ends[row]! - this.starts[row]!
  }

  /** The same of lines. */
  lengthOfLines(from: number, to: number): number {
    return lengthOf(this.starts, this.ends, from, to)
  }

  /** As the buffer counts them, see `sizeOfEvent`. */
  sizeOf(row: number): number {
    const shape = this.shapes[row]
    if (shape == null) return sizeOfEvent(this.events[row]!)
    return sizeOfFields(shape.known.shape.names.length) + 2 * this.lengthOf(row)
  }

  /** What all of it counts for in the buffer, bytes. */
  size(): number {
    let bytes = 0
    for (let row = 0; row < this.count; ) {
      let end = row + 1
      if (this.shapes[row] !== null) while (end < this.count && this.shapes[end] === this.shapes[row]) end++
      bytes += this.shapes[row] === null ? this.sizeOf(row) : this.sizeOfLines(row, end)
      row = end
    }
    return bytes
  }

  /** The same of lines of one shape. */
  sizeOfLines(from: number, to: number): number {
    const { names } = this.shapes[from]!.known.shape
    return (to - from) * sizeOfFields(names.length) + 2 * this.lengthOfLines(from, to)
  }

  /** Has every event a time? */
  hasTimes(): boolean {
    for (let row = 0; row < this.count; row++) if (!Number.isFinite(this.micros[row])) return false
    return true
  }

  /** Where the lines from `from` on end that have room in so many bytes, the first in any case. */
  endOfRoom(from: number, to: number, bytes: number): number {
    const { starts, ends } = this
    let end = from + 1
    for (let room = bytes - this.lengthOf(from); end < to && room > 0; end++) room -= ends[end]! - starts[end]!
    return end
  }

  /** As its reader would have made it. */
  eventAt(row: number): IncomingEvent {
    const shape = this.shapes[row]
    if (shape == null) return this.events[row]!
    const { known, template } = shape
    const { index, receivedAt } = this.defaults[row]!
    const time = this.hasTime[row] === 1 ? new DateTime(this.micros[row]!, this.nanos[row]!) : receivedAt
    const first = this.firstCells[row]!
    const values: Value[] = template.fields.map((_, place) => this.cells.valueAt(first + place, this.bytes))
    const source = values[known.sourceAt]
    for (const added of known.added) values.push(added ?? source)
    const raw = this.bytes.toString('utf8', this.starts[row], this.ends[row])
    return { index, time, raw, fields: new ShapedFields(known.shape, values) }
  }

  /** For who wants events. */
  toEvents(): IncomingEvent[] {
    return Array.from({ length: this.count }, (_, row) => this.eventAt(row))
  }
}

function lengthOf(starts: Int32Array, ends: Int32Array, from: number, to: number): number {
  let length = 0
  for (let row = from; row < to; row++) length += ends[row]! - starts[row]!
  return length
}
