/** Text: a lane of byte lengths (absent rows have none), then all bytes as they were sent, valid UTF-8 or not. */
import { spareMemory } from '../../spare-memory.ts'
import type { TextVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, spareDoubles, writeIntegers } from './lane.ts'
import { readPresence, writePresence } from './presence.ts'

export function encodeText(sink: ByteSink, vector: TextVector): void {
  const { rowCount, offsets } = vector
  writePresence(sink, vector.presence)
  const lengths = lengthsOf(offsets, rowCount)
  writeIntegers(sink, lengths)
  spareMemory.give(lengths.buffer)
  sink.bytes(vector.bytes.subarray(offsets[0] ?? 0, offsets[rowCount] ?? 0))
}

function lengthsOf(offsets: Uint32Array, rowCount: number): Float64Array<ArrayBuffer> {
  const lengths = spareDoubles(rowCount)
  for (let row = 0; row < rowCount; row++) lengths[row] = offsets[row + 1]! - offsets[row]!
  return lengths
}

/** The bytes are a view of the chunk, which is theirs alone: copying them would cost more than the lengths before them. */
export function decodeText(source: ByteSource, rowCount: number): TextVector {
  const presence = readPresence(source, rowCount)
  const lengths = readIntegers(source, rowCount)
  const offsets = new Uint32Array(rowCount + 1)
  let total = 0
  for (let row = 0; row < rowCount; row++) {
    const length = lengths[row]!
    if (!(length >= 0)) throw new RangeError('a text of negative length')
    total += length
    offsets[row + 1] = total
  }
  return { kind: 'text', rowCount, bytes: source.bytes(total), offsets, presence }
}
