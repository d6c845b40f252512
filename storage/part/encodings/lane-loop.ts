/**
 * Lanes of numbers of up to 32 bits, made as they are wanted: planes of bytes put together and the base added, eight numbers at once; then differences
 * summed, and doubles scaled. JavaScript took a pass for each step, which was quick once V8 had compiled it for that kind of array: 64 K numbers of three
 * bytes 133 µs, now 52 (the first time 1.6 ms, now 0.7); as many times in steps of whole milliseconds 385 µs, now 130 to 250 (3.5 ms, now 2.5).
 */
import { type Code, F64, I32, type LoopBeside, MachineLoop, op, V128 } from '../../vector-module.ts'

/** The low bytes of each number, and the third of those of three. */
export interface Planes {
  readonly low: Uint8Array | Uint16Array | Uint32Array
  readonly high: Uint8Array | null
}

/** What becomes of the numbers of a lane. */
export interface Course {
  readonly base: number
  /** Numbers are distances from the one before, the first of them from this; null: they are not. */
  readonly summedFrom: number | null
  readonly factor: number
  readonly least: number
}

/** So many are worked on at once: all of them stay in the processor's cache. */
const NUMBERS = 8192
/** Addresses in bytes. What doubles begin with, the planes, whole numbers, doubles. */
const [BASE_AT, SUM_AT, FACTOR_AT, LEAST_AT] = [0, 8, 16, 24] as const
const LOW_AT = 64
const HIGH_AT = LOW_AT + 4 * NUMBERS
const WORDS_AT = HIGH_AT + NUMBERS
const DOUBLES_AT = WORDS_AT + 4 * NUMBERS
const MEMORY_BYTES = DOUBLES_AT + 8 * NUMBERS

const COUNT = 0
const [BASE, LOW, HIGH, TO, END, FIRST, SECOND, BASES, PAIRS] = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const
const WORD_LOCALS = [I32, I32, I32, I32, V128, V128, V128, V128]

const stepped = (local: number, by: number): Code => [op.get(local), op.i32(by), op.add, op.set(local)]
/** Where the numbers end that begin at `at`. */
const ended = (at: number): Code => [op.get(COUNT), op.i32(2), op.shiftLeft, op.i32(at), op.add, op.set(END)]

/** (count, base): of planes, words. What follows the last number up to a multiple of eight is read, and written. */
function wordsCode(lowBytes: number, hasHigh: boolean): Code {
  const two =
    lowBytes === 1
      ? [op.get(LOW), op.loadBytesAsPairs, op.tee(PAIRS), op.lowPairsAsWords, op.get(PAIRS), op.highPairsAsWords]
      : lowBytes === 2
        ? [op.get(LOW), op.loadPairsAsWords(0), op.get(LOW), op.loadPairsAsWords(8)]
        : [op.get(LOW), op.loadVector(0), op.get(LOW), op.loadVector(16)]
  const shifted = (words: readonly number[]): Code => [op.get(PAIRS), words, op.i32(16), op.shiftWordsLeft]
  const high = [
    ...[op.get(HIGH), op.loadBytesAsPairs, op.set(PAIRS), ...stepped(HIGH, 8)],
    ...[op.get(FIRST), ...shifted(op.lowPairsAsWords), op.orVector, op.set(FIRST)],
    ...[op.get(SECOND), ...shifted(op.highPairsAsWords), op.orVector, op.set(SECOND)],
  ]
  return [
    ...[op.i32(LOW_AT), op.set(LOW), op.i32(HIGH_AT), op.set(HIGH), op.i32(WORDS_AT), op.set(TO), ...ended(WORDS_AT)],
    ...[op.get(BASE), op.splatWords, op.set(BASES)],
    ...[op.block, op.loop, op.get(TO), op.get(END), op.notLessUnsigned, op.brIf(1)],
    ...[...two, op.set(SECOND), op.set(FIRST), ...stepped(LOW, 8 * lowBytes), ...(hasHigh ? high : [])],
    ...[op.get(TO), op.get(FIRST), op.get(BASES), op.addWords, op.storeVector(0)],
    ...[op.get(TO), op.get(SECOND), op.get(BASES), op.addWords, op.storeVector(16)],
    ...[...stepped(TO, 32), op.br(0), op.end, op.end, op.i32(0)],
  ]
}

const [SUM, AT, SUMS_END] = [1, 2, 3] as const

/** (count, sum) => the sum of them all: words, each with those before. */
const SUMS_CODE: Code = [
  ...[op.i32(WORDS_AT), op.set(AT), op.get(COUNT), op.i32(2), op.shiftLeft, op.i32(WORDS_AT), op.add, op.set(SUMS_END)],
  ...[op.block, op.loop, op.get(AT), op.get(SUMS_END), op.notLessUnsigned, op.brIf(1)],
  ...[op.get(AT), op.get(SUM), op.get(AT), op.load, op.add, op.tee(SUM), op.store],
  ...[...stepped(AT, 4), op.br(0), op.end, op.end, op.get(SUM)],
]

const [WORD, DOUBLE, WORDS_END, BASE_OF, TOTAL, FACTOR, LEAST] = [1, 2, 3, 4, 5, 6, 7] as const
const DOUBLE_LOCALS = [I32, I32, I32, F64, F64, F64, F64]

/** (count): of words, which are not below zero, doubles. */
function doublesCode(isSummed: boolean): Code {
  const given = (at: number, local: number): Code => [op.i32(at), op.loadFloat, op.set(local)]
  const value: Code = [op.get(WORD), op.load, op.floatOfUnsigned, op.get(BASE_OF), op.addFloats]
  return [
    ...[...given(BASE_AT, BASE_OF), ...given(SUM_AT, TOTAL), ...given(FACTOR_AT, FACTOR), ...given(LEAST_AT, LEAST)],
    ...[op.i32(WORDS_AT), op.set(WORD), op.i32(DOUBLES_AT), op.set(DOUBLE)],
    ...[op.get(COUNT), op.i32(2), op.shiftLeft, op.i32(WORDS_AT), op.add, op.set(WORDS_END)],
    ...[op.block, op.loop, op.get(WORD), op.get(WORDS_END), op.notLessUnsigned, op.brIf(1)],
    ...[op.get(DOUBLE), op.get(LEAST), ...(isSummed ? [op.get(TOTAL), ...value, op.addFloats, op.tee(TOTAL)] : value)],
    ...[op.get(FACTOR), op.multiplyFloats, op.addFloats, op.storeFloat],
    ...[...stepped(WORD, 4), ...stepped(DOUBLE, 8), op.br(0), op.end, op.end],
    ...[op.i32(SUM_AT), op.get(TOTAL), op.storeFloat, op.i32(0)],
  ]
}

class LaneLoops {
  readonly #own: MachineLoop
  readonly #beside = new Map<string, LoopBeside>()
  readonly bytes: Uint8Array
  readonly words: Int32Array
  readonly says: Float64Array
  readonly doubles: Float64Array

  constructor(own: MachineLoop) {
    this.#own = own
    this.bytes = own.room(MEMORY_BYTES)
    this.words = new Int32Array(this.bytes.buffer, WORDS_AT, NUMBERS)
    this.says = new Float64Array(this.bytes.buffer, 0, 4)
    this.doubles = new Float64Array(this.bytes.buffer, DOUBLES_AT, NUMBERS)
  }

  get sums(): MachineLoop {
    return this.#own
  }

  wordsOf({ low, high }: Planes): LoopBeside {
    const width = low.BYTES_PER_ELEMENT
    return this.#made(`${width} ${high !== null}`, 2, WORD_LOCALS, () => wordsCode(width, high !== null))
  }

  doublesOf(isSummed: boolean): LoopBeside {
    return this.#made(`doubles ${isSummed}`, 1, DOUBLE_LOCALS, () => doublesCode(isSummed))
  }

  #made(name: string, parameters: number, locals: readonly number[], code: () => Code): LoopBeside {
    let loop = this.#beside.get(name)
    if (loop === undefined) this.#beside.set(name, (loop = this.#own.beside(parameters, locals, code())))
    return loop
  }

  /** Numbers from `from` on, to where the loops work; how many. */
  take({ low, high }: Planes, from: number): number {
    const count = Math.min(NUMBERS, low.length - from)
    const some = low.subarray(from, from + count)
    this.bytes.set(new Uint8Array(some.buffer, some.byteOffset, some.byteLength), LOW_AT)
    if (high !== null) this.bytes.set(high.subarray(from, from + count), HIGH_AT)
    return count
  }
}

/** Made when they are first asked for; null: there are none. */
let made: LaneLoops | null | undefined

function loops(): LaneLoops | null {
  if (made === undefined) {
    const own = MachineLoop.of(2, [I32, I32], SUMS_CODE)
    made = own === null ? null : new LaneLoops(own)
  }
  return made
}

/** Fewer are put together in the time it takes to copy them to and fro. */
const NUMBERS_MIN = 64

/**
 * @param into  of as many numbers; whole ones wrap to 32 bits, and have no factor
 * @returns false: there is no such loop here, or it is not worth it, and nothing was done
 */
export function makeLane(planes: Planes, course: Course, into: Float64Array | Int32Array): boolean {
  const used = into.length < NUMBERS_MIN ? null : loops()
  if (used === null) return false
  if (into instanceof Int32Array) makeWords(used, planes, course, into)
  else makeDoubles(used, planes, course, into)
  return true
}

function makeWords(used: LaneLoops, planes: Planes, { base, summedFrom }: Course, into: Int32Array): void {
  const words = used.wordsOf(planes)
  let sum = summedFrom === null ? 0 : summedFrom | 0
  for (let from = 0; from < into.length; from += NUMBERS) {
    const count = used.take(planes, from)
    words.run(count, base | 0)
    if (summedFrom !== null) sum = used.sums.run(count, sum)
    into.set(used.words.subarray(0, count), from)
  }
}

function makeDoubles(used: LaneLoops, planes: Planes, course: Course, into: Float64Array): void {
  const words = used.wordsOf(planes)
  const doubles = used.doublesOf(course.summedFrom !== null)
  used.says.set([course.base, course.summedFrom ?? 0, course.factor, course.least])
  for (let from = 0; from < into.length; from += NUMBERS) {
    const count = used.take(planes, from)
    words.run(count, 0)
    doubles.run(count)
    into.set(used.doubles.subarray(0, count), from)
  }
}
