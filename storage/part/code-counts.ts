/**
 * How often each code of a column occurs. It is counted once, while the column is shaped: which values occur, which kinds they are, what the skip index
 * says of them and how wide the codes are follows from it, and each was a pass over the rows.
 */
import type { DictVector } from '../vector.ts'

const known = new WeakMap<DictVector, Uint32Array>()

/** By code, up to the size of its dictionary when it was counted. */
export function countsOf(vector: DictVector): Uint32Array {
  return known.get(vector) ?? countCodes(vector.codes, vector.dictionary.values.length)
}

/** `vector`, of which they are known from now on. */
export function withCounts(vector: DictVector, counts: Uint32Array): DictVector {
  known.set(vector, counts)
  return vector
}

/** Null: nobody has counted. */
export function greatestCode(vector: DictVector): number | null {
  const counts = known.get(vector)
  if (counts === undefined) return null
  let code = counts.length - 1
  while (code > 0 && counts[code] === 0) code--
  return code
}

export function countCodes(codes: DictVector['codes'], size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (let row = 0; row < codes.length; row++) counts[codes[row]!]!++
  return counts
}
