/**
 * Lines of one template, read one after the other until one is not: `ByteTemplate.read` for many lines at once, sixteen bytes at a time, and what it
 * found about all of them handed over in a few copies. A byte, or four, at a time in JavaScript a seeded line of 350 bytes took 0.55 µs, and what is
 * called and kept for each line 0.15 more.
 */
import { isUtf8 } from 'node:buffer'
import { DIGITS_MAX, POWERS_OF_TEN } from '../decimal.ts'
import { F64, I32, I64, MachineLoop, op, V128 } from '../vector-module.ts'
import type { EventBatch, LineShape } from './event-batch.ts'
import { FALSE, NULL, NUMBER, TEXT, TRUE } from './line-cells.ts'
import { NEWLINE, RETURN } from './line-end.ts'
import type { EventDefaults } from './read-event.ts'

/** Addresses in bytes: powers of ten, where it stopped, templates, what is found of rows and of cells, the text. */
const STOPPED = 8 * (DIGITS_MAX + 1)
const TEMPLATES = STOPPED + 16
const TEMPLATE_BYTES = 8192
const TEMPLATES_MAX = 8
const ROWS_MAX = 1024
const CELLS_MAX = 16_384
const ROW_STARTS = TEMPLATES + TEMPLATES_MAX * TEMPLATE_BYTES
const ROW_ENDS = ROW_STARTS + 4 * ROWS_MAX
const FLAGS = ROW_ENDS + 4 * ROWS_MAX
const NUMBERS = FLAGS + ROWS_MAX
const STARTS = NUMBERS + 8 * CELLS_MAX
const ENDS = STARTS + 4 * CELLS_MAX
const KINDS = ENDS + 4 * CELLS_MAX
const TEXT_AT = KINDS + CELLS_MAX
/** Of a file's chunk so much at once: what is read of it and found in it stays in the processor's second cache. */
const TEXT_BYTES = 128 * 1024
/** So much is read beyond a text's end, and nothing that stands there is of a line. */
const BEYOND = 64
const MEMORY_BYTES = TEXT_AT + TEXT_BYTES + BEYOND

/** Flags of a row: every number stands there as `String` would write it; all its texts are ASCII. */
const IS_CANONICAL = 1
const IS_ASCII = 2

const SPACE = 32
const QUOTE = 34
const MINUS = 45
const POINT = 46
const ZERO = 48
const BACKSLASH = 92
/** The smallest number that `String` writes without an exponent. */
const PLAIN_MIN = 1e-6

const [TEMPLATE, AT, STOP, BASE, ROWS] = [0, 1, 2, 3, 4] as const
const [ROW, CELL, PIECE, LEFT, TO, LENGTH, MASK, START, HEAD, SEEN, CANONICAL, DECIMALS] = [
  5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
] as const
const [CELL_TO, DIGITS, VALUE, BYTES] = [17, 18, 19, 20] as const
const LOCALS = [I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I64, F64, V128]

/** Of a buffer: `[start, end)`. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

type Code = readonly (readonly number[])[]

const advance = (local: number, by: number): Code => [op.get(local), op.i32(by), op.add, op.set(local)]
/** Of the array at `array`, the place of `index`, whose elements take `1 << shift` bytes. */
const placeOf = (array: number, index: number, shift: number): Code => [
  ...[op.get(index), op.i32(shift), op.shiftLeft, op.i32(array), op.add],
]
const position = (local: number): Code => [op.get(local), op.get(BASE), op.sub]
const kind = (value: number): Code => [op.get(CELL_TO), op.i32(value), op.storeByte(KINDS)]
/** Is the byte at TO a digit? Then it is in HEAD. */
const DIGIT: Code = [op.get(TO), op.loadByte, op.i32(ZERO), op.sub, op.tee(HEAD), op.i32(10), op.lessUnsigned]
/** The digits from TO on, behind those before. */
const ADD_DIGITS: Code = [
  ...[op.block, op.loop, ...DIGIT, op.isZero, op.brIf(1)],
  ...[op.get(DIGITS), op.i64(10), op.multiplyLongs, op.get(HEAD), op.longOfUnsigned, op.addLongs, op.set(DIGITS)],
  ...[...advance(TO, 1), op.br(0), op.end, op.end],
]
const word = (text: string): number => Buffer.from(text).readInt32LE()

/** TO goes behind the piece at PIECE, and that to the next; leaves the block `depth` around when the line has other bytes there. */
const takePiece = (depth: number): Code => [
  ...[op.get(PIECE), op.load, op.set(LENGTH), ...advance(PIECE, 4)],
  ...[op.loop, op.get(TO), op.loadVector(0), op.get(PIECE), op.loadVector(0), op.bytesDiffer, op.bitmask, op.set(MASK)],
  ...[op.get(LENGTH), op.i32(16), op.notLessUnsigned, op.ifThen, op.get(MASK), op.brIf(depth + 2)],
  ...[...advance(TO, 16), ...advance(PIECE, 16), ...advance(LENGTH, -16), op.br(1), op.end, op.end],
  ...[op.get(MASK), op.i32(1), op.get(LENGTH), op.shiftLeft, op.i32(1), op.sub, op.and, op.brIf(depth)],
  ...[op.get(TO), op.get(LENGTH), op.add, op.set(TO), ...advance(PIECE, 16)],
]

/** The text behind the quote at TO; leaves the block `depth` around when it is not plain. */
const takeText = (depth: number): Code => [
  ...[...advance(TO, 1), op.get(TO), op.set(START)],
  ...[op.loop, op.get(TO), op.loadVector(0), op.tee(BYTES), op.everyByte(QUOTE), op.bytesEqual],
  ...[op.get(BYTES), op.everyByte(BACKSLASH), op.bytesEqual, op.orVector],
  ...[op.get(BYTES), op.everyByte(SPACE), op.bytesLessUnsigned, op.orVector, op.bitmask, op.tee(MASK), op.isZero],
  ...[op.ifThen, op.get(SEEN), op.get(BYTES), op.bitmask, op.or, op.set(SEEN), ...advance(TO, 16), op.br(1), op.end],
  ...[op.end, op.get(BYTES), op.bitmask, op.get(MASK), op.get(MASK), op.i32(-1), op.xor, op.i32(1), op.add, op.and],
  ...[op.i32(1), op.sub, op.and, op.get(SEEN), op.or, op.set(SEEN)],
  ...[op.get(TO), op.get(MASK), op.trailingZeros, op.add, op.tee(TO), op.loadByte, op.i32(QUOTE), op.differ],
  ...[op.brIf(depth), ...kind(TEXT), ...placeOf(STARTS, CELL_TO, 2), ...position(START), op.store],
  ...[...placeOf(ENDS, CELL_TO, 2), ...position(TO), op.store, ...advance(TO, 1)],
]

/** `true`, `false` or `null` at TO. */
const takeWord = (depth: number): Code => [
  ...[op.get(TO), op.load, op.tee(MASK), op.i32(word('true')), op.equal, op.ifThen],
  ...[...kind(TRUE), ...advance(TO, 4), op.orElse],
  ...[op.get(MASK), op.i32(word('null')), op.equal, op.ifThen, ...kind(NULL), ...advance(TO, 4), op.orElse],
  ...[op.get(MASK), op.i32(word('fals')), op.differ, op.brIf(depth + 2), ...advance(TO, 4)],
  ...[op.get(TO), op.loadByte, op.i32('e'.charCodeAt(0)), op.differ, op.brIf(depth + 2), ...kind(FALSE)],
  ...[...advance(TO, 1), op.end, op.end],
]

/** The number at TO, or a word. */
const takeNumberOrWord = (depth: number): Code => [
  // LENGTH: whether it is negative.
  ...[op.get(TO), op.loadByte, op.i32(MINUS), op.equal, op.tee(LENGTH), op.get(TO), op.add, op.tee(TO), op.set(START)],
  ...[op.i64(0), op.set(DIGITS), op.i32(0), op.set(DECIMALS), ...ADD_DIGITS],
  ...[op.get(TO), op.get(START), op.equal, op.ifThen, op.get(LENGTH), op.brIf(depth + 1), ...takeWord(depth + 1)],
  ...[op.orElse],
  // No number begins with a zero that is followed by another digit.
  ...[op.get(TO), op.get(START), op.sub, op.i32(1), op.greaterUnsigned],
  ...[op.get(START), op.loadByte, op.i32(ZERO), op.equal, op.and, op.brIf(depth + 1)],
  ...[op.get(TO), op.loadByte, op.i32(POINT), op.equal, op.ifThen],
  ...[...advance(TO, 1), op.get(TO), op.set(MASK), ...ADD_DIGITS],
  ...[op.get(TO), op.get(MASK), op.sub, op.tee(DECIMALS), op.isZero, op.brIf(depth + 2), op.end],
  ...[op.get(TO), op.get(START), op.sub, op.i32(DIGITS_MAX), op.greaterUnsigned, op.brIf(depth + 1)],
  ...[op.get(DIGITS), op.floatOfLong, op.set(VALUE), op.get(DECIMALS), op.ifThen],
  ...[op.get(VALUE), op.get(DECIMALS), op.i32(3), op.shiftLeft, op.loadFloat, op.divideFloats, op.set(VALUE)],
  ...[op.get(TO), op.i32(1), op.sub, op.loadByte, op.i32(ZERO), op.differ],
  ...[op.get(VALUE), op.f64(PLAIN_MIN), op.lessFloat, op.isZero, op.and, op.get(CANONICAL), op.and, op.set(CANONICAL)],
  ...[op.orElse, op.get(LENGTH), op.get(DIGITS), op.isZeroLong, op.and, op.isZero, op.get(CANONICAL), op.and],
  ...[op.set(CANONICAL), op.end],
  // There is one zero.
  ...[op.get(LENGTH), op.get(DIGITS), op.isZeroLong, op.isZero, op.and, op.ifThen],
  ...[op.get(VALUE), op.negateFloat, op.set(VALUE), op.end],
  ...[...kind(NUMBER), ...placeOf(NUMBERS, CELL_TO, 3), op.get(VALUE), op.storeFloat, op.end],
]

/** (template, at, stop, base, rows) => how many lines were read; a position is an address less `base`. The memory says where it stopped. */
const CODE: Code = [
  ...[op.block, op.loop, op.get(ROW), op.get(ROWS), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.get(STOP), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(TEMPLATE), op.load, op.set(LEFT), op.get(TEMPLATE), op.i32(4), op.add, op.set(PIECE)],
  ...[op.get(AT), op.set(TO), op.get(CELL), op.set(CELL_TO), op.i32(0), op.set(SEEN), op.i32(1), op.set(CANONICAL)],
  ...[op.block, op.loop, ...takePiece(1)],
  ...[op.get(LEFT), op.isZero, op.ifThen, op.get(TO), op.loadByte, op.tee(HEAD), op.i32(RETURN), op.equal],
  ...[op.get(TO), op.add, op.tee(START), op.loadByte, op.i32(NEWLINE), op.differ, op.brIf(2)],
  ...[
    ...placeOf(ROW_STARTS, ROW, 2),
    ...position(AT),
    op.store,
    ...placeOf(ROW_ENDS, ROW, 2),
    ...position(TO),
    op.store,
  ],
  ...[op.get(ROW), op.get(CANONICAL), op.get(SEEN), op.isZero, op.i32(1), op.shiftLeft, op.or, op.storeByte(FLAGS)],
  ...[
    ...advance(ROW, 1),
    op.get(CELL_TO),
    op.set(CELL),
    op.get(START),
    op.i32(1),
    op.add,
    op.set(AT),
    op.br(3),
    op.end,
  ],
  ...[...advance(LEFT, -1), op.get(TO), op.loadByte, op.i32(QUOTE), op.equal, op.ifThen, ...takeText(2)],
  ...[op.orElse, ...takeNumberOrWord(2), op.end, ...advance(CELL_TO, 1), op.br(0), op.end, op.end],
  ...[op.end, op.end, op.i32(STOPPED), op.get(AT), op.store, op.get(ROW)],
]

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
  readonly #bytes: Uint8Array
  readonly #words: Int32Array
  readonly #numbers: Float64Array
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
    this.#bytes = loop.room(MEMORY_BYTES)
    this.#words = new Int32Array(this.#bytes.buffer)
    this.#numbers = new Float64Array(this.#bytes.buffer)
    this.#numbers.set(POWERS_OF_TEN)
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
    const read = this.#loop.run(TEMPLATES + slot * TEMPLATE_BYTES, at + base, this.#to + base, base, rows)
    const words = this.#words
    const count = this.#taken(shape, bytes, read)
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
    }
    return count < read ? words[ROW_STARTS / 4 + count]! : words[STOPPED / 4]! - base
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

  /** -1: its template is too long. */
  #slotOf(shape: LineShape): number {
    const known = this.#shapes.indexOf(shape)
    if (known >= 0) return known
    const { pieces, fields } = shape.template
    if (fields.length > CELLS_MAX) return -1
    let bytes = 4
    for (const { length } of pieces) bytes += 4 + roomOf(length)
    if (bytes > TEMPLATE_BYTES) return -1
    const slot = this.#nextShape
    this.#nextShape = (slot + 1) % TEMPLATES_MAX
    this.#shapes[slot] = shape
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
