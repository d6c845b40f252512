/**
 * What a lane of numbers is like, and its distances from the least as planes of bytes, two or one at a time in machine code. What is asked of a column
 * while it is written (its bounds, whether it is whole, whether its times are in order) is found out in one pass and kept for who asks next: each was a loop
 * of its own over all rows, which V8 ran slowly at first and compiled twice.
 */
import { type Code, F64, I32, I64, type LoopBeside, MachineLoop, op, V128 } from '../../vector-module.ts'
import { WhileUsed } from '../../while-used.ts'

export interface LaneFacts {
  /** Of none, zero. */
  readonly min: number
  readonly max: number
  /** Safe integers; -0 is one. */
  readonly hasWholes: boolean
  readonly hasOthers: boolean
  readonly hasMinusZero: boolean
  /** None is less than the one before. */
  readonly isInOrder: boolean
}

/** So many are worked on at once: they stay in the processor's nearest cache. */
const NUMBERS = 4096
/** Addresses in bytes: the base of planes, or what facts are found; the number before the first, and the numbers; planes. */
const [BASE_AT, LEAST_AT, GREATEST_AT] = [0, 0, 16] as const
const BEFORE_AT = 56
const LANE_AT = 64
const LOW_AT = LANE_AT + 8 * NUMBERS + 16
const HIGH_AT = LOW_AT + 4 * NUMBERS
const MEMORY_BYTES = HIGH_AT + 2 * NUMBERS

const WHOLES = 1
const OTHERS = 2
const MINUS_ZERO = 4
const BACKWARDS = 8

const COUNT = 0
const [AT, END] = [1, 2] as const
const [LEAST, GREATEST, VALUES, ARE_WHOLE, WHOLES_SEEN, OTHERS_SEEN, ZEROS_SEEN, BACK_SEEN] = [
  3, 4, 5, 6, 7, 8, 9, 10,
] as const
const FACTS_LOCALS = [I32, I32, V128, V128, V128, V128, V128, V128, V128, V128]

const seen = (local: number): Code => [op.get(local), op.orVector, op.set(local)]
const flag = (local: number, bit: number): Code => [op.get(local), op.isAny, op.i32(bit), op.multiply]
const whileBelow = (...body: Code): Code => [
  ...[op.i32(LANE_AT), op.set(AT), op.get(COUNT), op.i32(3), op.shiftLeft, op.i32(LANE_AT), op.add, op.set(END)],
  ...[op.block, op.loop, op.get(AT), op.get(END), op.notLessUnsigned, op.brIf(1)],
  ...[...body, op.br(0), op.end, op.end],
]

/** (count) => flags: bounds to LEAST_AT and GREATEST_AT, of those at even places and of those at odd ones. What follows an odd count is read. */
const FACTS_CODE: Code = [
  ...[op.i32(LANE_AT), op.loadVector(0), op.tee(LEAST), op.set(GREATEST)],
  ...whileBelow(
    ...[op.get(AT), op.loadVector(0), op.set(VALUES)],
    ...[op.get(LEAST), op.get(VALUES), op.leastDoubles, op.set(LEAST)],
    ...[op.get(GREATEST), op.get(VALUES), op.greatestDoubles, op.set(GREATEST)],
    ...[op.get(VALUES), op.get(VALUES), op.truncateDoubles, op.doublesEqual],
    ...[op.get(VALUES), op.absoluteDoubles, op.everyFloat(Number.MAX_SAFE_INTEGER), op.doublesNotGreater],
    ...[op.andVector, op.tee(ARE_WHOLE), ...seen(WHOLES_SEEN)],
    ...[op.get(ARE_WHOLE), op.notVector, ...seen(OTHERS_SEEN)],
    ...[op.get(VALUES), op.everyFloat(-0), op.longsOfVectorEqual, ...seen(ZEROS_SEEN)],
    ...[op.get(VALUES), op.get(AT), op.i32(8), op.sub, op.loadVector(0), op.doublesLess, ...seen(BACK_SEEN)],
    ...[op.get(AT), op.i32(16), op.add, op.set(AT)],
  ),
  ...[op.i32(LEAST_AT), op.get(LEAST), op.storeVector(0), op.i32(GREATEST_AT), op.get(GREATEST), op.storeVector(0)],
  ...[...flag(WHOLES_SEEN, WHOLES), ...flag(OTHERS_SEEN, OTHERS), op.or],
  ...[...flag(ZEROS_SEEN, MINUS_ZERO), op.or, ...flag(BACK_SEEN, BACKWARDS), op.or],
]

const [LOW, HIGH, BASE, DISTANCE] = [3, 4, 5, 6] as const
const PLANES_LOCALS = [I32, I32, I32, I32, F64, I64]

/** Bytes of each plane; no high one: 0. */
export interface PlaneWidths {
  readonly low: 1 | 2 | 4
  readonly high: 0 | 1 | 2
}

/** (count): of each number the distance from the base, its low bytes to LOW_AT and those above to HIGH_AT. */
function planesCode({ low, high }: PlaneWidths): Code {
  const putHigh: Code =
    high === 0
      ? []
      : [
          ...[op.get(HIGH), op.get(DISTANCE), op.i64(8 * low), op.shiftRightLong, op.storeBytesOfLong(high)],
          ...[op.get(HIGH), op.i32(high), op.add, op.set(HIGH)],
        ]
  return [
    ...[op.i32(BASE_AT), op.loadFloat, op.set(BASE), op.i32(LOW_AT), op.set(LOW), op.i32(HIGH_AT), op.set(HIGH)],
    ...whileBelow(
      ...[op.get(LOW), op.get(AT), op.loadFloat, op.get(BASE), op.subtractFloats, op.longOfFloat, op.tee(DISTANCE)],
      ...[op.storeBytesOfLong(low), op.get(LOW), op.i32(low), op.add, op.set(LOW), ...putHigh],
      ...[op.get(AT), op.i32(8), op.add, op.set(AT)],
    ),
    op.i32(0),
  ]
}

class NumberLoops {
  readonly facts: MachineLoop
  readonly bytes: Uint8Array
  /** From the beginning of the memory. */
  readonly doubles: Float64Array
  readonly #planes = new Map<string, LoopBeside>()

  constructor(facts: MachineLoop) {
    this.facts = facts
    this.bytes = facts.room(MEMORY_BYTES)
    this.doubles = new Float64Array(this.bytes.buffer, 0, LANE_AT / 8 + NUMBERS)
  }

  planesOf(widths: PlaneWidths): LoopBeside {
    const name = `${widths.low} ${widths.high}`
    let loop = this.#planes.get(name)
    if (loop === undefined) this.#planes.set(name, (loop = this.facts.beside(1, PLANES_LOCALS, planesCode(widths))))
    return loop
  }
}

const allLoops = new WhileUsed(() => {
  const facts = MachineLoop.of(1, FACTS_LOCALS, FACTS_CODE)
  return facts === null ? null : new NumberLoops(facts)
})

/** Fewer are looked at in the time it takes to copy them. */
const NUMBERS_MIN = 64

/** Of arrays that nobody writes to any more. */
const known = new WeakMap<Float64Array, LaneFacts>()

/** @param values  which stay as they are from now on, as long as anybody has this array */
export function factsOf(values: Float64Array): LaneFacts {
  let facts = known.get(values)
  if (facts === undefined) {
    const used = values.length < NUMBERS_MIN ? null : allLoops.get()
    facts = used === null ? factsOfEach(values) : factsByLoop(used, values)
    known.set(values, facts)
  }
  return facts
}

function factsByLoop({ facts, doubles }: NumberLoops, values: Float64Array): LaneFacts {
  let min = values[0]!
  let max = min
  let flags = 0
  for (let from = 0; from < values.length; from += NUMBERS) {
    const count = Math.min(NUMBERS, values.length - from)
    doubles[BEFORE_AT / 8] = values[Math.max(0, from - 1)]!
    doubles.set(values.subarray(from, from + count), LANE_AT / 8)
    if ((count & 1) === 1) doubles[LANE_AT / 8 + count] = values[from + count - 1]!
    flags |= facts.run(count)
    for (const place of [0, 1]) {
      if (doubles[LEAST_AT / 8 + place]! < min) min = doubles[LEAST_AT / 8 + place]!
      if (doubles[GREATEST_AT / 8 + place]! > max) max = doubles[GREATEST_AT / 8 + place]!
    }
  }
  return factsOfFlags(min, max, flags)
}

function factsOfFlags(min: number, max: number, flags: number): LaneFacts {
  return {
    min,
    max,
    hasWholes: (flags & WHOLES) !== 0,
    hasOthers: (flags & OTHERS) !== 0,
    hasMinusZero: (flags & MINUS_ZERO) !== 0,
    isInOrder: (flags & BACKWARDS) === 0,
  }
}

/** A number after the other: of few, where there is no WebAssembly, and what the loop is held against. */
export function factsOfEach(values: Float64Array): LaneFacts {
  let min = values.length === 0 ? 0 : values[0]!
  let max = min
  let before = min
  let flags = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    if (value < min) min = value
    if (value > max) max = value
    flags |= Number.isSafeInteger(value) ? WHOLES : OTHERS
    if (value === 0 && Object.is(value, -0)) flags |= MINUS_ZERO
    if (value < before) flags |= BACKWARDS
    before = value
  }
  return factsOfFlags(min, max, flags)
}

/**
 * @param base  the least of them
 * @param into  gets the low plane of all, then the high one
 * @returns false: there is no such loop here, or it is not worth it, and nothing was done
 */
export function putPlanes(values: Float64Array, base: number, widths: PlaneWidths, into: () => Uint8Array): boolean {
  const used = values.length < NUMBERS_MIN ? null : allLoops.get()
  if (used === null) return false
  const { bytes, doubles } = used
  const planes = used.planesOf(widths)
  const { low, high } = widths
  const room = into()
  const highFrom = low * values.length
  doubles[BASE_AT / 8] = base
  for (let from = 0; from < values.length; from += NUMBERS) {
    const count = Math.min(NUMBERS, values.length - from)
    doubles.set(values.subarray(from, from + count), LANE_AT / 8)
    planes.run(count)
    room.set(bytes.subarray(LOW_AT, LOW_AT + low * count), low * from)
    if (high !== 0) room.set(bytes.subarray(HIGH_AT, HIGH_AT + high * count), highFrom + high * from)
  }
  return true
}
