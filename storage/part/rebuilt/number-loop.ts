/**
 * The tokens of numbers, hashed by machine code: what `number-tokens.ts` says of each, for most of a column at once. Small numbers before the point and short ones
 * behind it are only noted, and hashed once in the end; larger ones are hashed from their digits as they come.
 */
import { HASH_PRIME, HASH_SEED } from '../../tokens.ts'
import { type Code, F64, I32, type LoopBeside, MachineLoop, op } from '../../vector-module.ts'
import { WhileUsed } from '../../while-used.ts'
import { finishHashCode } from '../hash-code.ts'

/** Numbers before the point that are noted, and digits behind it. */
const WHOLES = 16_384
const DIGITS = 3
const SCALE = 10 ** DIGITS
/** Larger ones may not be whole words of digits. */
const SIZE_MAX = 2 ** 31
const ZERO = 48
/** Of a whole number. */
const DIGITS_MAX = 10

/** Addresses in bytes. Numbers noted, digits being hashed, numbers, places of those that are left, hashes. */
const FRACTIONS = WHOLES
const TEXT = FRACTIONS + SCALE
const TEXT_END = TEXT + 16
const PIECE = 4096
const VALUES = Math.ceil(TEXT_END / 8) * 8
const LEFT = VALUES + 8 * PIECE
const OUT = LEFT + 4 * (PIECE + 1)
/** As many as can be noted, or one for each number of a piece. */
const MEMORY_BYTES = OUT + 4 * (WHOLES + SCALE)

/** (count) => how many hashes. Both loops have the same locals. */
const COUNT = 0
const [AT, WHOLE, REST, DIGIT_AT, HASH, OUT_AT, LEFT_AT, DIGIT_COUNT] = [1, 2, 3, 4, 5, 6, 7, 8] as const
const [SIZE, SCALED] = [9, 10] as const
const LOCALS = [I32, I32, I32, I32, I32, I32, I32, I32, F64, F64]

/** `hashToken` of the last DIGIT_COUNT digits of REST, to what is put out. */
const HASH_DIGITS: Code = [
  ...[op.i32(TEXT_END), op.tee(DIGIT_AT), op.get(DIGIT_COUNT), op.sub, op.set(DIGIT_COUNT)],
  ...[op.loop, op.get(DIGIT_AT), op.i32(1), op.sub, op.tee(DIGIT_AT)],
  ...[op.get(REST), op.i32(10), op.remainderUnsigned, op.i32(ZERO), op.add, op.storeByte(0)],
  ...[op.get(REST), op.i32(10), op.divideUnsigned, op.set(REST)],
  ...[op.get(DIGIT_AT), op.get(DIGIT_COUNT), op.greaterUnsigned, op.brIf(0), op.end],
  ...[op.i32(HASH_SEED), op.set(HASH), op.loop],
  ...[op.get(HASH), op.get(DIGIT_AT), op.loadByte, op.xor, op.i32(HASH_PRIME), op.multiply, op.set(HASH)],
  ...[op.get(DIGIT_AT), op.i32(1), op.add, op.tee(DIGIT_AT), op.i32(TEXT_END), op.lessUnsigned, op.brIf(0), op.end],
  ...[
    ...finishHashCode(HASH),
    op.get(OUT_AT),
    op.get(HASH),
    op.store,
    op.get(OUT_AT),
    op.i32(4),
    op.add,
    op.set(OUT_AT),
  ],
]

/** The same of all digits of REST. */
const HASH_WHOLE: Code = [
  ...[op.i32(1), op.set(DIGIT_COUNT)],
  ...Array.from({ length: DIGITS_MAX - 1 }, (_, index) => [
    ...[op.get(REST), op.i32((10 ** (index + 1)) | 0), op.notLessUnsigned, op.get(DIGIT_COUNT), op.add],
    ...[op.set(DIGIT_COUNT)],
  ]).flat(),
  ...HASH_DIGITS,
]

const COUNTED: Code = [op.get(OUT_AT), op.i32(OUT), op.sub, op.i32(2), op.shiftRight]

/** Notes each number, or hashes it, or leaves it; behind those that are left stands -1. */
const NOTE: Code = [
  ...[op.i32(OUT), op.set(OUT_AT), op.i32(LEFT), op.set(LEFT_AT)],
  ...[op.block, op.loop, op.get(AT), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
  ...[op.block, op.block],
  ...[op.get(AT), op.i32(3), op.shiftLeft, op.loadFloatAt(VALUES), op.absoluteFloat, op.tee(SIZE)],
  ...[op.f64(SIZE_MAX), op.lessFloat, op.isZero, op.brIf(0)],
  ...[op.get(SIZE), op.unsignedOfFloat, op.tee(WHOLE), op.floatOfUnsigned, op.get(SIZE), op.floatsDiffer, op.ifThen],
  ...[op.get(WHOLE), op.i32(WHOLES), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(SIZE), op.f64(SCALE), op.multiplyFloats, op.nearestFloat, op.tee(SCALED)],
  ...[op.f64(SCALE), op.divideFloats, op.get(SIZE), op.floatsDiffer, op.brIf(1)],
  ...[op.get(SCALED), op.unsignedOfFloat, op.get(WHOLE), op.i32(SCALE), op.multiply, op.sub],
  ...[op.i32(1), op.storeByte(FRACTIONS), op.end],
  ...[op.get(WHOLE), op.i32(WHOLES), op.lessUnsigned, op.ifThen, op.get(WHOLE), op.i32(1), op.storeByte(0)],
  ...[op.orElse, op.get(WHOLE), op.set(REST), ...HASH_WHOLE, op.end, op.br(1), op.end],
  ...[op.get(LEFT_AT), op.get(AT), op.store, op.get(LEFT_AT), op.i32(4), op.add, op.set(LEFT_AT), op.end],
  ...[op.get(AT), op.i32(1), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...[op.get(LEFT_AT), op.i32(-1), op.store, ...COUNTED],
]

/** Hashes what was noted, and forgets it. */
const HASH_NOTED: Code = [
  ...[op.i32(OUT), op.set(OUT_AT)],
  ...[op.block, op.loop, op.get(AT), op.i32(WHOLES), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.loadByte, op.ifThen, op.get(AT), op.i32(0), op.storeByte(0)],
  ...[op.get(AT), op.set(REST), ...HASH_WHOLE, op.end],
  ...[op.get(AT), op.i32(1), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...[op.i32(1), op.set(AT)],
  ...[op.block, op.loop, op.get(AT), op.i32(SCALE), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.loadByteAt(FRACTIONS), op.ifThen, op.get(AT), op.i32(0), op.storeByte(FRACTIONS)],
  ...[op.get(AT), op.set(REST), op.i32(DIGITS), op.set(DIGIT_COUNT)],
  // Zeros at the end are not written.
  ...[op.block, op.loop, op.get(REST), op.i32(10), op.remainderUnsigned, op.brIf(1)],
  ...[op.get(REST), op.i32(10), op.divideUnsigned, op.set(REST)],
  ...[op.get(DIGIT_COUNT), op.i32(1), op.sub, op.set(DIGIT_COUNT), op.br(0), op.end, op.end],
  ...[...HASH_DIGITS, op.end],
  ...[op.get(AT), op.i32(1), op.add, op.set(AT), op.br(0), op.end, op.end],
  ...COUNTED,
]

interface Loops {
  readonly note: MachineLoop
  readonly hashNoted: LoopBeside
  readonly values: Float64Array
  readonly words: Int32Array
}

const allLoops = new WhileUsed<Loops>(() => {
  const note = MachineLoop.of(1, LOCALS, NOTE)
  if (note === null) return null
  const { buffer } = note.room(MEMORY_BYTES)
  const values = new Float64Array(buffer, VALUES, PIECE)
  return { note, hashNoted: note.beside(1, LOCALS, HASH_NOTED), values, words: new Int32Array(buffer, 0) }
})

/**
 * @param add  gets the hashes of the numbers' tokens, some of them more than once; valid until the next
 * @returns the places of numbers that were left: not plain ones, and those with more digits behind the point; null: there is no such loop here
 */
export function hashNumbers(values: Float64Array, add: (hashes: Int32Array) => void): number[] | null {
  const loops = allLoops.get()
  if (loops === null) return null
  const { note, hashNoted, values: room, words } = loops
  const left: number[] = []
  const put = (count: number): void => add(words.subarray(OUT / 4, OUT / 4 + count))
  for (let from = 0; from < values.length; from += PIECE) {
    const piece = values.subarray(from, from + PIECE)
    room.set(piece)
    put(note.run(piece.length))
    for (let at = LEFT / 4; words[at] !== -1; at++) left.push(from + words[at]!)
  }
  put(hashNoted.run(0))
  return left
}
