/**
 * Hashes of group keys, equal wherever two values are one key (`keyOf`): 2 and 2.0, null and missing. They say which partition of a file a
 * row or a group goes to; each level of partitions looks at them differently, so that what fell together once is taken apart next time.
 */
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { PRESENT, type Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { keyOf } from '../helpers/compare.ts'
import { valueAt } from '../helpers/vectors.ts'

/** Partitions of a level. */
export const PARTITIONS = 16

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
const ABSENT = 0x51ed270b
const TIME = 0x7feb352d
const LENGTH = 0x1b873593

export function partitionOf(hash: number, level: number): number {
  let mixed = Math.imul(hash ^ Math.imul(level + 1, 0x9e3779b1), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed >>> 16) % PARTITIONS
}

function hashNumber(value: number): number {
  double[0] = value === 0 ? 0 : value
  const mixed = Math.imul(words[0]! ^ Math.imul(words[1]!, 0x9e3779b1), 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

export function hashValue(value: Value): number {
  if (typeof value === 'string') return hashText(value)
  if (typeof value === 'number') return hashNumber(value)
  if (value === null || value === undefined) return ABSENT
  if (value instanceof DateTime) return hashNumber(value.micros) ^ TIME ^ Math.imul(value.nanos, LENGTH)
  if (value instanceof Duration) return hashNumber(value.ns) ^ LENGTH
  const key = keyOf(value)
  return typeof key === 'number' ? hashNumber(key) : hashText(key)
}

/** The hash of several keys from that of the first and the next. */
function combined(hash: number, next: number): number {
  return (Math.imul(hash, 31) + next) | 0
}

/** By group, from the values of each key by group. */
export function hashGroups(keys: readonly (readonly Value[])[], count: number): Int32Array {
  const hashes = new Int32Array(count)
  for (const values of keys) {
    for (let group = 0; group < count; group++) hashes[group] = combined(hashes[group]!, hashValue(values[group]))
  }
  return hashes
}

export interface HashedColumn {
  readonly field: string
  /** Times count as the start of their bin; what is no time as null. */
  readonly binMicros: number | null
}

/** By position among the selected rows. */
export function hashRows(batch: Batch, columns: readonly HashedColumn[]): Int32Array {
  const hashes = new Int32Array(batch.selectedCount)
  for (const { field, binMicros } of columns) {
    const hash = hasherOf(batch.column(field), binMicros)
    for (let n = 0; n < batch.selectedCount; n++) {
      hashes[n] = combined(hashes[n]!, hash(batch.selection === null ? n : batch.selection[n]!))
    }
  }
  return hashes
}

function hasherOf(vector: Vector, binMicros: number | null): (row: number) => number {
  if (binMicros !== null) return row => hashValue(binned(valueAt(vector, row), binMicros))
  switch (vector.kind) {
    case 'const': {
      const hash = hashValue(vector.value)
      return () => hash
    }
    case 'dict': {
      const { codes } = vector
      const hashes = Int32Array.from(vector.dictionary.values, hashValue)
      return row => hashes[codes[row]!]!
    }
    case 'number': {
      const { values, presence } = vector
      return row => (presence === null || presence[row] === PRESENT ? hashNumber(values[row]!) : ABSENT)
    }
    case 'text': {
      const { bytes, offsets, presence } = vector
      return row => {
        if (presence !== null && presence[row] !== PRESENT) return ABSENT
        let hash = 0x811c9dc5
        for (let at = offsets[row]!; at < offsets[row + 1]!; at++) {
          // Beyond ASCII bytes are not the units of the string that other columns have.
          if (bytes[at]! > 127) return hashValue(valueAt(vector, row))
          hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
        }
        return hash
      }
    }
    default:
      return row => hashValue(valueAt(vector, row))
  }
}

function binned(value: Value, binMicros: number): Value {
  return value instanceof DateTime ? new DateTime(Math.floor(value.micros / binMicros) * binMicros) : null
}
