/** Points in time: a lane of microseconds, and a lane of the nanoseconds below them when any row has some. */
import type { TimeVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, writeIntegers } from './lane.ts'
import { fillAbsent, readPresence, writePresence, zeroAbsent } from './presence.ts'

export function encodeTimes(sink: ByteSink, vector: TimeVector): void {
  writePresence(sink, vector.presence)
  writeIntegers(sink, fillAbsent(vector.micros, vector.presence))
  const nanos = vector.nanos?.some(value => value !== 0) === true ? vector.nanos : null
  sink.u8(nanos === null ? 0 : 1)
  if (nanos !== null) writeIntegers(sink, fillAbsent(nanos, vector.presence))
}

export function decodeTimes(source: ByteSource, rowCount: number): TimeVector {
  const presence = readPresence(source, rowCount)
  const micros = readIntegers(source, rowCount, true)
  zeroAbsent(micros, presence)
  const nanos = source.u8() === 0 ? null : new Uint16Array(readIntegers(source, rowCount))
  zeroAbsent(nanos, presence)
  return { kind: 'time', rowCount, micros, nanos, presence }
}
