/** Whole numbers: presence, then a lane of them. */
import type { NumberVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, writeIntegers } from './lane.ts'
import { factsOf } from './number-loop.ts'
import { fillAbsent, readPresence, writePresence, zeroAbsent } from './presence.ts'

/** True when every value is a safe integer and none is -0, which an integer lane would lose. */
export function areIntegers(values: Float64Array | Int32Array): boolean {
  if (values instanceof Int32Array) return true
  const { hasOthers, hasMinusZero } = factsOf(values)
  return !hasOthers && !hasMinusZero
}

export function encodeIntegers(sink: ByteSink, vector: NumberVector): void {
  writePresence(sink, vector.presence)
  writeIntegers(sink, fillAbsent(vector.values, vector.presence))
}

export function decodeIntegers(source: ByteSource, rowCount: number): NumberVector {
  const presence = readPresence(source, rowCount)
  const values = readIntegers(source, rowCount)
  zeroAbsent(values, presence)
  return { kind: 'number', rowCount, values, presence }
}
