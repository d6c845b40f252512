/**
 * What a first search of woven text has to know of its codes, found out in one walk over them: which stands behind which (`neighbours.ts`), how often each is there,
 * and where every `ROWS_APART`th row begins. Two walks in JavaScript took 245 of the 430 ms in which a phrase is looked for
 * in 2 M messages that were just read; this one as WebAssembly takes 71, with a loop of its own for codes of one byte (82 without).
 */
import { type Code, I32, MachineLoop, op } from '../../vector-module.ts'
import { LITERAL, ROW_END, ROWS_APART } from './code.ts'

/** By the code before times 256 and the one behind it: 1 where they stand together. */
export const PAIRS = 256 * 256
/** Addresses in bytes: pairs, how often each code is there, what is left at the end, places, codes. */
const COUNTS = PAIRS
const END = COUNTS + 4 * 256
const PLACES = END + 12

const [CODES, CODES_END, SHORT_CODES, PLACES_END] = [0, 1, 2, 3] as const
const [CODE, BEFORE, NEXT, LITERALS, IS_LOCAL, GROUP, AT, LENGTH, SHIFT] = [4, 5, 6, 7, 8, 9, 10, 11, 12] as const
const LOCALS = new Array<number>(9).fill(I32)

const giveUp = [...op.i32(-1), ...op.leave]
const nextByte = [
  ...[op.get(NEXT), op.loadByte, op.tee(CODE)],
  ...[op.get(NEXT), op.i32(1), op.add, op.set(NEXT)],
].flat()

const pairMet = [op.get(BEFORE), op.i32(8), op.shiftLeft, op.get(CODE), op.or, op.i32(1), op.storeByte(0)].flat()

/** Adds the next seven bits of a varint to a local, where `SHIFT` says. Its byte is in `CODE`. */
const nextBits = (sum: number): number[] =>
  [
    ...[nextByte, op.i32(0x7f), op.and, op.get(SHIFT), op.shiftLeft, op.get(sum), op.add, op.set(sum)],
    ...[op.get(SHIFT), op.i32(7), op.add, op.set(SHIFT)],
  ].flat()

/** (codes, end, shortCodes, placesEnd) => 1: codes are local, 0: they are not, -1: there is something wrong with them, which slower walks say. */
const CODE_WALK: Code = [
  ...[op.get(CODES), op.set(NEXT), op.i32(1), op.set(IS_LOCAL), op.i32(ROWS_APART), op.set(GROUP)],
  ...[op.i32(PLACES), op.set(AT), op.i32(ROW_END), op.set(BEFORE)],
  ...[op.block, op.loop, op.loop],
  ...[op.get(NEXT), op.get(CODES_END), op.notLessUnsigned, op.brIf(2)],
  nextByte,
  ...[
    op.i32(2),
    op.shiftLeft,
    op.tee(LENGTH),
    op.get(LENGTH),
    op.loadAt(COUNTS),
    op.i32(1),
    op.add,
    op.storeAt(COUNTS),
  ],
  // Most are of one byte and end no row.
  ...[op.get(CODE), op.i32(1), op.sub, op.get(SHORT_CODES), op.lessUnsigned, op.ifThen],
  ...[pairMet, op.get(CODE), op.set(BEFORE), op.br(1), op.end, op.end],
  ...[op.get(CODE), op.i32(LITERAL), op.equal, op.ifThen],
  // A varint, whose bytes may look like codes.
  ...[op.i32(0), op.tee(LENGTH), op.set(SHIFT), op.loop],
  ...[op.get(NEXT), op.get(CODES_END), op.notLessUnsigned, op.get(SHIFT), op.i32(28), op.notLessUnsigned, op.or],
  ...[op.ifThen, giveUp, op.end],
  nextBits(LENGTH),
  ...[op.get(CODE), op.get(SHORT_CODES), op.greaterUnsigned, op.get(CODE), op.i32(0x7f), op.greaterUnsigned, op.or],
  ...[op.ifThen, op.i32(0), op.set(IS_LOCAL), op.end],
  ...[op.get(CODE), op.i32(0x7f), op.greaterUnsigned, op.brIf(0), op.end],
  ...[op.get(LITERALS), op.get(LENGTH), op.add, op.set(LITERALS)],
  // What stands before and behind nothing stand together.
  ...[op.get(LENGTH), op.isZero, op.brIf(1), op.i32(LITERAL), op.set(CODE)],
  op.orElse,
  ...[op.get(CODE), op.get(SHORT_CODES), op.greaterUnsigned, op.ifThen],
  ...[op.get(NEXT), op.get(CODES_END), op.notLessUnsigned, op.ifThen, giveUp, op.end],
  ...[op.get(NEXT), op.loadByte, op.get(SHORT_CODES), op.greaterUnsigned],
  ...[op.ifThen, op.i32(0), op.set(IS_LOCAL), op.end],
  ...[op.get(NEXT), op.i32(1), op.add, op.set(NEXT)],
  ...[op.end, op.end],
  pairMet,
  ...[op.get(CODE), op.tee(BEFORE), op.brIf(0)],
  // A row has ended: of each group the last.
  ...[op.get(GROUP), op.i32(1), op.sub, op.tee(GROUP), op.brIf(0)],
  ...[op.i32(ROWS_APART), op.set(GROUP)],
  ...[op.get(AT), op.get(PLACES_END), op.notLessUnsigned, op.ifThen, giveUp, op.end],
  ...[op.get(AT), op.get(NEXT), op.get(CODES), op.sub, op.store],
  ...[op.get(AT), op.get(LITERALS), op.storeAt(4), op.get(AT), op.i32(8), op.add, op.set(AT)],
  ...[op.br(0), op.end, op.end],
  ...[op.i32(END), op.get(AT), op.store, op.i32(END), op.get(GROUP), op.storeAt(4)],
  ...[op.i32(END), op.get(BEFORE), op.storeAt(8)],
  // Behind the last place where all of it ends.
  ...[op.get(AT), op.get(NEXT), op.get(CODES), op.sub, op.store, op.get(AT), op.get(LITERALS), op.storeAt(4)],
  op.get(IS_LOCAL),
]

/** Made when it is first asked for; null: there is none. */
let walker: MachineLoop | null | undefined

export interface CodeWalk {
  readonly isLocal: boolean
  /** Until the next walk. */
  readonly pairs: Uint8Array
  readonly counts: Uint32Array
  /** By place but the first, where it begins in the codes and in the literals, until the next walk; null: there is more or less than these rows. */
  readonly places: Uint32Array | null
}

/**
 * @param shortCodes  so many entries have codes of one byte
 * @param rowCount  rows with codes
 * @param literalBytes  of all the literals
 * @returns null where WebAssembly is not to be had, or something is wrong with the codes
 */
export function walkCodes(
  codes: Uint8Array,
  shortCodes: number,
  rowCount: number,
  literalBytes: number,
): CodeWalk | null {
  walker ??= MachineLoop.of(4, LOCALS, CODE_WALK)
  if (walker === null) return null
  const groups = Math.floor(rowCount / ROWS_APART)
  const codesAt = PLACES + 8 * (groups + 1)
  const bytes = walker.room(codesAt + codes.length)
  bytes.fill(0, 0, PLACES)
  bytes.set(codes, codesAt)
  const said = walker.run(codesAt, codesAt + codes.length, shortCodes, PLACES + 8 * groups)
  if (said === -1) return null
  const [at, group, last] = new Uint32Array(bytes.buffer, END, 3)
  const rows = ((at! - PLACES) / 8 + 1) * ROWS_APART - group!
  const places = new Uint32Array(bytes.buffer, PLACES, 2 * (groups + 1))
  const isWhole = rows === rowCount && last === ROW_END && places[2 * groups + 1] === literalBytes
  return {
    isLocal: said === 1,
    pairs: bytes.subarray(0, PAIRS),
    counts: new Uint32Array(bytes.buffer, COUNTS, 256),
    places: isWhole ? places : null,
  }
}

/** Codes are looked at so many at a time; a code and what belongs to it is no longer than what is beyond them. */
const WINDOW = 64 * 1024
const BEYOND = 16
const [LEFT] = [3] as const

/** (codes, end, shortCodes, rows) => rows that are left; where it stopped and the literal bytes on the way stand in front. */
const ROW_SKIP: Code = [
  ...[op.get(CODES), op.set(NEXT), op.block, op.loop],
  ...[op.get(NEXT), op.get(CODES_END), op.notLessUnsigned, op.get(LEFT), op.isZero, op.or, op.brIf(1)],
  ...[nextByte, op.get(SHORT_CODES), op.greaterUnsigned, op.ifThen],
  ...[op.get(CODE), op.i32(LITERAL), op.equal, op.ifThen, op.i32(0), op.set(SHIFT), op.loop],
  nextBits(LITERALS),
  ...[op.get(CODE), op.i32(0x7f), op.greaterUnsigned, op.get(SHIFT), op.i32(28), op.lessUnsigned, op.and],
  ...[op.brIf(0), op.end],
  ...[op.orElse, op.get(NEXT), op.i32(1), op.add, op.set(NEXT), op.end],
  ...[op.br(1), op.end],
  ...[op.get(LEFT), op.get(CODE), op.isZero, op.sub, op.set(LEFT)],
  ...[op.br(0), op.end, op.end],
  ...[op.i32(0), op.get(NEXT), op.store, op.i32(0), op.get(LITERALS), op.storeAt(4)],
  op.get(LEFT),
]

let skipper: MachineLoop | null | undefined

/**
 * Goes over rows from `from` on: 100 whole events from as many blocks of 2 M that were just read, 345 → 285 ms.
 *
 * @returns where the next row begins, and the bytes of literals on the way; null where WebAssembly is not to be had, or the codes end before the rows
 */
export function skipRows(
  codes: Uint8Array,
  from: number,
  shortCodes: number,
  rows: number,
): { readonly next: number; readonly literals: number } | null {
  skipper ??= MachineLoop.of(4, LOCALS, ROW_SKIP)
  if (skipper === null) return null
  const bytes = skipper.room(BEYOND + WINDOW + BEYOND)
  let next = from
  let left = rows
  let literals = 0
  while (left > 0) {
    if (next >= codes.length) return null
    const window = codes.subarray(next, next + WINDOW + BEYOND)
    bytes.set(window, BEYOND)
    // What an earlier window left behind it is no code.
    bytes.fill(0, BEYOND + window.length, BEYOND + Math.min(window.length + BEYOND, WINDOW + BEYOND))
    left = skipper.run(BEYOND, BEYOND + Math.min(window.length, WINDOW), shortCodes, left)
    const [stopped, passed] = new Uint32Array(bytes.buffer, 0, 2)
    next += stopped! - BEYOND
    literals += passed!
  }
  return next > codes.length ? null : { next, literals }
}
