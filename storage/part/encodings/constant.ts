/** One value for the whole block. */
import type { ConstVector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readValue, writeValue } from './any.ts'

export function encodeConstant(sink: ByteSink, vector: ConstVector): void {
  writeValue(sink, vector.value)
}

export function decodeConstant(source: ByteSource, rowCount: number): ConstVector {
  return { kind: 'const', rowCount, value: readValue(source) }
}
