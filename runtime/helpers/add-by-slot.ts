/**
 * Rows counted and numbers added up by the slot of their keys, for a block whose rows all count: the loop a step kernel writes, as
 * WebAssembly put together for the widths of the keys and the kinds of the numbers. V8 keeps more registers free there, checks no bounds and
 * finds no array anew: 2 M rows by 2,600 pairs of host and status, a mean and a sum, 22.7 ms as JavaScript, 11.8 this way, of which 3.9
 * copy the columns to where the loop reads them; counts by two keys 7.9 and 3.3.
 */
import { Lru } from './lru.ts'
import { F64, I32, MachineLoop, op } from './vector-module.ts'

/** Of a `KeyCodes`, what a slot is made of. */
export interface Key {
  readonly codes: Uint8Array | Uint16Array | Uint32Array
  readonly size: number
}

/** Numbers, and by slot what they add up to; `lost` is what the additions rounded away, where that is kept. */
export type Sum = readonly [values: Float64Array | Int32Array, total: Float64Array, lost: Float64Array | null]

/** States are copied there and back: with fewer rows per slot than this the plain loop is faster. */
const ROWS_PER_SLOT_MIN = 4
/** Each pair of widths and kinds is a module with a memory of its own. */
const LOOPS_MAX = 32
/** Parameters are numbered in one byte. */
const PARTS_MAX = 16

const loops = new Lru<string, { readonly loop: MachineLoop | null }>(LOOPS_MAX)

function loopFor(keys: readonly Key[], sums: readonly Sum[]): MachineLoop | null {
  const widths = keys.map(key => key.codes.BYTES_PER_ELEMENT)
  const kinds = sums.map(
    ([values, , lost]) => `${values instanceof Float64Array ? 'f' : 'i'}${lost === null ? '' : 'k'}`,
  )
  return loops.getOrMake(`${widths.join()} ${kinds.join()}`, () => ({ loop: written(widths, sums) })).loop
}

type Code = readonly number[]
const LOADS = new Map<number, readonly [load: Code, shift: number]>([
  [1, [op.loadByte, 0]],
  [2, [op.loadTwoBytes, 1]],
  [4, [op.load, 2]],
])

/** Parameters: the number of rows, where rows are counted; of each key its codes and its size; of each sum its numbers, totals, losses. */
function written(widths: readonly number[], sums: readonly Sum[]): MachineLoop | null {
  const [COUNT, COUNTED] = [0, 1]
  const codesOf = (key: number): number => 2 + 2 * key
  const sumAt = 2 + 2 * widths.length
  const parameters = sumAt + 3 * sums.length
  const [ROW, SLOT, PLACE] = [parameters, parameters + 1, parameters + 2]
  const [X, BEFORE, TOTAL, PART] = [parameters + 3, parameters + 4, parameters + 5, parameters + 6]
  const element = (from: number, index: number, shift: number): Code => [
    ...op.get(from),
    ...op.get(index),
    ...(shift === 0 ? [] : [...op.i32(shift), ...op.shiftLeft]),
    ...op.add,
  ]
  const codeOf = (key: number): Code => {
    const [load, shift] = LOADS.get(widths[key]!)!
    return [...element(codesOf(key), ROW, shift), ...load]
  }
  const last = widths.length - 1
  const slot: Code[] = [codeOf(last)]
  for (let key = last - 1; key >= 0; key--) slot.push(op.get(codesOf(key) + 1), op.multiply, codeOf(key), op.add)
  const added = sums.flatMap(([values, , lost], index): Code[] => {
    const from = sumAt + 3 * index
    const x: Code =
      values instanceof Float64Array
        ? [...element(from, ROW, 3), ...op.loadFloat]
        : [...element(from, ROW, 2), ...op.load, ...op.floatOfInt]
    const total: Code[] = [element(from + 1, SLOT, 3), op.tee(PLACE)]
    if (lost === null) return [...total, op.get(PLACE), op.loadFloat, x, op.addFloats, op.storeFloat]
    // As `addKeeping` of sum: total + x, and what that rounded away.
    return [
      ...[x, op.set(X), ...total, op.loadFloat, op.set(BEFORE)],
      ...[op.get(BEFORE), op.get(X), op.addFloats, op.set(TOTAL)],
      ...[op.get(PLACE), op.get(TOTAL), op.storeFloat],
      ...[op.get(TOTAL), op.get(BEFORE), op.subtractFloats, op.set(PART)],
      ...[element(from + 2, SLOT, 3), op.tee(PLACE), op.get(PLACE), op.loadFloat],
      ...[op.get(BEFORE), op.get(TOTAL), op.get(PART), op.subtractFloats, op.subtractFloats],
      ...[op.get(X), op.get(PART), op.subtractFloats, op.addFloats, op.addFloats, op.storeFloat],
    ]
  })
  const code: Code[] = [
    ...[op.block, op.loop],
    ...[op.get(ROW), op.get(COUNT), op.notLessUnsigned, op.brIf(1)],
    ...[...slot, op.set(SLOT)],
    ...[element(COUNTED, SLOT, 2), op.tee(PLACE), op.get(PLACE), op.load, op.i32(1), op.add, op.store],
    ...added,
    ...[op.get(ROW), op.i32(1), op.add, op.set(ROW)],
    ...[op.br(0), op.end, op.end, op.i32(0)],
  ]
  return MachineLoop.of(parameters, [I32, I32, I32, F64, F64, F64, F64], code)
}

type Lane = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** Lanes one after the other in the memory of a loop. */
class Layout {
  readonly #placed: { readonly lane: Lane; readonly at: number }[] = []
  size = 0

  /** Where the lane will be, of which the first `count` elements go. */
  place(lane: Lane, count: number): number {
    const at = this.size
    this.#placed.push({ lane: lane.length === count ? lane : lane.subarray(0, count), at })
    this.size = (at + count * lane.BYTES_PER_ELEMENT + 7) & ~7
    return at
  }

  copyIn(bytes: Uint8Array): void {
    for (const { lane, at } of this.#placed) bytes.set(bytesOf(lane), at)
  }

  /** Those placed before `end`. */
  copyOut(bytes: Uint8Array, end: number): void {
    for (const { lane, at } of this.#placed) {
      if (at < end) bytesOf(lane).set(bytes.subarray(at, at + lane.byteLength))
    }
  }
}

function bytesOf(lane: Lane): Uint8Array {
  return new Uint8Array(lane.buffer, lane.byteOffset, lane.byteLength)
}

export const ADD_HELPERS = {
  /**
   * Counts each row in `counted`, and adds up what it has of each sum, by slot: the mixed-radix number of its codes, the first key's lowest.
   * False: nothing was done, and the loop is to be run that says the same in JavaScript.
   */
  addBySlot(
    rowCount: number,
    keys: readonly Key[],
    slotCount: number,
    counted: Int32Array,
    ...sums: readonly Sum[]
  ): boolean {
    if (slotCount * ROWS_PER_SLOT_MIN > rowCount || keys.length + sums.length > PARTS_MAX) return false
    const loop = loopFor(keys, sums)
    if (loop === null) return false
    const layout = new Layout()
    const countedAt = layout.place(counted, slotCount)
    const states = sums.map(([, total, lost]) => [
      layout.place(total, slotCount),
      lost === null ? 0 : layout.place(lost, slotCount),
    ])
    const stateEnd = layout.size
    const args = [rowCount, countedAt]
    for (const { codes, size } of keys) args.push(layout.place(codes, rowCount), size)
    for (const [index, [values]] of sums.entries()) args.push(layout.place(values, rowCount), ...states[index]!)
    const bytes = loop.room(layout.size)
    layout.copyIn(bytes)
    loop.run(...args)
    layout.copyOut(bytes, stateEnd)
    return true
  },
}
