/**
 * The machine code that gives texts of one place of lines their numbers: see `line-texts.ts`. A loop of its own, over one place after the other, so that many
 * texts are looked for at once: where one of 100,000 stands is in none of the processor's caches, and asked while a line was read it took 85 ns.
 */
import { type Code, I32, I64, op, V128 } from '../vector-module.ts'
import { TEXT } from './line-cells.ts'
import {
  advance,
  COUNT,
  COUNT_MAX,
  ENDS,
  ENTRIES,
  KINDS,
  NUMBERED_BYTES_MAX,
  OWN_BYTES,
  placeOf,
  SHORT_BYTES,
  SLOT_MASK,
  STARTS,
  TEXT_NUMBERS,
} from './line-code.ts'

const [PLACE, CELL, STEP, BASE, ROWS] = [0, 1, 2, 3, 4] as const
const [ROW, START, LENGTH, SLOT, IS_SHORT, TABLE, NUMBER, FOUND] = [5, 6, 7, 8, 9, 10, 11, 12] as const
const [HASH, KEY, KEY_REST] = [13, 14, 15] as const
export const NUMBER_LOCALS = [...new Array<number>(8).fill(I32), I64, V128, V128]

/** What there is behind `from` of the text, in sixteen bytes; the rest is zeros. */
const ownBytes = (from: number): Code => [
  ...[op.get(START), op.loadVector(from), op.i32(OWN_BYTES + NUMBERED_BYTES_MAX + from), op.get(LENGTH), op.sub],
  ...[op.loadVector(0), op.andVector],
]
const MIX = 0x9e3779b97f4a7c15n - 2n ** 64n
/** HASH with eight more bytes. */
const mixIn = (key: number, lane: number): Code => [
  ...[op.get(HASH), op.get(HASH), op.i64(32), op.shiftRightLong, op.xorLongs],
  ...[op.get(key), op.longOfVector(lane), op.xorLongs, op.i64(MIX), op.multiplyLongs, op.set(HASH)],
]
const entryOf = (number: Code): Code => [
  ...[op.get(PLACE), op.loadAt(ENTRIES), ...number, op.i32(5), op.shiftLeft, op.add],
]
/** Of no two texts of eight bytes at most is the hash the same, and nearly all are as short of which there are many: of those the slot is all that is looked at. */
const IS_SAME: Code = [
  ...[op.get(IS_SHORT), op.get(SLOT), op.loadAt(12), op.and, op.tee(FOUND), op.isZero, op.ifThen],
  ...[...entryOf([op.get(NUMBER)]), op.tee(START), op.loadVector(0), op.get(KEY), op.xorVector],
  ...[op.get(START), op.loadVector(16), op.get(KEY_REST), op.xorVector, op.orVector, op.isAny, op.isZero],
  ...[op.set(FOUND), op.end, op.get(FOUND)],
]

/** (place, its first cell, cells of a row, base, rows): a text's address is its position and `base`. */
export const NUMBER_CODE: Code = [
  ...[op.get(PLACE), op.load, op.set(TABLE)],
  ...[op.block, op.loop, op.get(ROW), op.get(ROWS), op.notLessUnsigned, op.brIf(1), op.i32(-1), op.set(NUMBER)],
  ...[op.block, op.i32(KINDS), op.get(CELL), op.add, op.loadByte, op.i32(TEXT), op.differ, op.brIf(0)],
  ...[...placeOf(ENDS, CELL, 2), op.load, ...placeOf(STARTS, CELL, 2), op.load, op.tee(START), op.sub],
  ...[op.tee(LENGTH), op.i32(NUMBERED_BYTES_MAX), op.greaterUnsigned, op.brIf(0)],
  ...[op.get(START), op.get(BASE), op.add, op.set(START)],
  ...[...ownBytes(0), op.set(KEY), ...ownBytes(16), op.set(KEY_REST), op.i64(0), op.set(HASH)],
  ...[...mixIn(KEY, 0), ...mixIn(KEY, 1), ...mixIn(KEY_REST, 0), ...mixIn(KEY_REST, 1)],
  ...[op.get(LENGTH), op.i32(SHORT_BYTES + 1), op.lessUnsigned, op.set(IS_SHORT)],
  ...[op.get(HASH), op.i64(32), op.shiftRightLong, op.intOfLong, op.set(SLOT)],
  ...[op.loop, op.get(SLOT), op.get(PLACE), op.loadAt(SLOT_MASK), op.and, op.i32(4), op.shiftLeft],
  ...[op.get(TABLE), op.add, op.tee(SLOT), op.loadAt(8), op.i32(1), op.sub, op.tee(NUMBER), op.i32(-1), op.equal],
  // A new one, if there is room.
  ...[op.ifThen, op.get(PLACE), op.loadAt(COUNT), op.get(PLACE), op.loadAt(COUNT_MAX), op.notLessUnsigned, op.brIf(2)],
  ...[op.get(PLACE), op.get(PLACE), op.loadAt(COUNT), op.tee(NUMBER), op.i32(1), op.add, op.storeAt(COUNT)],
  ...[op.get(SLOT), op.get(HASH), op.storeLong, op.get(SLOT), op.get(NUMBER), op.i32(1), op.add, op.storeAt(8)],
  ...[op.get(SLOT), op.get(IS_SHORT), op.storeAt(12), op.get(IS_SHORT), op.brIf(2)],
  ...[...entryOf([op.get(NUMBER)]), op.tee(START), op.get(KEY), op.storeVector(0)],
  ...[op.get(START), op.get(KEY_REST), op.storeVector(16), op.br(2), op.end],
  ...[op.get(SLOT), op.loadLong, op.get(HASH), op.longsEqual, op.ifThen, ...IS_SAME, op.brIf(2), op.end],
  ...[op.get(SLOT), op.get(TABLE), op.sub, op.i32(4), op.shiftRight, op.i32(1), op.add, op.set(SLOT), op.br(0)],
  ...[op.end, op.end, ...placeOf(TEXT_NUMBERS, ROW, 2), op.get(NUMBER), op.store],
  ...[...advance(ROW, 1), op.get(CELL), op.get(STEP), op.add, op.set(CELL), op.br(0), op.end, op.end, op.i32(0)],
]
