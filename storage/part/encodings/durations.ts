/** Lengths of time in nanoseconds: whole numbers nearly always, float64 when one is beyond the safe integers. */
import type { DurationVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { areIntegers } from './integers.ts'
import { readIntegers, writeIntegers } from './lane.ts'
import { fillAbsent, readPresence, writePresence, zeroAbsent } from './presence.ts'

export function encodeDurations(sink: ByteSink, vector: DurationVector): void {
  writePresence(sink, vector.presence)
  const values = fillAbsent(vector.values, vector.presence)
  const whole = areIntegers(values)
  sink.u8(whole ? 1 : 0)
  if (whole) writeIntegers(sink, values)
  else sink.array(values)
}

export function decodeDurations(source: ByteSource, rowCount: number): DurationVector {
  const presence = readPresence(source, rowCount)
  const values = source.u8() === 1 ? readIntegers(source, rowCount, true) : source.f64Array(rowCount)
  zeroAbsent(values, presence)
  return { kind: 'duration', rowCount, values, presence }
}
