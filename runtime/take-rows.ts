/** Rows of a vector in another order or several times, in its own encoding: what a join does to the columns of its left side. */
import { DecimalVector } from '../storage/decimal-vector.ts'
import type { TextVector, Vector } from '../storage/vector.ts'

/** `rows[n]` is the row of the vector that becomes row n. */
export function takeRows(vector: Vector, rows: Uint32Array): Vector {
  const rowCount = rows.length
  switch (vector.kind) {
    case 'const':
      return { ...vector, rowCount }
    case 'dict':
      return { ...vector, rowCount, codes: taken(vector.codes, rows) }
    case 'any': {
      const values = new Array(rowCount)
      for (let n = 0; n < rowCount; n++) values[n] = vector.values[rows[n]!]
      if (vector.shown === undefined) return { kind: 'any', rowCount, values }
      return { kind: 'any', rowCount, values, shown: takeRows(vector.shown, rows) }
    }
    case 'text':
      return takenText(vector, rows)
    case 'time': {
      const nanos = vector.nanos === null ? null : taken(vector.nanos, rows)
      return { ...vector, rowCount, micros: taken(vector.micros, rows), nanos, presence: presenceOf(vector, rows) }
    }
    case 'number':
      if (vector.decimals !== undefined) {
        const { whole, divisor } = vector.decimals
        return new DecimalVector({ whole: taken(whole, rows), divisor }, presenceOf(vector, rows))
      }
      return { ...vector, rowCount, values: taken(vector.values, rows), presence: presenceOf(vector, rows) }
    case 'duration':
      return { ...vector, rowCount, values: taken(vector.values, rows), presence: presenceOf(vector, rows) }
    case 'bool':
      return { ...vector, rowCount, values: taken(vector.values, rows), presence: presenceOf(vector, rows) }
  }
}

type Lane = Float64Array | Int32Array | Uint8Array | Uint16Array | Uint32Array

function taken<A extends Lane>(lane: A, rows: Uint32Array): A {
  const out = new (lane.constructor as new (length: number) => A)(rows.length)
  for (let n = 0; n < rows.length; n++) out[n] = lane[rows[n]!]!
  return out
}

function presenceOf({ presence }: { readonly presence: Uint8Array | null }, rows: Uint32Array): Uint8Array | null {
  return presence === null ? null : taken(presence, rows)
}

function takenText({ bytes, offsets, presence }: TextVector, rows: Uint32Array): TextVector {
  const out = new Uint32Array(rows.length + 1)
  for (let n = 0; n < rows.length; n++) out[n + 1] = out[n]! + offsets[rows[n]! + 1]! - offsets[rows[n]!]!
  const text = new Uint8Array(out[rows.length]!)
  for (let n = 0; n < rows.length; n++) text.set(bytes.subarray(offsets[rows[n]!]!, offsets[rows[n]! + 1]!), out[n]!)
  return {
    kind: 'text',
    rowCount: rows.length,
    bytes: text,
    offsets: out,
    presence: presence === null ? null : taken(presence, rows),
  }
}
