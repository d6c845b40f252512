/**
 * Lanes of whole numbers, the ground under several encodings: frame of reference, delta or delta-of-delta, whichever is narrowest,
 * in 0 to 6 bytes a value. Three, five and six bytes are two planes, so that decoding is plain typed-array arithmetic.
 */
import { spareMemory } from '../../spare-memory.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { type Course, makeLane } from './lane-loop.ts'
import { factsOf, putPlanes } from './number-loop.ts'

type Numbers = Float64Array | Int32Array | Uint16Array | Uint32Array

const FRAME = 0
const DELTA = 1
const DELTA_OF_DELTA = 2
/** A factor that all values share beyond the least of them, then the lane of their quotients: times of whole milliseconds. */
const SCALED = 3

/** Bytes a value when the range is too wide to subtract exactly: the values themselves as float64. */
const RAW_WIDTH = 8

/** Differences of values this far apart, and their differences, are exact in float64. */
const EXACT_RANGE = 2 ** 52

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1

function widthOf(range: number): number {
  if (range === 0) return 0
  for (let width = 1; width <= 6; width++) if (range < 2 ** (8 * width)) return width
  return RAW_WIDTH
}

/**
 * The same numbers as doubles. What loops over lanes is compiled for one kind of array then: for four it was compiled anew at each that came, ten times
 * in a load, and a loop over numbers takes less than that long.
 */
export function doublesOf(values: Numbers | Uint8Array): Float64Array {
  if (values instanceof Float64Array) return values
  const doubles = spareDoubles(values.length)
  doubles.set(values)
  return doubles
}

/** Of `doublesOf(values)`, which nobody looks at any more. */
export function giveDoubles(doubles: Float64Array, values: Numbers | Uint8Array): void {
  if (doubles !== values) spareMemory.give(doubles.buffer as ArrayBuffer)
}

/** Writes `values`, which are all safe integers and none of them -0. Their count is known to the reader. */
export function writeIntegers(sink: ByteSink, values: Numbers): void {
  const doubles = doublesOf(values)
  writeLane(sink, doubles)
  giveDoubles(doubles, values)
}

function writeLane(sink: ByteSink, values: Float64Array): void {
  const { min, max } = factsOf(values)
  const fitsInt32 = min >= INT32_MIN && max <= INT32_MAX ? 1 : 0
  const factor = commonFactor(values, min, max)
  if (factor > 1) {
    sink.u8(SCALED | (fitsInt32 << 4))
    sink.f64(factor)
    sink.f64(min)
    const lane = quotients(values, min, factor)
    writeLane(sink, lane)
    spareMemory.give(lane.buffer)
    return
  }
  const frameWidth = widthOf(max - min)
  const scheme = frameWidth === 0 || max - min > EXACT_RANGE ? FRAME : narrowest(values, frameWidth)
  sink.u8(scheme | (fitsInt32 << 4))
  if (scheme === FRAME) {
    writeFrame(sink, values, min, max - min)
    return
  }
  sink.f64(values[0]!)
  const deltas = differences(values)
  if (scheme === DELTA) writeFrameOf(sink, deltas)
  else {
    sink.f64(deltas[0]!)
    const seconds = differences(deltas)
    writeFrameOf(sink, seconds)
    spareMemory.give(seconds.buffer)
  }
  spareMemory.give(deltas.buffer)
}

/** Of a loop's own, which gives them back: three arrays a lane were a fifth of what a load left to collect. */
export function spareDoubles(length: number): Float64Array<ArrayBuffer> {
  return spareMemory.elements(Float64Array, length)
}

function quotients(values: Float64Array, min: number, factor: number): Float64Array<ArrayBuffer> {
  const result = spareDoubles(values.length)
  for (let row = 0; row < values.length; row++) result[row] = (values[row]! - min) / factor
  return result
}

/** What divides the distance of every value from the least one; 1 where that gains nothing. Nearly every lane says so in its first rows. */
function commonFactor(values: Float64Array, min: number, max: number): number {
  if (values.length < 16 || max - min < 256 || max - min > EXACT_RANGE) return 1
  let factor = max - min
  for (let row = 0; row < values.length && factor > 1; row++) {
    let rest = values[row]! - min
    // Exact, as both are: what is left of a quotient is more than it is rounded by. To ask for the remainder of each row took five times as long.
    const quotient = rest / factor
    if (quotient === Math.floor(quotient)) continue
    while (rest !== 0) {
      const remainder = factor % rest
      factor = rest
      rest = remainder
    }
  }
  return factor
}

/** Of one lane in three the first rows say that no difference is narrower. */
const STEPS_AT_ONCE = 4096

/** The scheme that needs the fewest bytes a value; the simpler one when they tie. */
function narrowest(values: Float64Array, frameWidth: number): number {
  if (values.length < 3) return FRAME
  const steps = new Steps(values[1]! - values[0]!)
  for (let from = 2; from < values.length; from += STEPS_AT_ONCE) {
    steps.take(values, from, Math.min(values.length, from + STEPS_AT_ONCE))
    if (steps.width >= frameWidth && steps.secondWidth >= frameWidth) return FRAME
  }
  if (steps.secondWidth < steps.width && steps.secondWidth < frameWidth) return DELTA_OF_DELTA
  return steps.width < frameWidth ? DELTA : FRAME
}

/** Bounds of what is between values, and of what is between those. */
class Steps {
  #min: number
  #max: number
  #minSecond = Number.POSITIVE_INFINITY
  #maxSecond = Number.NEGATIVE_INFINITY

  constructor(first: number) {
    this.#min = first
    this.#max = first
  }

  get width(): number {
    return widthOf(this.#max - this.#min)
  }

  get secondWidth(): number {
    return widthOf(this.#maxSecond - this.#minSecond)
  }

  take(values: Float64Array, from: number, to: number): void {
    let before = values[from - 1]!
    let step = before - values[from - 2]!
    let [min, max, minSecond, maxSecond] = [this.#min, this.#max, this.#minSecond, this.#maxSecond]
    for (let row = from; row < to; row++) {
      const value = values[row]!
      const next = value - before
      const second = next - step
      if (next < min) min = next
      else if (next > max) max = next
      if (second < minSecond) minSecond = second
      if (second > maxSecond) maxSecond = second
      before = value
      step = next
    }
    this.#min = min
    this.#max = max
    this.#minSecond = minSecond
    this.#maxSecond = maxSecond
  }
}

function differences(values: Float64Array): Float64Array<ArrayBuffer> {
  const deltas = spareDoubles(values.length - 1)
  for (let row = 0; row < deltas.length; row++) deltas[row] = values[row + 1]! - values[row]!
  return deltas
}

function writeFrameOf(sink: ByteSink, values: Float64Array): void {
  const { min, max } = factsOf(values)
  writeFrame(sink, values, min, max - min)
}

function writeFrame(sink: ByteSink, values: Float64Array, base: number, range: number): void {
  const width = widthOf(range)
  sink.u8(width)
  if (width === RAW_WIDTH) {
    sink.array(values)
    return
  }
  sink.f64(base)
  if (width === 0) return
  const low = width === 1 ? 1 : width < 4 ? 2 : 4
  const high = width === 6 ? 2 : width > low ? 1 : 0
  const lowRange = 2 ** (8 * low)
  const count = values.length
  const lowLane = { width: low, count, max: Math.min(range, lowRange - 1) } as const
  const isPut = putPlanes(values, base, { low, high }, () =>
    sink.laneRoom(high === 0 ? [lowLane] : [lowLane, { width: high, count, max: Math.floor(range / lowRange) }]),
  )
  if (isPut) return
  const residuals = values.map(value => value - base)
  // What is beyond 32 bits is left out.
  sink.lane(Uint32Array.from(residuals), low, lowLane.max)
  if (high !== 0)
    sink.lane(
      residuals.map(value => Math.floor(value / lowRange)),
      high,
      Math.floor(range / lowRange),
    )
}

/** Reads `count` values: into an Int32Array when they fit one, unless the caller needs doubles. */
export function readIntegers(source: ByteSource, count: number): Float64Array | Int32Array
export function readIntegers(source: ByteSource, count: number, asFloat64: true): Float64Array
export function readIntegers(source: ByteSource, count: number, asFloat64 = false): Float64Array | Int32Array {
  const head = source.u8()
  const isNarrow = head >>> 4 === 1 && !asFloat64
  if ((head & 15) !== SCALED) {
    const values = isNarrow ? new Int32Array(count) : new Float64Array(count)
    readScheme(source, head & 15, values, 1, 0)
    return values
  }
  const factor = source.f64()
  const least = source.f64()
  const scaled = new Float64Array(count)
  readScheme(source, source.u8() & 15, scaled, factor, least)
  return isNarrow ? Int32Array.from(scaled) : scaled
}

function readScheme(
  source: ByteSource,
  scheme: number,
  values: Float64Array | Int32Array,
  factor: number,
  least: number,
): void {
  if (scheme === FRAME) {
    readFrame(source, values, { summedFrom: null, factor, least })
  } else if (scheme === DELTA) {
    if (values.length < 1) throw new RangeError('a delta lane without values')
    const first = source.f64()
    values[0] = least + first * factor
    readFrame(source, values.subarray(1), { summedFrom: first, factor, least })
  } else if (scheme === DELTA_OF_DELTA) {
    if (values.length < 2) throw new RangeError('a delta-of-delta lane without values')
    readSeconds(source, values)
    multiply(values, factor, least)
  } else throw new RangeError(`integer scheme ${scheme} is not known`)
}

/** Second differences need not fit where the values do, so they are read aside. */
function readSeconds(source: ByteSource, values: Float64Array | Int32Array): void {
  const first = source.f64()
  let delta = source.f64()
  const seconds = new Float64Array(values.length - 2)
  readFrame(source, seconds, { summedFrom: null, factor: 1, least: 0 })
  let value = first
  values[0] = value
  values[1] = value += delta
  for (let row = 2; row < values.length; row++) {
    delta += seconds[row - 2]!
    values[row] = value += delta
  }
}

function readFrame(source: ByteSource, into: Float64Array | Int32Array, course: Omit<Course, 'base'>): void {
  const width = source.u8()
  const count = into.length
  if (width === RAW_WIDTH) into.set(source.f64Array(count))
  else {
    const base = source.f64()
    if (width === 0) into.fill(base)
    else if (readPlanes(source, into, width, { ...course, base })) return
  }
  if (course.summedFrom !== null) sumUp(into, course.summedFrom)
  multiply(into, course.factor, course.least)
}

/** Whether summing and scaling is done as well. */
function readPlanes(source: ByteSource, into: Float64Array | Int32Array, width: number, course: Course): boolean {
  if (width > 6) throw new RangeError(`integers ${width} bytes wide are not known`)
  const count = into.length
  const low = width === 1 ? source.bytes(count) : width < 4 ? source.u16View(count) : source.u32Array(count)
  const high = width === 6 ? source.u16Array(count) : width === 3 || width === 5 ? source.bytes(count) : null
  if (width < 5 && !(high instanceof Uint16Array) && makeLane({ low, high }, course, into)) return true
  const scale = 2 ** (8 * low.BYTES_PER_ELEMENT)
  for (let row = 0; row < count; row++) into[row] = (high === null ? 0 : high[row]! * scale) + low[row]! + course.base
  return false
}

/** Of an Int32Array they may overflow it, but they wrap modulo 2^32, so their sums come out right. */
function sumUp(values: Float64Array | Int32Array, from: number): void {
  let sum = from
  const wraps = values instanceof Int32Array
  for (let row = 0; row < values.length; row++) {
    sum = wraps ? (sum + values[row]!) | 0 : sum + values[row]!
    values[row] = sum
  }
}

function multiply(values: Float64Array | Int32Array, factor: number, least: number): void {
  if (factor === 1 && least === 0) return
  for (let row = 0; row < values.length; row++) values[row] = least + values[row]! * factor
}
