/** Rows out of several vectors whose values have no kind in common. */
import type { Picks } from '../storage/pick.ts'
import type { Value } from '../storage/value.ts'
import type { Vector } from '../storage/vector.ts'
import { valueAt } from './helpers/vectors.ts'

/** The values, boxed, of rows that have no kind in common. */
export function pickValues(vectors: readonly Vector[], { of, rows }: Picks): Value[] {
  const values: Value[] = new Array(rows.length)
  for (let n = 0; n < rows.length; n++) values[n] = valueAt(vectors[of[n]!]!, rows[n]!)
  return values
}
