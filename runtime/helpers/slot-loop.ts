/** The loop of `add-by-slot.ts`: one pass over the rows of a block, as machine code for the widths of its keys and the kinds of its numbers. */

import { F64, I32, MachineLoop, op } from '../../storage/vector-module.ts'
import { BUCKET_SHIFT } from './sketch.ts'

/** What becomes of a value: see `PlainStep` of the aggregates. A sum that is kept also keeps what its additions round away. */
export type StepKind = 'sum' | 'kept sum' | 'least' | 'greatest' | 'sketch' | 'distinct'

export interface StepShape {
  readonly kind: StepKind
  readonly values: 'f64' | 'i32' | 'codes'
  /** Of a value, in bytes. */
  readonly width: number
  /** Of all values. */
  readonly divisor: number
}

/** Addresses and numbers each kind is told, after the address of its values. */
const PARAMETERS: Readonly<Record<StepKind, number>> = {
  sum: 1,
  'kept sum': 2,
  least: 1,
  greatest: 1,
  // The counts, the least and the greatest by slot; the bucket of the first count, and how many there are of a slot.
  sketch: 5,
  // Bits by slot and code, and how many words of them there are of a slot.
  distinct: 2,
}

/** No more parameters than this are told any kind. */
export const PARAMETERS_MAX = 1 + Math.max(...Object.values(PARAMETERS))

type Code = readonly number[]

/** By width of codes in bytes. */
const LOADS = new Map<number, readonly [load: Code, shift: number]>([
  [1, [op.loadByte, 0]],
  [2, [op.loadTwoBytes, 1]],
  [4, [op.load, 2]],
])

const FLOAT_SHIFT = 3
const INT_SHIFT = 2

function element(from: number, index: number, shift: number): Code {
  return [...op.get(from), ...op.get(index), ...(shift === 0 ? [] : [...op.i32(shift), ...op.shiftLeft]), ...op.add]
}

/** Variables of the loop, after its parameters. */
function localsAfter(parameters: number) {
  return {
    row: parameters,
    slot: parameters + 1,
    place: parameters + 2,
    code: parameters + 3,
    x: parameters + 4,
    before: parameters + 5,
    total: parameters + 6,
    part: parameters + 7,
  }
}
const LOCAL_TYPES = [I32, I32, I32, I32, F64, F64, F64, F64]
type Locals = ReturnType<typeof localsAfter>

/**
 * Parameters: the number of rows, where rows are counted by slot; of each key its codes and its size; of each step its values and what
 * `PARAMETERS` says. Null where there is no WebAssembly.
 */
export function writeSlotLoop(widths: readonly number[], steps: readonly StepShape[]): MachineLoop | null {
  const [COUNT, COUNTED] = [0, 1]
  const codesOf = (key: number): number => 2 + 2 * key
  let parameters = codesOf(widths.length)
  const valuesOf = steps.map(({ kind }) => {
    const first = parameters
    parameters += 1 + PARAMETERS[kind]
    return first
  })
  const locals = localsAfter(parameters)
  const { row, slot, place } = locals
  const codeOf = (key: number): Code => {
    const [load, shift] = LOADS.get(widths[key]!)!
    return [...element(codesOf(key), row, shift), ...load]
  }
  const last = widths.length - 1
  const slotNumber: Code[] = [codeOf(last)]
  for (let key = last - 1; key >= 0; key--) slotNumber.push(op.get(codesOf(key) + 1), op.multiply, codeOf(key), op.add)
  const code: Code[] = [
    ...[op.block, op.loop],
    ...[op.get(row), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
    ...[...slotNumber, op.set(slot)],
    ...[element(COUNTED, slot, INT_SHIFT), op.tee(place), op.get(place), op.load, op.i32(1), op.add, op.store],
    ...steps.flatMap((step, index) => take(step, valuesOf[index]!, locals)),
    ...[op.get(row), op.i32(1), op.add, op.set(row)],
    ...[op.br(0), op.end, op.end, op.i32(0)],
  ]
  return MachineLoop.of(parameters, LOCAL_TYPES, code)
}

function take({ kind, values, width, divisor }: StepShape, from: number, locals: Locals): Code[] {
  const { row, x, code } = locals
  const [load, shift] = values === 'f64' ? [op.loadFloat, FLOAT_SHIFT] : LOADS.get(width)!
  const loaded = [...element(from, row, shift), ...load]
  if (values === 'codes') return [loaded, op.set(code), ...takeLoaded(kind, from + 1, locals)]
  const divided = divisor === 1 ? [] : [...op.f64(divisor), ...op.divideFloats]
  return [loaded, values === 'i32' ? op.floatOfInt : [], divided, op.set(x), ...takeLoaded(kind, from + 1, locals)]
}

/** @param to  the first parameter after the values */
function takeLoaded(kind: StepKind, to: number, locals: Locals): Code[] {
  switch (kind) {
    case 'sum':
      return addTo(to, locals)
    case 'kept sum':
      return addKeeping(to, to + 1, locals)
    case 'least':
      return keepExtreme(to, op.lessFloat, locals)
    case 'greatest':
      return keepExtreme(to, op.greaterFloat, locals)
    case 'sketch': {
      const [counts, least, greatest, base, width] = [to, to + 1, to + 2, to + 3, to + 4]
      return [
        ...keepExtreme(least, op.lessFloat, locals),
        ...keepExtreme(greatest, op.greaterFloat, locals),
        ...countBucket(counts, base, width, locals),
      ]
    }
    case 'distinct':
      return setBit(to, to + 1, locals)
  }
}

function addTo(to: number, { slot, place, x }: Locals): Code[] {
  const total = [element(to, slot, FLOAT_SHIFT), op.tee(place)]
  return [...total, op.get(place), op.loadFloat, op.get(x), op.addFloats, op.storeFloat]
}

/** As `addKeeping` of sum: total + x, and what that rounded away. */
function addKeeping(to: number, lost: number, { slot, place, x, before, total, part }: Locals): Code[] {
  return [
    ...[element(to, slot, FLOAT_SHIFT), op.tee(place), op.loadFloat, op.set(before)],
    ...[op.get(before), op.get(x), op.addFloats, op.set(total)],
    ...[op.get(place), op.get(total), op.storeFloat],
    ...[op.get(total), op.get(before), op.subtractFloats, op.set(part)],
    ...[element(lost, slot, FLOAT_SHIFT), op.tee(place), op.get(place), op.loadFloat],
    ...[op.get(before), op.get(total), op.get(part), op.subtractFloats, op.subtractFloats],
    ...[op.get(x), op.get(part), op.subtractFloats, op.addFloats, op.addFloats, op.storeFloat],
  ]
}

function keepExtreme(to: number, beats: Code, { slot, place, x }: Locals): Code[] {
  return [
    ...[op.get(x), element(to, slot, FLOAT_SHIFT), op.tee(place), op.loadFloat, beats],
    ...[op.ifThen, op.get(place), op.get(x), op.storeFloat, op.end],
  ]
}

/** Zeros, which are far from every other bucket, are counted in the first place of the slot, where no bucket is. */
function countBucket(counts: number, base: number, width: number, { slot, place, code, x }: Locals): Code[] {
  return [
    ...[op.get(x), op.bitsOfFloat, op.i64(BUCKET_SHIFT), op.shiftRightLong, op.intOfLong],
    ...[op.get(base), op.sub, op.set(code)],
    ...[op.get(code), op.i32(0), op.get(code), op.get(width), op.lessUnsigned, op.select],
    ...[op.get(slot), op.get(width), op.multiply, op.add, op.i32(INT_SHIFT), op.shiftLeft],
    ...[op.get(counts), op.add, op.tee(place), op.get(place), op.load, op.i32(1), op.add, op.store],
  ]
}

/** In words of 32 bits. */
const WORD_SHIFT = 5

function setBit(bits: number, words: number, { slot, place, code }: Locals): Code[] {
  return [
    ...[op.get(slot), op.get(words), op.multiply, op.get(code), op.i32(WORD_SHIFT), op.shiftRight, op.add],
    ...[op.i32(INT_SHIFT), op.shiftLeft, op.get(bits), op.add, op.tee(place)],
    ...[op.get(place), op.load, op.i32(1), op.get(code), op.shiftLeft, op.or, op.store],
  ]
}
