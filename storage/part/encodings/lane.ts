/**
 * Lanes of whole numbers, the ground under several encodings: frame of reference, delta or delta-of-delta, whichever is narrowest,
 * in 0 to 6 bytes a value. Three, five and six bytes are two planes, so that decoding is plain typed-array arithmetic.
 */
import { spareMemory } from '../../spare-memory.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'

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
  const { min, max } = boundsOf(values)
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

/** Of none, zero. */
function boundsOf(values: Float64Array): { readonly min: number; readonly max: number } {
  let min = values.length === 0 ? 0 : values[0]!
  let max = min
  for (let row = 1; row < values.length; row++) {
    const value = values[row]!
    if (value < min) min = value
    else if (value > max) max = value
  }
  return { min, max }
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
    while (rest !== 0) {
      const remainder = factor % rest
      factor = rest
      rest = remainder
    }
  }
  return factor
}

/** The scheme that needs the fewest bytes a value; the simpler one when they tie. */
function narrowest(values: Float64Array, frameWidth: number): number {
  const count = values.length
  if (count < 3) return FRAME
  let delta = values[1]! - values[0]!
  let minDelta = delta
  let maxDelta = delta
  let minSecond = Number.POSITIVE_INFINITY
  let maxSecond = Number.NEGATIVE_INFINITY
  for (let row = 2; row < count; row++) {
    const next = values[row]! - values[row - 1]!
    const second = next - delta
    if (next < minDelta) minDelta = next
    if (next > maxDelta) maxDelta = next
    if (second < minSecond) minSecond = second
    if (second > maxSecond) maxSecond = second
    delta = next
  }
  const deltaWidth = widthOf(maxDelta - minDelta)
  const secondWidth = widthOf(maxSecond - minSecond)
  if (secondWidth < deltaWidth && secondWidth < frameWidth) return DELTA_OF_DELTA
  return deltaWidth < frameWidth ? DELTA : FRAME
}

function differences(values: Float64Array): Float64Array<ArrayBuffer> {
  const deltas = spareDoubles(values.length - 1)
  for (let row = 0; row < deltas.length; row++) deltas[row] = values[row + 1]! - values[row]!
  return deltas
}

function writeFrameOf(sink: ByteSink, values: Float64Array): void {
  const { min, max } = boundsOf(values)
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
  const residuals = spareDoubles(values.length)
  subtract(values, base, residuals)
  const words = spareMemory.elements(Uint32Array, values.length)
  // What is beyond 32 bits is left out.
  words.set(residuals)
  const lowWidth = width === 1 ? 1 : width < 4 ? 2 : 4
  const lowRange = 2 ** (8 * lowWidth)
  sink.lane(words, lowWidth, Math.min(range, lowRange - 1))
  if (width > lowWidth) {
    divide(residuals, lowRange)
    sink.lane(residuals, width === 6 ? 2 : 1, Math.floor(range / lowRange))
  }
  spareMemory.give(residuals.buffer)
  spareMemory.give(words.buffer)
}

function subtract(values: Float64Array, base: number, into: Float64Array): void {
  for (let row = 0; row < values.length; row++) into[row] = values[row]! - base
}

function divide(values: Float64Array, divisor: number): void {
  for (let row = 0; row < values.length; row++) values[row] = Math.floor(values[row]! / divisor)
}

/** Reads `count` values: into an Int32Array when they fit one, unless the caller needs doubles. */
export function readIntegers(source: ByteSource, count: number): Float64Array | Int32Array
export function readIntegers(source: ByteSource, count: number, asFloat64: true, mayScale?: boolean): Float64Array
export function readIntegers(
  source: ByteSource,
  count: number,
  asFloat64 = false,
  mayScale = true,
): Float64Array | Int32Array {
  const head = source.u8()
  const scheme = head & 15
  const isNarrow = head >>> 4 === 1 && !asFloat64
  if (scheme === SCALED && mayScale) {
    const factor = source.f64()
    const min = source.f64()
    const scaled = multiplied(readIntegers(source, count, true, false), factor, min)
    return isNarrow ? Int32Array.from(scaled) : scaled
  }
  const values = isNarrow ? new Int32Array(count) : new Float64Array(count)
  if (scheme === FRAME) {
    readFrame(source, values, 0, count)
  } else if (scheme === DELTA) {
    if (count < 1) throw new RangeError('a delta lane without values')
    values[0] = source.f64()
    // Deltas may overflow an Int32Array, but they wrap modulo 2^32, so their sums come out right.
    readFrame(source, values, 1, count)
    if (values instanceof Int32Array) sumUpInt32s(values)
    else sumUp(values)
  } else if (scheme === DELTA_OF_DELTA) {
    if (count < 2) throw new RangeError('a delta-of-delta lane without values')
    values[0] = source.f64()
    const delta = source.f64()
    values[1] = values[0]! + delta
    readSeconds(source, values, delta)
  } else throw new RangeError(`integer scheme ${scheme} is not known`)
  return values
}

/** Second differences need not fit where the values do, so they are read aside. */
function readSeconds(source: ByteSource, values: Float64Array | Int32Array, firstDelta: number): void {
  const seconds = new Float64Array(values.length)
  readFrame(source, seconds, 2, values.length)
  let delta = firstDelta
  for (let row = 2; row < values.length; row++) {
    delta += seconds[row]!
    values[row] = values[row - 1]! + delta
  }
}

function readFrame(source: ByteSource, into: Float64Array | Int32Array, from: number, to: number): void {
  const width = source.u8()
  const count = to - from
  if (width === RAW_WIDTH) {
    into.set(source.f64Array(count), from)
    return
  }
  const base = source.f64()
  if (width === 0) {
    into.fill(base, from, to)
    return
  }
  if (width > 6) throw new RangeError(`integers ${width} bytes wide are not known`)
  const low = width === 1 ? source.bytes(count) : width < 4 ? source.u16View(count) : source.u32Array(count)
  if (width === 3 && into instanceof Int32Array) {
    readThreeBytes(into, from, base, low as Uint16Array, source.bytes(count))
    return
  }
  if (width < 5 && into instanceof Int32Array) {
    readInt32s(into, from, base, low)
    return
  }
  if (into instanceof Float64Array && low instanceof Uint8Array) {
    readBytes(into, from, base, low)
    return
  }
  if (into instanceof Float64Array && low instanceof Uint16Array && width === 2) {
    readWords(into, from, base, low)
    return
  }
  if (width === 4) {
    for (let row = 0; row < count; row++) into[from + row] = low[row]! + base
    return
  }
  const high = width === 6 ? source.u16Array(count) : source.u8Array(count)
  const scale = 2 ** (8 * low.BYTES_PER_ELEMENT)
  for (let row = 0; row < count; row++) into[from + row] = high[row]! * scale + low[row]! + base
}

/*
 * Each for one kind of array: where several come, V8 asks at every element which it is. Counts by minute of 2 M events that were just read, 73 → 60 ms.
 */

function multiplied(quotients: Float64Array, factor: number, min: number): Float64Array {
  for (let row = 0; row < quotients.length; row++) quotients[row] = min + quotients[row]! * factor
  return quotients
}

function sumUp(values: Float64Array): void {
  let sum = values[0]!
  for (let row = 1; row < values.length; row++) values[row] = sum += values[row]!
}

function sumUpInt32s(values: Int32Array): void {
  let sum = values[0]!
  for (let row = 1; row < values.length; row++) values[row] = sum = (sum + values[row]!) | 0
}

function readBytes(into: Float64Array, from: number, base: number, low: Uint8Array): void {
  for (let row = 0; row < low.length; row++) into[from + row] = low[row]! + base
}

function readWords(into: Float64Array, from: number, base: number, low: Uint16Array): void {
  for (let row = 0; row < low.length; row++) into[from + row] = low[row]! + base
}

/** What fits an Int32Array, or wraps as it does, takes whole arithmetic. */
function readInt32s(into: Int32Array, from: number, base: number, low: Uint8Array | Uint16Array | Uint32Array): void {
  const least = base | 0
  for (let row = 0; row < low.length; row++) into[from + row] = low[row]! + least
}

/** Four values of as many words at once, where they lie on words: 2 M values whose chunks were not in the cache 6.8 → 5.5 ms, in it 5.2 → 2.9. */
function readThreeBytes(into: Int32Array, from: number, base: number, low: Uint16Array, high: Uint8Array): void {
  const least = base | 0
  const done = low.byteOffset % 4 === 0 && high.byteOffset % 4 === 0 ? low.length & ~3 : 0
  if (done > 0)
    readThreeByteWords(
      into.subarray(from, from + done),
      least,
      new Uint32Array(low.buffer, low.byteOffset, done / 2),
      new Uint32Array(high.buffer, high.byteOffset, done / 4),
    )
  for (let row = done; row < low.length; row++) into[from + row] = ((high[row]! << 16) | low[row]!) + least
}

function readThreeByteWords(into: Int32Array, least: number, low: Uint32Array, high: Uint32Array): void {
  for (let four = 0; four < high.length; four++) {
    const first = low[2 * four]!
    const second = low[2 * four + 1]!
    const highs = high[four]!
    const row = 4 * four
    into[row] = (((highs & 0xff) << 16) | (first & 0xffff)) + least
    into[row + 1] = (((highs & 0xff00) << 8) | (first >>> 16)) + least
    into[row + 2] = ((highs & 0xff0000) | (second & 0xffff)) + least
    into[row + 3] = (((highs >>> 8) & 0xff0000) | (second >>> 16)) + least
  }
}
