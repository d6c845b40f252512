/** Finds the distinct values of a block without making a JavaScript value per row: text is hashed and compared as bytes. */
import { PRESENT, type TextVector } from '../vector.ts'

export interface Deduplicated {
  /** Which distinct value each row has, in order of first appearance. */
  readonly codes: Uint32Array
  /** The first row that has each distinct value. */
  readonly firstRows: readonly number[]
}

const ROWS_SAMPLED = 1024

/** Is at least every second of the sampled rows one that was there? */
function repeats({ rowCount, bytes, offsets, presence }: TextVector, from: number): boolean {
  const to = Math.min(rowCount, from + ROWS_SAMPLED)
  const sample: TextVector = {
    kind: 'text',
    rowCount: to - from,
    bytes,
    offsets: offsets.subarray(from, to + 1),
    presence: presence?.subarray(from, to) ?? null,
  }
  return dedupeText(sample, sample.rowCount >>> 1) !== null
}

/** Null when there are more than `limit` distinct texts; missing and null count as one each. Columns of ids give up early, unless all may differ. */
export function dedupeText(vector: TextVector, limit: number): Deduplicated | null {
  const { rowCount } = vector
  // A table for all rows, of a column that a sample says has too many, was most of what asking it cost.
  if (rowCount > ROWS_SAMPLED && limit < rowCount && !repeats(vector, 0) && !repeats(vector, rowCount >>> 1))
    return null
  let tableSize = 64
  while (tableSize < Math.min(limit, rowCount) * 2) tableSize *= 2
  const table = new Int32Array(tableSize).fill(-1)
  const hashes: number[] = []
  const firstRows: number[] = []
  const codes = new Uint32Array(rowCount)
  const absent = [-1, -1]
  for (let row = 0; row < rowCount; row++) {
    const state = vector.presence === null ? PRESENT : vector.presence[row]!
    if (state !== PRESENT) {
      if (absent[state] === -1) absent[state] = addDistinct(firstRows, hashes, row, 0)
      codes[row] = absent[state]!
      continue
    }
    const hash = hashSlice(vector.bytes, vector.offsets[row]!, vector.offsets[row + 1]!)
    let slot = hash & (tableSize - 1)
    let code = table[slot]!
    while (code !== -1 && !(hashes[code] === hash && sameText(vector, firstRows[code]!, row))) {
      slot = (slot + 1) & (tableSize - 1)
      code = table[slot]!
    }
    if (code === -1) {
      if (firstRows.length >= limit) return null
      code = addDistinct(firstRows, hashes, row, hash)
      table[slot] = code
    }
    codes[row] = code
  }
  return { codes, firstRows }
}

function addDistinct(firstRows: number[], hashes: number[], row: number, hash: number): number {
  hashes.push(hash)
  return firstRows.push(row) - 1
}

function hashSlice(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Whether two present rows hold the same bytes. */
export function sameText(vector: TextVector, left: number, right: number): boolean {
  const { bytes, offsets } = vector
  const start = offsets[left]!
  const length = offsets[left + 1]! - start
  const otherStart = offsets[right]!
  if (offsets[right + 1]! - otherStart !== length) return false
  for (let at = 0; at < length; at++) if (bytes[start + at] !== bytes[otherStart + at]) return false
  return true
}
