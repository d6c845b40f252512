/**
 * Columns of which a block has few values, as rows and values: of ten thousand fields nearly all are like that, and as many arrays of a
 * block's length would cost gigabytes to pass over, if not to hold. On disk they are what `encodings/sparse.ts` makes of such a column.
 */
import { DateTime, Duration, type Value } from '../value.ts'
import type { Vector } from '../vector.ts'
import { isWellFormed } from './bytes.ts'
import type { ThinnableVector } from './encodings/sparse.ts'
import { shapeColumn, textVectorOf } from './shape.ts'

export interface ThinColumn {
  /** Of the block, ascending: those that are not missing. */
  readonly rows: Uint32Array
  /** One for each of them; nulls, but nothing missing. */
  readonly values: Vector
}

/** Where a row stands among `rows`; -1: it does not. Cheapest for rows asked for in their order. */
export function placesAmong(rows: Uint32Array): (row: number) => number {
  let last = 0
  return row => {
    if (rows[last] === row) return last
    if (rows[last + 1] === row) return ++last
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (rows[middle]! < row) low = middle + 1
      else high = middle
    }
    if (rows[low] !== row) return -1
    last = low
    return low
  }
}

/** The narrowest lanes of the values: neither codes nor a constant, which a sparse column cannot hold. */
export function shapeThin({ values }: ThinColumn): ThinnableVector {
  const shaped = shapeColumn(values, null)
  if (shaped === null || shaped.kind === 'dict') throw new Error('a thin column of missing values')
  return shaped.kind === 'const' ? repeated(shaped.value, shaped.rowCount) : shaped
}

function repeated(value: Value, rowCount: number): ThinnableVector {
  const presence = null
  switch (typeof value) {
    case 'number':
      return { kind: 'number', rowCount, values: new Float64Array(rowCount).fill(value), presence }
    case 'boolean':
      return { kind: 'bool', rowCount, values: new Uint8Array(rowCount).fill(value ? 1 : 0), presence }
    case 'string':
      // UTF-8 cannot hold a lone surrogate.
      if (isWellFormed(value)) return textVectorOf(new Array<Value>(rowCount).fill(value))
      break
    case 'object':
      if (value instanceof Duration) {
        return { kind: 'duration', rowCount, values: new Float64Array(rowCount).fill(value.ns), presence }
      }
      if (value instanceof DateTime) {
        const micros = new Float64Array(rowCount).fill(value.micros)
        const nanos = value.nanos === 0 ? null : new Uint16Array(rowCount).fill(value.nanos)
        return { kind: 'time', rowCount, micros, nanos, presence }
      }
  }
  return { kind: 'any', rowCount, values: new Array<Value>(rowCount).fill(value) }
}
