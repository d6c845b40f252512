/**
 * Rows counted and numbers taken into states by the slot of their keys, for a block whose rows all count: the loop a step kernel writes, as
 * WebAssembly put together for the widths of the keys and the kinds of the numbers. V8 keeps more registers free there, checks no bounds and
 * finds no array anew: 2 M rows by 2,600 pairs of host and status, a mean and a sum, 22.7 ms as JavaScript, 11.8 this way, of which 3.9
 * copy the columns to where the loop reads them; counts by two keys 7.9 and 3.3.
 */
import { Lru } from './lru.ts'
import { type BucketRange, bucketRange, type Sketch, takeCounts } from './sketch.ts'
import { type NumberLane, writeSlotLoop } from './slot-loop.ts'
import type { MachineLoop } from './vector-module.ts'

/** Of a `KeyCodes`, what a slot is made of. */
export interface Key {
  readonly codes: Uint8Array | Uint16Array | Uint32Array
  readonly size: number
}

/** Numbers, and by slot what becomes of them (`NumberStep`); `lost` is what additions rounded away, where that is kept. */
export type Numbers =
  | readonly [kind: 'sum', values: NumberArray, to: Float64Array, lost: Float64Array | null]
  | readonly [kind: 'least' | 'greatest', values: NumberArray, to: Float64Array, lost: null]
  | readonly [kind: 'sketch', values: NumberArray, to: readonly Sketch[], lost: null]
type NumberArray = Float64Array | Int32Array

/** States are copied there and back: with fewer rows per slot than this the plain loop is faster. */
const ROWS_PER_SLOT_MIN = 4
/** Counts of sketches are cleared before and looked through after: more of them for each row than this take longer than the rows. */
const BUCKETS_PER_ROW_MAX = 4
/** Each combination of widths and kinds is a module with a memory of its own. */
const LOOPS_MAX = 32
/** Parameters are numbered in one byte, and a sketch has six of them. */
const PARTS_MAX = 16

const loops = new Lru<string, { readonly loop: MachineLoop | null }>(LOOPS_MAX)

function loopFor(keys: readonly Key[], numbers: readonly Numbers[]): MachineLoop | null {
  const widths = keys.map(key => key.codes.BYTES_PER_ELEMENT)
  const lanes = numbers.map(
    ([kind, values, , lost]): NumberLane => ({
      kind: lost === null ? kind : 'kept sum',
      isFloat: values instanceof Float64Array,
    }),
  )
  const name = `${widths.join()} ${lanes.map(({ kind, isFloat }) => `${kind} ${isFloat}`).join()}`
  return loops.getOrMake(name, () => ({ loop: writeSlotLoop(widths, lanes) })).loop
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

/** What a block adds to the sketches of slots. */
class SketchCounts {
  readonly #sketches: readonly Sketch[]
  readonly #range: BucketRange
  readonly #counts: Int32Array
  readonly #least: Float64Array
  readonly #greatest: Float64Array

  constructor(sketches: readonly Sketch[], range: BucketRange, slotCount: number) {
    this.#sketches = sketches
    this.#range = range
    this.#counts = new Int32Array(slotCount * range.width)
    this.#least = new Float64Array(slotCount).fill(Number.POSITIVE_INFINITY)
    this.#greatest = new Float64Array(slotCount).fill(Number.NEGATIVE_INFINITY)
  }

  /** Arguments of the loop. */
  place(layout: Layout): number[] {
    const lanes = [this.#counts, this.#least, this.#greatest]
    return [...lanes.map(lane => layout.place(lane, lane.length)), this.#range.base, this.#range.width]
  }

  take(): void {
    const { base, width } = this.#range
    for (const [slot, greatest] of this.#greatest.entries()) {
      if (greatest === Number.NEGATIVE_INFINITY) continue
      const counts = this.#counts.subarray(slot * width, (slot + 1) * width)
      takeCounts(this.#sketches[slot]!, counts, base, this.#least[slot]!, greatest)
    }
  }
}

/** The ranges of all sketches; null where one of them is too wide for so many slots. */
function sketchesOf(numbers: readonly Numbers[], slotCount: number, rowCount: number): readonly SketchCounts[] | null {
  const made: SketchCounts[] = []
  let buckets = 0
  for (const [kind, values, to] of numbers) {
    if (kind !== 'sketch') continue
    const range = bucketRange(values, rowCount)
    if (range === null) return null
    buckets += range.width * slotCount
    if (buckets > BUCKETS_PER_ROW_MAX * rowCount) return null
    made.push(new SketchCounts(to, range, slotCount))
  }
  return made
}

export const ADD_HELPERS = {
  /**
   * Counts each row in `counted`, and takes what it has of each column of numbers, by slot: the mixed-radix number of its codes, the first
   * key's lowest. False: nothing was done, and the loop is to be run that says the same in JavaScript.
   */
  addBySlot(
    rowCount: number,
    keys: readonly Key[],
    slotCount: number,
    counted: Int32Array,
    ...numbers: readonly Numbers[]
  ): boolean {
    if (slotCount * ROWS_PER_SLOT_MIN > rowCount || keys.length + numbers.length > PARTS_MAX) return false
    const loop = loopFor(keys, numbers)
    const sketches = loop === null ? null : sketchesOf(numbers, slotCount, rowCount)
    if (loop === null || sketches === null) return false
    const layout = new Layout()
    const countedAt = layout.place(counted, slotCount)
    let nextSketch = 0
    const states = numbers.map(([kind, , to, lost]) => {
      if (kind === 'sketch') return sketches[nextSketch++]!.place(layout)
      return lost === null
        ? [layout.place(to, slotCount)]
        : [layout.place(to, slotCount), layout.place(lost, slotCount)]
    })
    const stateEnd = layout.size
    const args = [rowCount, countedAt]
    for (const { codes, size } of keys) args.push(layout.place(codes, rowCount), size)
    for (const [index, [, values]] of numbers.entries()) args.push(layout.place(values, rowCount), ...states[index]!)
    const bytes = loop.room(layout.size)
    layout.copyIn(bytes)
    loop.run(...args)
    layout.copyOut(bytes, stateEnd)
    for (const sketch of sketches) sketch.take()
    return true
  },
}
