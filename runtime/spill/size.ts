/** What columns weigh in memory, as far as deciding whether to keep them needs to know. */
import type { Value } from '../../storage/value.ts'
import { DateTime, Duration } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { ColumnBatch } from '../column-batch.ts'

/** Values looked at to weigh boxed columns. */
const SAMPLED = 64
const BOX_BYTES = 16

/** Dictionaries are shared by the blocks of a part, and not counted. */
export function bytesOfVector(vector: Vector): number {
  switch (vector.kind) {
    case 'const':
      return BOX_BYTES
    case 'dict':
      return vector.codes.byteLength
    case 'any':
      return bytesOfValues(vector.values) + (vector.shown === undefined ? 0 : bytesOfVector(vector.shown))
    case 'time':
      return vector.micros.byteLength + (vector.nanos?.byteLength ?? 0) + (vector.presence?.byteLength ?? 0)
    case 'text':
      // Text that nobody has read yet is not read to be weighed.
      if (vector.pieces?.isWhole === false) return vector.pieces.byteLength
      return vector.bytes.length + vector.offsets.byteLength + (vector.presence?.byteLength ?? 0)
    default:
      return vector.values.byteLength + (vector.presence?.byteLength ?? 0)
  }
}

/** Estimated from some of them, spread over all. */
export function bytesOfValues(values: readonly Value[]): number {
  const step = Math.max(1, Math.floor(values.length / SAMPLED))
  let bytes = 0
  let sampled = 0
  for (let at = 0; at < values.length; at += step, sampled++) bytes += bytesOfValue(values[at])
  return sampled === 0 ? 0 : Math.round((bytes / sampled) * values.length)
}

export function bytesOfValue(value: Value): number {
  switch (typeof value) {
    case 'string':
      return 8 + BOX_BYTES + value.length
    case 'number':
      return 8 + (Number.isInteger(value) && Math.abs(value) < 2 ** 30 ? 0 : BOX_BYTES)
    case 'bigint':
      return 8 + BOX_BYTES + 8
    case 'object': {
      if (value === null) return 8
      if (value instanceof DateTime || value instanceof Duration) return 8 + 3 * BOX_BYTES
      let bytes = 8 + 2 * BOX_BYTES
      if (Array.isArray(value)) for (const member of value as readonly Value[]) bytes += bytesOfValue(member)
      else for (const member of Object.values(value)) bytes += BOX_BYTES + bytesOfValue(member as Value)
      return bytes
    }
    default:
      return 8
  }
}

/** Bytes a row of the batch takes with all its columns, which are decoded for it. */
export function widthOf(batch: Batch): number {
  let bytes = 0
  for (const name of batch.names) bytes += bytesOfVector(batch.column(name))
  return bytes / Math.max(1, batch.rowCount)
}

/** What holding on to a batch costs, as it is: the columns that were read of it, and what cannot be freed because of it. */
export function heldBytesOf(batch: Batch): number {
  let bytes = batch.pinnedBytes ?? 0
  if (batch instanceof ColumnBatch) for (const vector of batch.held()) bytes += bytesOfVector(vector)
  return Math.round(bytes)
}
