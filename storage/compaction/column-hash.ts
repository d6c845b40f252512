/**
 * One number for what a column says, row by row, whatever kind of vector says it: a merge notes it of every column it hands to the
 * writer and asks the file for it again before the file gets its name. Never stored.
 */
import { ByteSink } from '../part/bytes.ts'
import { writeValue } from '../part/encodings/any.ts'
import type { ThinColumn } from '../part/thin.ts'
import { DateTime, Duration, type Value } from '../value.ts'
import { NULL, PRESENT, type Vector } from '../vector.ts'

const SEED = 0x811c9dc5 | 0
const PRIME = 0x01000193
const NULL_HASH = 0x2545f491
const TRUE_HASH = 0x1b873593
const FALSE_HASH = 0x6b43a9b5

/** A column that is not there and one whose rows are all missing have the same: 0. */
export function hashColumn(vector: Vector | null): number {
  if (vector === null) return 0
  let sum = 0
  if (vector.kind === 'const') {
    const hash = hashValue(vector.value)
    if (hash !== 0) for (let row = 0; row < vector.rowCount; row++) sum = (sum + mix(hash, row)) | 0
    return sum
  }
  if (vector.kind === 'dict') {
    const hashes = new Int32Array(vector.dictionary.values.length)
    const isKnown = new Uint8Array(hashes.length)
    for (let row = 0; row < vector.rowCount; row++) {
      const code = vector.codes[row]!
      if (isKnown[code] === 0) {
        isKnown[code] = 1
        hashes[code] = hashValue(vector.dictionary.values[code])
      }
      if (hashes[code] !== 0) sum = (sum + mix(hashes[code]!, row)) | 0
    }
    return sum
  }
  for (let row = 0; row < vector.rowCount; row++) {
    const hash = hashRow(vector, row)
    if (hash !== 0) sum = (sum + mix(hash, row)) | 0
  }
  return sum
}

/** The hash of the column that has `values` at `rows` and is missing elsewhere. */
export function hashThin({ rows, values }: ThinColumn): number {
  let sum = 0
  for (let at = 0; at < rows.length; at++) {
    const hash =
      values.kind === 'const'
        ? hashValue(values.value)
        : values.kind === 'dict'
          ? hashValue(values.dictionary.values[values.codes[at]!])
          : hashRow(values, at)
    if (hash !== 0) sum = (sum + mix(hash, rows[at]!)) | 0
  }
  return sum
}

/** A value in another row is another column. */
function mix(hash: number, row: number): number {
  let mixed = hash ^ Math.imul(row + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}

function hashRow(vector: Exclude<Vector, { kind: 'const' | 'dict' }>, row: number): number {
  if (vector.kind === 'any') return hashValue(vector.values[row])
  const state = vector.presence === null ? PRESENT : vector.presence[row]!
  if (state !== PRESENT) return state === NULL ? NULL_HASH : 0
  switch (vector.kind) {
    case 'number':
      return hashNumber(vector.values[row]!, 1)
    case 'bool':
      return vector.values[row] === 1 ? TRUE_HASH : FALSE_HASH
    case 'time':
      return hashNumber(vector.micros[row]!, 2 + (vector.nanos?.[row] ?? 0))
    case 'duration':
      return hashNumber(vector.values[row]!, 1002)
    case 'text':
      return hashBytes(vector.bytes, vector.offsets[row]!, vector.offsets[row + 1]!)
  }
}

const encoder = new TextEncoder()

function hashValue(value: Value): number {
  switch (typeof value) {
    case 'undefined':
      return 0
    case 'string': {
      const bytes = encoder.encode(value)
      return hashBytes(bytes, 0, bytes.length)
    }
    case 'number':
      return hashNumber(value, 1)
    case 'boolean':
      return value ? TRUE_HASH : FALSE_HASH
    case 'object':
      if (value === null) return NULL_HASH
      if (value instanceof DateTime) return hashNumber(value.micros, 2 + value.nanos)
      if (value instanceof Duration) return hashNumber(value.ns, 1002)
  }
  const sink = new ByteSink()
  writeValue(sink, value)
  const bytes = sink.finish()
  return hashBytes(bytes, 0, bytes.length)
}

const scratch = new Float64Array(1)
const scratchWords = new Int32Array(scratch.buffer)

/** `kind` tells a number from a time of the same microseconds. */
function hashNumber(value: number, kind: number): number {
  scratch[0] = value
  const hash = Math.imul(Math.imul(kind ^ scratchWords[0]!, PRIME) ^ scratchWords[1]!, PRIME)
  return (hash ^ (hash >>> 15)) | 1
}

/** Four bytes at a time: each multiplication waits for the one before, and a merge hashes all its text twice. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED ^ (end - start)
  let at = start
  for (const last = end - 3; at < last; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    hash = Math.imul(hash ^ word, PRIME)
    // Multiplying carries nothing downwards.
    hash ^= hash >>> 15
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME)
  return hash | 1
}
