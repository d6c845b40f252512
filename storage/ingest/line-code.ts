/**
 * The machine code that reads lines of one template, and where everything stands in the memory it works in: see `line-loop.ts`. Bytes are compared and gone
 * over sixteen at a time, texts that are alike get one number, and those that hardly ever are lie one behind the other when it is done.
 */
import { DIGITS_MAX } from '../decimal.ts'
import { type Code, F64, I32, I64, op, V128 } from '../vector-module.ts'
import { FALSE, NULL, NUMBER, TEXT, TRUE } from './line-cells.ts'
import { NEWLINE, RETURN } from './line-end.ts'

/** Addresses in bytes: powers of ten, where it stopped, templates with their places, what is found of rows and of cells, texts of no place, the text. */
export const STOPPED = 8 * (DIGITS_MAX + 1)
/** As many set bytes as a text that is numbered has at most, and as many zeros: read from the right one of them on, they are what is its own of 16 bytes. */
export const OWN_BYTES = STOPPED + 16
export const NUMBERED_BYTES_MAX = 32
export const TEMPLATES = OWN_BYTES + 2 * NUMBERED_BYTES_MAX
export const PIECES_BYTES = 8192
/** A piece takes twenty bytes, so no template that fits has more places. */
const PLACES_MAX = 416
export const PLACE_BYTES = 32
export const TEMPLATE_BYTES = PIECES_BYTES + PLACES_MAX * PLACE_BYTES
export const TEMPLATES_MAX = 8
/** Of a place. Slots of a hash table, 0: its texts are not numbered; how many of them less one; where the texts stand that have numbers, padded with zeros, which are in none; how many have. */
export const SLOTS = 0
export const SLOT_MASK = 4
export const ENTRIES = 8
export const COUNT = 12
/** Where its next text goes; and all bits of whether it stays there. */
export const TEXTS_TO = 16
export const IS_GATHERED = 20
/** It gets no more numbers. */
export const COUNT_MAX = 24
/** A slot is a hash of eight bytes, one more than the number it leads to, which is 0 in a free one, and whether the text is short. */
export const SLOT_BYTES = 16
export const SHORT_BYTES = 8
export const ROWS_MAX = 1024
export const CELLS_MAX = 16_384
export const ROW_STARTS = TEMPLATES + TEMPLATES_MAX * TEMPLATE_BYTES
export const ROW_ENDS = ROW_STARTS + 4 * ROWS_MAX
export const FLAGS = ROW_ENDS + 4 * ROWS_MAX
export const NUMBERS = FLAGS + ROWS_MAX
export const STARTS = NUMBERS + 8 * CELLS_MAX
export const ENDS = STARTS + 4 * CELLS_MAX
export const KINDS = ENDS + 4 * CELLS_MAX
/** Of the texts of a place. */
export const TEXT_NUMBERS = KINDS + CELLS_MAX
/** Of a file's chunk so much at once: what is read of it and found in it stays in the processor's second cache. */
export const TEXT_BYTES = 128 * 1024
/** So much is read beyond a text's end, and nothing that stands there is of a line. */
export const BEYOND = 64
export const ASIDE = TEXT_NUMBERS + 4 * ROWS_MAX
export const TEXT_AT = ASIDE + TEXT_BYTES + BEYOND
/** Of rows, in microseconds; what times begin with that are of the minute read last, and when that began. */
export const TIMES = TEXT_AT + TEXT_BYTES + BEYOND
export const LIKE = TIMES + 8 * ROWS_MAX
export const MINUTE = LIKE + 16
export const MEMORY_BYTES = MINUTE + 16

/** Flags of a row: every number stands there as `String` would write it; all its texts are ASCII. */
export const IS_CANONICAL = 1
export const IS_ASCII = 2

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
const [CELL_TO, PLACE, OUT, DIGITS, VALUE, BYTES] = [17, 18, 19, 20, 21, 22] as const
export const LOCALS = [...new Array<number>(15).fill(I32), I64, F64, V128]

export const advance = (local: number, by: number): Code => [op.get(local), op.i32(by), op.add, op.set(local)]
/** Of the array at `array`, the place of `index`, whose elements take `1 << shift` bytes. */
export const placeOf = (array: number, index: number, shift: number): Code => [
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

/** The text behind the quote at TO, which is copied as it is gone over; leaves the block `depth` around when it is not plain. */
const takeText = (depth: number): Code => [
  ...[...advance(TO, 1), op.get(TO), op.set(START), op.get(PLACE), op.loadAt(TEXTS_TO), op.set(OUT)],
  ...[op.loop, op.get(OUT), op.get(TO), op.loadVector(0), op.tee(BYTES), op.storeVector(0)],
  ...[op.get(BYTES), op.everyByte(QUOTE), op.bytesEqual],
  ...[op.get(BYTES), op.everyByte(BACKSLASH), op.bytesEqual, op.orVector],
  ...[op.get(BYTES), op.everyByte(SPACE), op.bytesLessUnsigned, op.orVector, op.bitmask, op.tee(MASK), op.isZero],
  ...[op.ifThen, op.get(SEEN), op.get(BYTES), op.bitmask, op.or, op.set(SEEN)],
  ...[...advance(TO, 16), ...advance(OUT, 16), op.br(1), op.end],
  ...[op.end, op.get(BYTES), op.bitmask, op.get(MASK), op.get(MASK), op.i32(-1), op.xor, op.i32(1), op.add, op.and],
  ...[op.i32(1), op.sub, op.and, op.get(SEEN), op.or, op.set(SEEN)],
  ...[op.get(TO), op.get(MASK), op.trailingZeros, op.add, op.tee(TO), op.loadByte, op.i32(QUOTE), op.differ],
  ...[op.brIf(depth), ...kind(TEXT), ...placeOf(STARTS, CELL_TO, 2), ...position(START), op.store],
  ...[...placeOf(ENDS, CELL_TO, 2), ...position(TO), op.store],
  ...[op.get(PLACE), op.get(PLACE), op.loadAt(TEXTS_TO), op.get(TO), op.get(START), op.sub],
  ...[op.get(PLACE), op.loadAt(IS_GATHERED), op.and, op.add, op.storeAt(TEXTS_TO)],
  ...advance(TO, 1),
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
export const CODE: Code = [
  ...[op.block, op.loop, op.get(ROW), op.get(ROWS), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.get(STOP), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(TEMPLATE), op.load, op.set(LEFT), op.get(TEMPLATE), op.i32(4), op.add, op.set(PIECE)],
  ...[op.get(AT), op.set(TO), op.get(CELL), op.set(CELL_TO), op.i32(0), op.set(SEEN), op.i32(1), op.set(CANONICAL)],
  ...[op.get(TEMPLATE), op.i32(PIECES_BYTES), op.add, op.set(PLACE)],
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
  ...[
    op.orElse,
    ...takeNumberOrWord(2),
    op.end,
    ...advance(CELL_TO, 1),
    ...advance(PLACE, PLACE_BYTES),
    op.br(0),
    op.end,
    op.end,
  ],
  ...[op.end, op.end, op.i32(STOPPED), op.get(AT), op.store, op.get(ROW)],
]
