/**
 * The machine code that reads the times of lines of one shape, where they lie in the memory of `line-loop.ts`: those of the minute that was read last, to the
 * microsecond. Every other one is left to `iso-time.ts`, which says of what minute it was. (A time 50 → 15 ns.)
 */
import { type Code, I32, op } from '../vector-module.ts'
import { TEXT } from './line-cells.ts'
import { ENDS, KINDS, LIKE, MINUTE, STARTS, TIMES } from './line-code.ts'

const MINUTE_CHARACTERS = 16
const COLON = 58
const ZERO = 48
const POINT = 46
const Z = 90
/** Up to the seconds, and the Z; and with a point and six digits. */
const LENGTH_MIN = 20
const LENGTH_MAX = LENGTH_MIN + 7

const [ROW, ROWS, PLACE, PLACES, BASE] = [0, 1, 2, 3, 4] as const
const [CELL, AT, END, LENGTH, DIGIT, SECONDS, MICROS] = [5, 6, 7, 8, 9, 10, 11] as const
export const TIME_LOCALS: readonly number[] = new Array<number>(7).fill(I32)
export const TIME_PARAMETERS = 5

const cellAt = (array: number): Code => [
  ...[op.get(CELL), op.i32(2), op.shiftLeft, op.loadAt(array), op.get(BASE), op.add],
]
/** Leaves the block `depth` around unless a digit stands there. */
const digit = (offset: number, depth: number): Code => [
  ...[
    op.get(AT),
    op.loadByteAt(offset),
    op.i32(ZERO),
    op.sub,
    op.tee(DIGIT),
    op.i32(9),
    op.greaterUnsigned,
    op.brIf(depth),
  ],
]
const expect = (byte: number, offset: number, depth: number): Code => [
  ...[op.get(AT), op.loadByteAt(offset), op.i32(byte), op.differ, op.brIf(depth)],
]

/** (row, rows, place, places, base) => the first row whose time is another. */
export const TIME_CODE: Code = [
  ...[op.block, op.loop, op.get(ROW), op.get(ROWS), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(ROW), op.get(PLACES), op.multiply, op.get(PLACE), op.add, op.tee(CELL)],
  ...[op.loadByteAt(KINDS), op.i32(TEXT), op.differ, op.brIf(1)],
  ...[...cellAt(STARTS), op.set(AT), ...cellAt(ENDS), op.tee(END), op.get(AT), op.sub, op.tee(LENGTH)],
  ...[op.i32(LENGTH_MIN), op.lessUnsigned, op.get(LENGTH), op.i32(LENGTH_MAX), op.greaterUnsigned, op.or],
  ...[op.get(LENGTH), op.i32(LENGTH_MIN + 1), op.equal, op.or, op.brIf(1)],
  ...[op.get(AT), op.loadVector(0), op.i32(LIKE), op.loadVector(0), op.bytesDiffer, op.isAny, op.brIf(1)],
  ...[...expect(COLON, MINUTE_CHARACTERS, 1), op.get(END), op.i32(1), op.sub, op.tee(END), op.loadByte],
  ...[op.i32(Z), op.differ, op.brIf(1)],
  ...[...digit(MINUTE_CHARACTERS + 1, 1), op.get(DIGIT), op.i32(10), op.multiply, op.set(SECONDS)],
  ...[...digit(MINUTE_CHARACTERS + 2, 1), op.get(SECONDS), op.get(DIGIT), op.add, op.tee(SECONDS)],
  // 60 is a leap second.
  ...[op.i32(60), op.greaterUnsigned, op.brIf(1), op.i32(0), op.set(MICROS)],
  ...[op.get(LENGTH), op.i32(LENGTH_MIN), op.greaterUnsigned, op.ifThen, ...expect(POINT, MINUTE_CHARACTERS + 3, 2)],
  ...[op.loop, ...digit(LENGTH_MIN, 3), op.get(MICROS), op.i32(10), op.multiply, op.get(DIGIT), op.add, op.set(MICROS)],
  ...[op.get(AT), op.i32(1), op.add, op.tee(AT), op.i32(LENGTH_MIN), op.add, op.get(END), op.lessUnsigned, op.brIf(0)],
  ...[op.end],
  ...[op.block, op.loop, op.get(LENGTH), op.i32(LENGTH_MAX), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(MICROS), op.i32(10), op.multiply, op.set(MICROS)],
  ...[op.get(LENGTH), op.i32(1), op.add, op.set(LENGTH), op.br(0), op.end, op.end, op.end],
  ...[op.get(ROW), op.i32(3), op.shiftLeft, op.i32(MINUTE), op.loadFloat],
  ...[op.get(SECONDS), op.i32(1e6), op.multiply, op.get(MICROS), op.add, op.floatOfInt, op.addFloats],
  ...[op.storeFloatAt(TIMES), op.get(ROW), op.i32(1), op.add, op.set(ROW), op.br(0), op.end, op.end],
  ...[op.get(ROW)],
]
