/**
 * Lines of one template, read one after the other until one is not: `ByteTemplate.read` for many lines at once, sixteen bytes at a time, and what it
 * found about all of them handed over in a few copies. A byte, or four, at a time in JavaScript a seeded line of 350 bytes took 0.55 µs, and what is
 * called and kept for each line 0.15 more.
 */
import { isUtf8 } from 'node:buffer'
import { POWERS_OF_TEN } from '../decimal.ts'
import { type LoopBeside, MachineLoop } from '../vector-module.ts'
import type { EventBatch, LineShape } from './event-batch.ts'
import { minuteRead } from './iso-time.ts'
import { TEXT } from './line-cells.ts'
import {
  BEYOND,
  CELLS_MAX,
  CODE,
  ENDS,
  FLAGS,
  IS_ASCII,
  IS_CANONICAL,
  KINDS,
  LIKE,
  LOCALS,
  MEMORY_BYTES,
  MINUTE,
  NUMBERS,
  PIECES_BYTES,
  ROW_ENDS,
  ROW_STARTS,
  ROWS_MAX,
  STARTS,
  STOPPED,
  TEMPLATE_BYTES,
  TEMPLATES,
  TEMPLATES_MAX,
  TEXT_AT,
  TEXT_BYTES,
  TIMES,
} from './line-code.ts'
import { NEWLINE } from './line-end.ts'
import { LineTexts } from './line-texts.ts'
import type { EventDefaults } from './read-event.ts'
import { TIME_CODE, TIME_LOCALS, TIME_PARAMETERS } from './time-code.ts'

/** Times of other minutes among as many lines as are read at once: with more of them one by one is no slower. */
const OTHER_TIMES_MAX = 32

/** Of a buffer: `[start, end)`. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** Made when it is first asked for; null: there is none. */
let made: LineLoop | null | undefined

export function lineLoop(): LineLoop | null {
  if (made === undefined) {
    const loop = MachineLoop.of(5, LOCALS, CODE)
    made = loop === null ? null : new LineLoop(loop)
  }
  return made
}

export class LineLoop {
  readonly #loop: MachineLoop
  /** The memory, which grows. */
  #bytes: Uint8Array = new Uint8Array(0)
  #words: Int32Array = new Int32Array(0)
  #numbers: Float64Array = new Float64Array(0)
  readonly #lineTexts: LineTexts
  readonly #times: LoopBeside
  /** Those whose pieces lie in the memory. */
  readonly #shapes: LineShape[] = []
  #nextShape = 0
  /** What of whose bytes lies there: as long as its lines are those of a batch, they are not others. */
  #batch: EventBatch | null = null
  #turn = -1
  #loaded: Buffer | null = null
  #from = 0
  #to = 0

  constructor(loop: MachineLoop) {
    this.#loop = loop
    this.#look()
    this.#numbers.set(POWERS_OF_TEN)
    this.#lineTexts = new LineTexts(loop)
    this.#times = loop.beside(TIME_PARAMETERS, TIME_LOCALS, TIME_CODE)
  }

  #look(): void {
    const bytes = this.#loop.room(MEMORY_BYTES)
    if (bytes === this.#bytes) return
    this.#bytes = bytes
    this.#words = new Int32Array(bytes.buffer)
    this.#numbers = new Float64Array(bytes.buffer)
  }

  /**
   * Lines of this shape from `at` on into the batch, all but their times, until there are `rowsMax`, one is none, or the bytes end. Answers where the first begins
   * that was not read.
   */
  read(
    shape: LineShape,
    batch: EventBatch,
    bytes: Buffer,
    span: ByteSpan,
    rowsMax: number,
    defaults: EventDefaults,
  ): number {
    const slot = this.#slotOf(shape)
    if (slot < 0) return span.start
    if (!this.#holds(batch, bytes, span.start)) this.#load(batch, bytes, span)
    const next = this.#readLoaded(shape, slot, batch, bytes, span.start, rowsMax, defaults)
    if (next !== span.start || this.#from === next || !this.#cuts(bytes, next, span.end)) return next
    this.#load(batch, bytes, span)
    return this.#readLoaded(shape, slot, batch, bytes, next, rowsMax, defaults)
  }

  #readLoaded(
    shape: LineShape,
    slot: number,
    batch: EventBatch,
    bytes: Buffer,
    at: number,
    rowsMax: number,
    defaults: EventDefaults,
  ): number {
    const placeCount = shape.template.fields.length
    const base = TEXT_AT - this.#from
    const rows = Math.min(ROWS_MAX, Math.floor(CELLS_MAX / placeCount), rowsMax - batch.count)
    this.#lineTexts.rewind(slot)
    const read = this.#loop.run(TEMPLATES + slot * TEMPLATE_BYTES, at + base, this.#to + base, base, rows)
    const words = this.#words
    const count = this.#taken(shape, bytes, read)
    // Before the memory grows, and `words` is of none.
    const next = count < read ? words[ROW_STARTS / 4 + count]! : words[STOPPED / 4]! - base
    if (count > 0) {
      const first = batch.count
      const firstCell = batch.cellCount
      const cellCount = count * placeCount
      batch.addLines(shape, bytes, count, defaults)
      const { cells } = batch
      cells.kinds.set(this.#bytes.subarray(KINDS, KINDS + cellCount), firstCell)
      cells.starts.set(words.subarray(STARTS / 4, STARTS / 4 + cellCount), firstCell)
      cells.ends.set(words.subarray(ENDS / 4, ENDS / 4 + cellCount), firstCell)
      cells.numbers.set(this.#numbers.subarray(NUMBERS / 8, NUMBERS / 8 + cellCount), firstCell)
      batch.starts.set(words.subarray(ROW_STARTS / 4, ROW_STARTS / 4 + count), first)
      batch.ends.set(words.subarray(ROW_ENDS / 4, ROW_ENDS / 4 + count), first)
      for (let row = 0; row < count; row++) batch.isCanonical[first + row] = this.#bytes[FLAGS + row]! & IS_CANONICAL
      this.#lineTexts.take(slot, batch, first, count, base)
    }
    this.#look()
    return next
  }

  /**
   * The times at a place of the lines read last, which are the batch's rows from `first` on.
   * @param readOther  reads one in another way
   */
  readTimes(
    batch: EventBatch,
    first: number,
    place: number,
    placeCount: number,
    readOther: (row: number) => void,
  ): void {
    const count = batch.count - first
    let row = 0
    for (let others = 0; row < count && others <= OTHER_TIMES_MAX; others++) {
      this.#putMinute()
      const stopped = this.#times.run(row, count, place, placeCount, TEXT_AT - this.#from)
      batch.setTimes(first + row, this.#numbers.subarray(TIMES / 8 + row, TIMES / 8 + stopped))
      row = stopped
      if (row < count) readOther(first + row++)
    }
    for (; row < count; row++) readOther(first + row)
  }

  #putMinute(): void {
    const { buffer, byteOffset } = this.#bytes
    this.#numbers[MINUTE / 8] = minuteRead(new DataView(buffer, byteOffset), LIKE)
  }

  /** How many of the lines, before the first that its bytes or its source make another. */
  #taken({ known, template }: LineShape, bytes: Buffer, read: number): number {
    const { sourceAt } = known
    const placeCount = template.fields.length
    for (let row = 0; row < read; row++) {
      // What is no UTF-8 becomes other text than its bytes.
      if ((this.#bytes[FLAGS + row]! & IS_ASCII) === 0) {
        const line = bytes.subarray(this.#words[ROW_STARTS / 4 + row], this.#words[ROW_ENDS / 4 + row])
        if (!isUtf8(line)) return row
      }
      if (sourceAt >= 0 && !known.takesSource(this.#bytes[KINDS + row * placeCount + sourceAt] === TEXT)) return row
    }
    return read
  }

  /** Does the line that begins at `at` go on behind what is loaded? */
  #cuts(bytes: Buffer, at: number, end: number): boolean {
    if (this.#to === end) return false
    const stop = bytes.indexOf(NEWLINE, at)
    return stop < 0 || stop >= this.#to
  }

  #holds(batch: EventBatch, bytes: Buffer, at: number): boolean {
    const isSame = this.#batch === batch && this.#turn === batch.turn && this.#loaded === bytes
    return isSame && at >= this.#from && at < this.#to
  }

  #load(batch: EventBatch, bytes: Buffer, { start, end }: ByteSpan): void {
    const to = Math.min(end, start + TEXT_BYTES)
    this.#bytes.set(bytes.subarray(start, to), TEXT_AT)
    const last = TEXT_AT + to - start
    this.#bytes.fill(0, last, last + BEYOND)
    // The end of the last line; what is cut off in its midst ends with what is in no line.
    if (to === end) this.#bytes[last] = NEWLINE
    this.#batch = batch
    this.#turn = batch.turn
    this.#loaded = bytes
    this.#from = start
    this.#to = to
  }

  /** All shapes, as most of what their texts take may be of some that went before. */
  #forget(): void {
    this.#shapes.length = 0
    this.#nextShape = 0
    this.#lineTexts.clear()
  }

  /** -1: its template is too long. */
  #slotOf(shape: LineShape): number {
    const known = this.#shapes.indexOf(shape)
    if (known >= 0) return known
    const { pieces, fields } = shape.template
    if (fields.length > CELLS_MAX) return -1
    let bytes = 4
    for (const { length } of pieces) bytes += 4 + roomOf(length)
    if (bytes > PIECES_BYTES) return -1
    if (this.#lineTexts.isCrowded) this.#forget()
    const slot = this.#nextShape
    this.#nextShape = (slot + 1) % TEMPLATES_MAX
    this.#shapes[slot] = shape
    this.#lineTexts.begin(slot, fields.length)
    this.#look()
    const view = new DataView(this.#bytes.buffer)
    let at = TEMPLATES + slot * TEMPLATE_BYTES
    view.setInt32(at, fields.length, true)
    at += 4
    for (const piece of pieces) {
      view.setInt32(at, piece.length, true)
      this.#bytes.set(piece, at + 4)
      at += 4 + roomOf(piece.length)
    }
    return slot
  }
}

/** Sixteen at a time, and always fewer than those at last. */
function roomOf(length: number): number {
  return (length & ~15) + 16
}
