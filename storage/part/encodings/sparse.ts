/**
 * Rare fields: the numbers of the rows that are not missing, then those rows alone in another encoding. Thousands of fields that
 * each occur in a few events cost by their values, not by the rows of the block.
 */
import { MISSING, NULL, PRESENT, type Vector } from '../../vector.ts'
import type { ByteSink, ByteSource } from '../bytes.ts'
import { readIntegers, writeIntegers } from './lane.ts'

/** The vectors that can be thinned: the others are either one value or codes, which cost next to nothing when they repeat. */
export type ThinnableVector = Exclude<Vector, { kind: 'const' | 'dict' }>

/** A field in fewer than one row of this many is sparse. */
const ROWS_PER_VALUE = 32

/** Whether a column with so many rows that are not missing is sparse. */
export function isSparse(listedCount: number, rowCount: number): boolean {
  return listedCount * ROWS_PER_VALUE <= rowCount
}

/** The rows that are not missing, or null when they are too many for this to pay. */
export function sparseRows(vector: ThinnableVector): Uint32Array | null {
  if (vector.kind !== 'any' && vector.presence === null && vector.rowCount > 0) return null
  const limit = Math.floor(vector.rowCount / ROWS_PER_VALUE)
  const rows = new Uint32Array(limit)
  let count = 0
  for (let row = 0; row < vector.rowCount; row++) {
    const missing =
      vector.kind === 'any'
        ? vector.values[row] === undefined
        : vector.presence !== null && vector.presence[row] === MISSING
    if (missing) continue
    if (count === limit) return null
    rows[count++] = row
  }
  return rows.subarray(0, count)
}

export function encodeSparseRows(sink: ByteSink, rows: Uint32Array): void {
  sink.varint(rows.length)
  writeIntegers(sink, rows)
}

/** Reads the rows, has `decodeInner` read that many values, and puts them where they belong. */
export function decodeSparse(
  source: ByteSource,
  rowCount: number,
  decodeInner: (count: number) => Vector,
): ThinnableVector {
  const rows = decodeSparseRows(source, rowCount)
  return spread(decodeInner(rows.length), rows, rowCount)
}

export function decodeSparseRows(source: ByteSource, rowCount: number): Uint32Array {
  const count = source.varint()
  if (count > rowCount) throw new RangeError(`${count} values for ${rowCount} rows`)
  const rows = readIntegers(source, count)
  for (let index = 0; index < count; index++) {
    const previous = index === 0 ? -1 : rows[index - 1]!
    if (!(rows[index]! > previous && rows[index]! < rowCount)) throw new RangeError('sparse rows out of order')
  }
  return Uint32Array.from(rows)
}

/** The inverse of `gather`: the values of `vector` at `rows` of a block, all other rows missing. */
function spread(vector: Vector, rows: Uint32Array, rowCount: number): ThinnableVector {
  if (vector.kind === 'const' || vector.kind === 'dict')
    throw new RangeError(`a sparse ${vector.kind} column is not known`)
  if (vector.kind === 'any') {
    const values = new Array(rowCount).fill(undefined)
    for (let index = 0; index < rows.length; index++) values[rows[index]!] = vector.values[index]
    return { kind: 'any', rowCount, values }
  }
  const presence = new Uint8Array(rowCount)
  for (let index = 0; index < rows.length; index++) {
    presence[rows[index]!] = vector.presence === null ? PRESENT : vector.presence[index]!
  }
  switch (vector.kind) {
    case 'number': {
      const wide = vector.values instanceof Float64Array
      const values = place(vector.values, rows, wide ? new Float64Array(rowCount) : new Int32Array(rowCount))
      return { kind: 'number', rowCount, values, presence }
    }
    case 'bool':
      return { kind: 'bool', rowCount, values: place(vector.values, rows, new Uint8Array(rowCount)), presence }
    case 'duration':
      return { kind: 'duration', rowCount, values: place(vector.values, rows, new Float64Array(rowCount)), presence }
    case 'time': {
      const micros = place(vector.micros, rows, new Float64Array(rowCount))
      const nanos = vector.nanos === null ? null : place(vector.nanos, rows, new Uint16Array(rowCount))
      return { kind: 'time', rowCount, micros, nanos, presence }
    }
    case 'text': {
      const offsets = new Uint32Array(rowCount + 1)
      let index = 0
      for (let row = 0; row < rowCount; row++) {
        if (rows[index] === row) index++
        offsets[row + 1] = vector.offsets[index]!
      }
      return { kind: 'text', rowCount, bytes: vector.bytes, offsets, presence }
    }
  }
}

function place<T extends Float64Array | Int32Array | Uint16Array | Uint8Array>(
  values: ArrayLike<number>,
  rows: ArrayLike<number>,
  into: T,
): T {
  for (let index = 0; index < rows.length; index++) into[rows[index]!] = values[index]!
  return into
}

/** The values at `rows` alone; none of them is missing. */
export function gather(vector: ThinnableVector, rows: Uint32Array): ThinnableVector {
  const rowCount = rows.length
  if (vector.kind === 'any') {
    return { kind: 'any', rowCount, values: Array.from(rows, row => vector.values[row]) }
  }
  const presence = vector.presence === null ? null : rows.length === 0 ? null : pick(vector.presence, rows, Uint8Array)
  const thin = presence?.includes(NULL) === true ? presence : null
  switch (vector.kind) {
    case 'number': {
      const wide = vector.values instanceof Float64Array
      const values = wide ? pick(vector.values, rows, Float64Array) : pick(vector.values, rows, Int32Array)
      return { kind: 'number', rowCount, values, presence: thin }
    }
    case 'bool':
      return { kind: 'bool', rowCount, values: pick(vector.values, rows, Uint8Array), presence: thin }
    case 'duration':
      return { kind: 'duration', rowCount, values: pick(vector.values, rows, Float64Array), presence: thin }
    case 'time': {
      const nanos = vector.nanos === null ? null : pick(vector.nanos, rows, Uint16Array)
      return { kind: 'time', rowCount, micros: pick(vector.micros, rows, Float64Array), nanos, presence: thin }
    }
    case 'text': {
      const parts: Uint8Array[] = []
      const offsets = new Uint32Array(rowCount + 1)
      for (let index = 0; index < rowCount; index++) {
        const row = rows[index]!
        const part = vector.bytes.subarray(vector.offsets[row]!, vector.offsets[row + 1]!)
        parts.push(part)
        offsets[index + 1] = offsets[index]! + part.length
      }
      return { kind: 'text', rowCount, bytes: new Uint8Array(Buffer.concat(parts)), offsets, presence: thin }
    }
  }
}

function pick<T extends Float64Array | Int32Array | Uint16Array | Uint8Array>(
  values: ArrayLike<number>,
  rows: Uint32Array,
  make: new (length: number) => T,
): T {
  const picked = new make(rows.length)
  for (let index = 0; index < rows.length; index++) picked[index] = values[rows[index]!]!
  return picked
}
