/**
 * Rows counted and numbers taken into states by the slot of their keys, for a block whose rows all count: the loop a step kernel writes, as
 * WebAssembly put together for the widths of the keys and the kinds of the numbers. V8 keeps more registers free there, checks no bounds and
 * finds no array anew: 2 M rows by 2,600 pairs of host and status, a mean and a sum, 22.7 ms as JavaScript, 11.8 this way, of which 3.9
 * copy the columns to where the loop reads them; counts by two keys 7.9 and 3.3.
 */
import { sizeOf } from '../../storage/dictionary.ts'
import type { Decimals, Dictionary } from '../../storage/vector.ts'
import type { MachineLoop } from '../../storage/vector-module.ts'
import { type Distinct, takeBits, wordsFor } from './distinct.ts'
import { Lru } from './lru.ts'
import { type BucketRange, both, bucketRange, isWithin, type Sketch, takeCounts } from './sketch.ts'
import { PARAMETERS_MAX, type StepShape, writeSlotLoop } from './slot-loop.ts'

/** Of a `KeyCodes`, what a slot is made of. */
export interface Key {
  readonly codes: Uint8Array | Uint16Array | Uint32Array
  readonly size: number
}

/** Values, and by slot what becomes of them (`PlainStep`). `lost` is what additions rounded away, where that is kept. */
export type Step =
  | readonly [kind: 'sum', values: Numbers, to: Float64Array, lost: Float64Array | null]
  | readonly [kind: 'least' | 'greatest', values: Numbers, to: Float64Array, lost: null]
  | readonly [kind: 'sketch', values: Numbers, to: readonly Sketch[], lost: null]
  | readonly [kind: 'distinct', codes: Codes, to: readonly Distinct[], dictionary: Dictionary]
type Numbers = Float64Array | Int32Array | Decimals
type Codes = Uint8Array | Uint16Array | Uint32Array

/** States are copied there and back: with fewer rows per slot than this the plain loop is faster. */
const ROWS_PER_SLOT_MIN = 4
/** Counts of sketches and bits of sets are cleared before and looked through after: more words of them for each row take longer than the rows. */
const WORDS_PER_ROW_MAX = 4
/** Each combination of widths and kinds is a module with a memory of its own. */
const LOOPS_MAX = 32
/** Parameters are numbered in one byte, with some for the loop itself. */
const PARTS_MAX = Math.floor(100 / PARAMETERS_MAX)

/** A loop, and what its memory holds of blocks before that has not been taken to sketches and sets yet. */
interface HeldLoop {
  readonly loop: MachineLoop | null
  carried: Carried | null
}

/**
 * Counts of sketches and bits of sets stay where the loop adds to them for as long as blocks add to the same: taken after each block they were looked
 * through 31 times (p95 by service over 2 M events 9.7 → 7.9 ms, distinct users by service 8.6 → 4.8).
 */
interface Carried {
  readonly slotCount: number
  /** By step: to whose states it goes. */
  readonly targets: readonly unknown[]
  readonly gatherings: readonly (Gathering | null)[]
}

const loops = new Lru<string, HeldLoop>(LOOPS_MAX)
/** By states: the loop that holds what is theirs. */
const holders = new WeakMap<object, HeldLoop>()

function shapeOf(step: Step): StepShape {
  const [kind, values] = step
  const width = laneOf(values).BYTES_PER_ELEMENT
  if (kind === 'distinct') return { kind, values: 'codes', width, divisor: 1 }
  const isKept = kind === 'sum' && step[3] !== null
  const isFloat = values instanceof Float64Array
  return { kind: isKept ? 'kept sum' : kind, values: isFloat ? 'f64' : 'i32', width, divisor: divisorOf(values) }
}

const laneOf = <Plain extends Lane>(values: Plain | Decimals): Plain | Int32Array =>
  'whole' in values ? values.whole : values
const divisorOf = (values: Numbers): number => ('whole' in values ? values.divisor : 1)

function loopFor(keys: readonly Key[], steps: readonly Step[]): HeldLoop {
  const widths = keys.map(key => key.codes.BYTES_PER_ELEMENT)
  const shapes = steps.map(shapeOf)
  const name = `${widths.join()} ${shapes.map(({ kind, values, width, divisor }) => `${kind} ${values} ${width} ${divisor}`).join()}`
  return loops.getOrMake(name, () => ({ loop: writeSlotLoop(widths, shapes), carried: null }))
}

type Lane = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** Lanes one after the other in the memory of a loop. */
class Layout {
  readonly #placed: { readonly lane: Lane; readonly at: number }[] = []
  readonly #empty: { readonly at: number; readonly end: number }[] = []
  size = 0

  /** Where the lane will be, of which the first `count` elements go. */
  place(lane: Lane, count: number): number {
    const at = this.size
    this.#placed.push({ lane: lane.length === count ? lane : lane.subarray(0, count), at })
    this.size = (at + count * lane.BYTES_PER_ELEMENT + 7) & ~7
    return at
  }

  /** Room for so many words of 32 bits, which are read where they are. @param isFresh  they are 0 to begin with; if not, as they were left */
  reserve(words: number, isFresh: boolean): number {
    const at = this.size
    this.size = (at + 4 * words + 7) & ~7
    if (isFresh) this.#empty.push({ at, end: this.size })
    return at
  }

  copyIn(bytes: Uint8Array): void {
    for (const { at, end } of this.#empty) bytes.fill(0, at, end)
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

/** States that are gathered beside the objects they go to. */
interface Gathering {
  /** How many there are of a slot. */
  readonly words: number
  /** Can what another block has be added to it? */
  goesOn(step: Step, rowCount: number): boolean
  /** Arguments of the loop. @param isFresh  nothing is gathered yet */
  place(layout: Layout, isFresh: boolean): number[]
  /** @param memory  of the loop, after it ran */
  take(memory: ArrayBufferLike): void
}

const bucketsOf = (values: Numbers, rowCount: number): BucketRange | null =>
  bucketRange(laneOf(values), rowCount, divisorOf(values))

/** What a block adds to the sketches of slots. */
class SketchCounts implements Gathering {
  readonly words: number
  readonly #sketches: readonly Sketch[]
  readonly #range: BucketRange
  readonly #slotCount: number
  readonly #least: Float64Array
  readonly #greatest: Float64Array
  #countsAt = 0

  constructor(sketches: readonly Sketch[], range: BucketRange, slotCount: number) {
    this.#sketches = sketches
    this.#range = range
    this.words = range.width
    this.#slotCount = slotCount
    this.#least = new Float64Array(slotCount).fill(Number.POSITIVE_INFINITY)
    this.#greatest = new Float64Array(slotCount).fill(Number.NEGATIVE_INFINITY)
  }

  get range(): BucketRange {
    return this.#range
  }

  goesOn([, values]: Step, rowCount: number): boolean {
    const range = bucketsOf(values as Numbers, rowCount)
    return range !== null && isWithin(range, this.#range)
  }

  place(layout: Layout, isFresh: boolean): number[] {
    const slotCount = this.#slotCount
    this.#countsAt = layout.reserve(slotCount * this.words, isFresh)
    const bounds = [this.#least, this.#greatest].map(lane => layout.place(lane, slotCount))
    return [this.#countsAt, ...bounds, this.#range.base, this.words]
  }

  take(memory: ArrayBufferLike): void {
    const { words } = this
    const counts = new Int32Array(memory, this.#countsAt, words * this.#slotCount)
    for (let slot = 0; slot < this.#slotCount; slot++) {
      const bounds = { least: this.#least[slot]!, greatest: this.#greatest[slot]! }
      if (bounds.greatest === Number.NEGATIVE_INFINITY) continue
      takeCounts(this.#sketches[slot]!, counts, slot * words, this.#range, bounds)
    }
  }
}

/** What a block adds to the sets of slots. */
class DistinctBits implements Gathering {
  readonly words: number
  readonly #sets: readonly Distinct[]
  readonly #dictionary: Dictionary
  readonly #slotCount: number
  #bitsAt = 0

  constructor(sets: readonly Distinct[], dictionary: Dictionary, slotCount: number) {
    this.#sets = sets
    this.#dictionary = dictionary
    this.words = wordsFor(sizeOf(dictionary))
    this.#slotCount = slotCount
  }

  goesOn([, , , dictionary]: Step): boolean {
    return dictionary === this.#dictionary && wordsFor(sizeOf(this.#dictionary)) === this.words
  }

  place(layout: Layout, isFresh: boolean): number[] {
    this.#bitsAt = layout.reserve(this.#slotCount * this.words, isFresh)
    return [this.#bitsAt, this.words]
  }

  take(memory: ArrayBufferLike): void {
    const { words } = this
    for (let slot = 0; slot < this.#slotCount; slot++) {
      const bits = new Uint32Array(memory, this.#bitsAt + 4 * slot * words, words)
      // A row has a code whatever it stands for: a slot without bits was not met.
      if (bits.some(word => word !== 0)) takeBits(this.#sets[slot]!, this.#dictionary, bits)
    }
  }
}

/** By step, null for one whose states are numbers; null where they take too many words for so many rows. */
function gatheringsOf(
  steps: readonly Step[],
  slotCount: number,
  rowCount: number,
  before: Carried | null,
): readonly (Gathering | null)[] | null {
  const made: (Gathering | null)[] = []
  let words = 0
  for (const [index, step] of steps.entries()) {
    const gathering = gatheringOf(step, slotCount, rowCount, before?.gatherings[index] ?? null)
    if (gathering === 'none') return null
    made.push(gathering)
    words += (gathering?.words ?? 0) * slotCount
    if (words > WORDS_PER_ROW_MAX * rowCount) return null
  }
  return made
}

/** @param before  what blocks before were gathered in: the next may be as wide as both */
function gatheringOf(
  step: Step,
  slotCount: number,
  rowCount: number,
  before: Gathering | null,
): Gathering | null | 'none' {
  if (step[0] === 'distinct') return new DistinctBits(step[2], step[3], slotCount)
  if (step[0] !== 'sketch') return null
  const range = bucketsOf(step[1], rowCount)
  if (range === null) return 'none'
  const wider = before instanceof SketchCounts ? both(range, before.range) : range
  const isTooWide = wider.width * slotCount > WORDS_PER_ROW_MAX * rowCount
  return new SketchCounts(step[2], isTooWide ? range : wider, slotCount)
}

/** The same as before, where blocks go on with it; null: they do not. */
function goingOn(steps: readonly Step[], slotCount: number, rowCount: number, before: Carried | null): Carried | null {
  if (before === null || before.slotCount !== slotCount) return null
  const isSame = steps.every((step, index) => {
    const gathering = before.gatherings[index]!
    return gathering === null || (before.targets[index] === step[2] && gathering.goesOn(step, rowCount))
  })
  return isSame ? before : null
}

/** What the loop's memory holds goes to the sketches and sets it belongs to. */
function takeCarried(held: HeldLoop): void {
  const { loop, carried } = held
  held.carried = null
  if (loop === null || carried === null) return
  const { buffer } = loop.room(0)
  for (const gathering of carried.gatherings) gathering?.take(buffer)
}

/** To be called before the states of a step that `addBySlot` adds to are looked at. */
export function settleAdded(states: object): void {
  const held = holders.get(states)
  if (held?.carried?.targets.includes(states) === true) takeCarried(held)
}

/** Where the states of a step are, in the order of the loop's parameters. */
function placeStates(
  step: Step,
  gathering: Gathering | null,
  { layout, slotCount, isFresh }: { readonly layout: Layout; readonly slotCount: number; readonly isFresh: boolean },
): number[] {
  if (gathering !== null) return gathering.place(layout, isFresh)
  const [, , to, lost] = step as Exclude<Step, readonly ['sketch' | 'distinct', ...unknown[]]>
  const places = [layout.place(to, slotCount)]
  if (lost !== null) places.push(layout.place(lost, slotCount))
  return places
}

function carry(
  held: HeldLoop,
  steps: readonly Step[],
  slotCount: number,
  gatherings: readonly (Gathering | null)[],
): void {
  const targets = steps.map(([, , to]) => to)
  held.carried = { slotCount, targets, gatherings }
  for (const [index, target] of targets.entries()) {
    if (gatherings[index] === null) continue
    // Of another block's widths.
    if (holders.get(target) !== held) settleAdded(target)
    holders.set(target, held)
  }
}

export const ADD_HELPERS = {
  /**
   * Counts each row in `counted`, and takes what it has of each column, by slot: the mixed-radix number of its codes, the first key's
   * lowest. What goes to sketches and sets is there when `settleAdded` has been called. False: nothing was done, and the loop is to be run that says the same in JavaScript.
   */
  addBySlot(
    rowCount: number,
    keys: readonly Key[],
    slotCount: number,
    counted: Int32Array,
    ...steps: readonly Step[]
  ): boolean {
    if (slotCount * ROWS_PER_SLOT_MIN > rowCount || keys.length + steps.length > PARTS_MAX) return false
    const held = loopFor(keys, steps)
    const { loop } = held
    if (loop === null) return false
    const before = goingOn(steps, slotCount, rowCount, held.carried)
    const gatherings = before?.gatherings ?? gatheringsOf(steps, slotCount, rowCount, held.carried)
    if (gatherings === null) return false
    const isFresh = before === null
    if (isFresh) takeCarried(held)
    const layout = new Layout()
    const countedAt = layout.place(counted, slotCount)
    const states = steps.map((step, index) => placeStates(step, gatherings[index]!, { layout, slotCount, isFresh }))
    const stateEnd = layout.size
    const args = [rowCount, countedAt]
    for (const { codes, size } of keys) args.push(layout.place(codes, rowCount), size)
    for (const [index, [, values]] of steps.entries())
      args.push(layout.place(laneOf(values), rowCount), ...states[index]!)
    const bytes = loop.room(layout.size)
    layout.copyIn(bytes)
    loop.run(...args)
    layout.copyOut(bytes, stateEnd)
    if (isFresh && gatherings.some(gathering => gathering !== null)) carry(held, steps, slotCount, gatherings)
    return true
  },
}
