/**
 * Numbers that are not all whole. Most are decimals someone printed (`0.25`, `13.7`): times a power of ten they are whole numbers,
 * and dividing by it again is exact because both divisions round to the double nearest to the same decimal. The rest stay float64.
 */
import { POWERS_OF_TEN } from '../../decimal.ts'
import { DecimalVector } from '../../decimal-vector.ts'
import { spareMemory } from '../../spare-memory.ts'
import type { NumberVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, spareDoubles, writeIntegers } from './lane.ts'
import { fillAbsent, readPresence, writePresence, zeroAbsent } from './presence.ts'

/** More digits than this and the scaled numbers are as wide as the doubles. */
const EXPONENT_MAX = 12

/** The values times a power of ten, each a safe integer that divides back to exactly its value; null when there is no such power. The memory is spare. */
export function scaleDecimals(
  values: ArrayLike<number>,
): { scaled: Float64Array<ArrayBuffer>; exponent: number } | null {
  const scaled = spareDoubles(values.length)
  const exponent = scale(values, scaled)
  if (exponent !== null) return { scaled, exponent }
  spareMemory.give(scaled.buffer)
  return null
}

function scale(values: ArrayLike<number>, scaled: Float64Array): number | null {
  let exponent = 0
  let factor = 1
  // Those before were scaled by less.
  let from = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    let whole = Math.round(value * factor)
    while (!isExact(value, whole, factor)) {
      if (++exponent > EXPONENT_MAX) return null
      factor = POWERS_OF_TEN[exponent]!
      whole = Math.round(value * factor)
      from = row
    }
    scaled[row] = whole
  }
  for (let row = 0; row < from; row++) {
    const value = values[row]!
    const whole = Math.round(value * factor)
    if (!isExact(value, whole, factor)) return null
    scaled[row] = whole
  }
  return exponent
}

function isExact(value: number, whole: number, scale: number): boolean {
  return Number.isSafeInteger(whole) && !Object.is(whole, -0) && whole / scale === value
}

export function encodeDecimals(sink: ByteSink, vector: NumberVector, scaled: Float64Array, exponent: number): void {
  writePresence(sink, vector.presence)
  sink.u8(exponent)
  writeIntegers(sink, scaled)
}

export function decodeDecimals(source: ByteSource, rowCount: number): NumberVector {
  const presence = readPresence(source, rowCount)
  const exponent = source.u8()
  if (exponent > EXPONENT_MAX) throw new RangeError(`exponent ${exponent} is too large`)
  const divisor = 10 ** exponent
  const values = readIntegers(source, rowCount)
  zeroAbsent(values, presence)
  if (values instanceof Int32Array) return new DecimalVector({ whole: values, divisor }, presence)
  divide(values, rowCount, divisor)
  return { kind: 'number', rowCount, values, presence }
}

/** By itself, as is `divided` of `decimal-vector.ts`. */
function divide(values: Float64Array, rowCount: number, scale: number): void {
  for (let row = 0; row < rowCount; row++) values[row] = values[row]! / scale
}

export function encodeFloats(sink: ByteSink, vector: NumberVector): void {
  writePresence(sink, vector.presence)
  const { values } = vector
  sink.array(fillAbsent(values instanceof Float64Array ? values : new Float64Array(values), vector.presence))
}

export function decodeFloats(source: ByteSource, rowCount: number): NumberVector {
  const presence = readPresence(source, rowCount)
  const values = source.f64Array(rowCount)
  zeroAbsent(values, presence)
  return { kind: 'number', rowCount, values, presence }
}
