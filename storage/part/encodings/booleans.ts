/** Booleans, a bit each. */
import type { BoolVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readPresence, writePresence } from './presence.ts'

export function encodeBooleans(sink: ByteSink, vector: BoolVector): void {
  writePresence(sink, vector.presence)
  const packed = new Uint8Array((vector.rowCount + 7) >>> 3)
  for (let row = 0; row < vector.rowCount; row++) packed[row >>> 3]! |= vector.values[row]! << (row & 7)
  sink.bytes(packed)
}

export function decodeBooleans(source: ByteSource, rowCount: number): BoolVector {
  const presence = readPresence(source, rowCount)
  const packed = source.bytes((rowCount + 7) >>> 3)
  const values = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = (packed[row >>> 3]! >>> (row & 7)) & 1
  return { kind: 'bool', rowCount, values, presence }
}
