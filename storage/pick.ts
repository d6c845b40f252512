/**
 * Rows out of several vectors as one: typed where all of them are of one kind, so that no value is boxed on its way through a sort.
 */

import { dividendsOf } from './decimal-vector.ts'
import { sizeOf, valueIn } from './dictionary.ts'
import type { Value } from './value.ts'
import {
  type AnyVector,
  type ConstVector,
  type Dictionary,
  MISSING,
  NULL,
  PRESENT,
  showing,
  type TextVector,
  type Vector,
} from './vector.ts'

/** Row `n` of the result is row `rows[n]` of vector `of[n]`. */
export interface Picks {
  readonly of: Uint32Array
  readonly rows: Uint32Array
}

type TypedVector = Exclude<Vector, { kind: 'const' | 'dict' | 'any' }>

export function pick(vectors: readonly Vector[], picks: Picks): Vector | null {
  const kind = kindOf(vectors)
  if (kind === null) return null
  if (kind === 'const') return { kind, rowCount: picks.rows.length, value: (vectors[0] as { value: Value }).value }
  if (kind === 'dict') return pickCodes(vectors, picks)
  const presence = presenceOf(vectors as readonly TypedVector[], picks)
  return kind === 'text' ? pickTexts(vectors, picks, presence) : pickNumbers(kind, vectors, picks, presence)
}

/**
 * The kind of the result. Columns of nothing but null or missing go with every kind, other constants with numbers and codes. Null: the
 * vectors are of several kinds, or boxed.
 */
function kindOf(vectors: readonly Vector[]): Exclude<Vector['kind'], 'any'> | null {
  const [first] = vectors
  if (first?.kind === 'const' && vectors.every(other => other.kind === 'const' && other.value === first.value))
    return 'const'
  let kind: TypedVector['kind'] | 'dict' | null = null
  const constants: Value[] = []
  for (const vector of vectors) {
    if (vector.kind === 'any' || (vector.kind !== 'const' && kind !== null && kind !== vector.kind)) return null
    if (vector.kind !== 'const') kind = vector.kind
    else if (!isAbsent(vector)) constants.push(vector.value)
  }
  if (constants.length === 0) return kind ?? 'dict'
  if (kind === 'number') return constants.every(value => typeof value === 'number') ? kind : null
  return kind === null || kind === 'dict' ? 'dict' : null
}

function isAbsent(vector: Vector): boolean {
  return vector.kind === 'const' && (vector.value === null || vector.value === undefined)
}

function presenceOf(vectors: readonly (TypedVector | ConstVector)[], { of, rows }: Picks): Uint8Array | null {
  if (vectors.every(vector => (vector.kind === 'const' ? !isAbsent(vector) : vector.presence === null))) return null
  const presence = new Uint8Array(rows.length)
  let absent = 0
  for (let n = 0; n < rows.length; n++) {
    const vector = vectors[of[n]!]!
    let state: number = PRESENT
    if (vector.kind !== 'const') state = vector.presence === null ? PRESENT : vector.presence[rows[n]!]!
    else if (isAbsent(vector)) state = vector.value === null ? NULL : MISSING
    presence[n] = state
    if (state !== PRESENT) absent++
  }
  return absent === 0 ? null : presence
}

const NO_NUMBERS = new Float64Array(0)

/** Of each vector its numbers, zero under absent rows; of a constant none, and what it is for every row. */
interface Lane {
  readonly values: Float64Array | Int32Array | Uint8Array | Uint16Array
  readonly divisor: number
  readonly constant: number
}

function laneOf(values: Lane['values'] | null, vector: Vector, divisor = 1): Lane {
  const constant = vector.kind === 'const' && typeof vector.value === 'number' ? vector.value : 0
  return { values: values ?? NO_NUMBERS, divisor, constant }
}

function numberLaneOf(vector: Vector): Lane {
  if (vector.kind !== 'number') return laneOf(null, vector)
  const { values, divisor } = dividendsOf(vector)
  return laneOf(values, vector, divisor)
}

function pickLane(lanes: readonly Lane[], { of, rows }: Picks): Float64Array {
  const values = new Float64Array(rows.length)
  for (let n = 0; n < rows.length; n++) {
    const lane = lanes[of[n]!]!
    const value = lane.values[rows[n]!]
    values[n] = value === undefined ? lane.constant : value / lane.divisor
  }
  return values
}

function pickNumbers(
  kind: 'number' | 'bool' | 'time' | 'duration',
  vectors: readonly Vector[],
  picks: Picks,
  presence: Uint8Array | null,
): Vector {
  const rowCount = picks.rows.length
  if (kind === 'time') {
    const coarse = vectors.map(vector => laneOf(vector.kind === kind ? vector.micros : null, vector))
    const fine = vectors.map(vector => laneOf(vector.kind === kind ? vector.nanos : null, vector))
    const isFine = fine.some(lane => lane.values.length > 0)
    const nanos = isFine ? Uint16Array.from(pickLane(fine, picks)) : null
    return { kind, rowCount, micros: pickLane(coarse, picks), nanos, presence }
  }
  const ofKind = (vector: Vector) => laneOf(vector.kind === kind ? vector.values : null, vector)
  const values = pickLane(vectors.map(kind === 'number' ? numberLaneOf : ofKind), picks)
  if (kind === 'bool') return { kind, rowCount, values: Uint8Array.from(values), presence }
  return { kind, rowCount, values, presence }
}

const NO_TEXT: TextVector = {
  kind: 'text',
  rowCount: 0,
  bytes: new Uint8Array(0),
  offsets: new Uint32Array(0),
  presence: null,
}

function pickTexts(vectors: readonly Vector[], { of, rows }: Picks, presence: Uint8Array | null): TextVector {
  const texts = vectors.map(vector => (vector.kind === 'text' ? vector : NO_TEXT))
  const rowCount = rows.length
  const offsets = new Uint32Array(rowCount + 1)
  let total = 0
  for (let n = 0; n < rowCount; n++) {
    if (presence === null || presence[n] === PRESENT) {
      const { offsets: from } = texts[of[n]!]!
      total += from[rows[n]! + 1]! - from[rows[n]!]!
    }
    offsets[n + 1] = total
  }
  const bytes = new Uint8Array(total)
  for (let n = 0; n < rowCount; n++) {
    if (presence !== null && presence[n] !== PRESENT) continue
    const { bytes: from, offsets: places } = texts[of[n]!]!
    const start = places[rows[n]!]!
    const end = places[rows[n]! + 1]!
    // Most are short: a loop is done before a call to copy them has begun.
    if (end - start > 64) bytes.set(from.subarray(start, end), offsets[n])
    else for (let at = start, to = offsets[n]!; at < end; at++, to++) bytes[to] = from[at]!
  }
  return { kind: 'text', rowCount, bytes, offsets, presence }
}

/** Codes of one dictionary stay; those of several become codes of a new one, as long as its values can be told apart by identity. */
function pickCodes(vectors: readonly Vector[], { of, rows }: Picks): Vector | null {
  const rowCount = rows.length
  const dictionaries = vectors.map(vector =>
    vector.kind === 'dict' ? vector.dictionary : { values: [(vector as { value: Value }).value] },
  )
  const codesOf = vectors.map(vector => (vector.kind === 'dict' ? vector.codes : null))
  const codes = new Uint32Array(rowCount)
  const [first] = dictionaries
  if (dictionaries.every(dictionary => dictionary === first)) {
    for (let n = 0; n < rowCount; n++) codes[n] = codesOf[of[n]!]![rows[n]!]!
    return { kind: 'dict', rowCount, codes, dictionary: first! }
  }
  const known = new Map<Value, number>()
  const values: Value[] = []
  const translations = new Map<Dictionary, Int32Array>()
  const tables = dictionaries.map(dictionary => {
    let table = translations.get(dictionary)
    if (table === undefined) translations.set(dictionary, (table = new Int32Array(sizeOf(dictionary)).fill(-1)))
    return table
  })
  for (let n = 0; n < rowCount; n++) {
    const vector = of[n]!
    const code = codesOf[vector]?.[rows[n]!] ?? 0
    let own = tables[vector]![code]!
    if (own < 0) {
      const value = valueIn(dictionaries[vector]!, code)
      if (typeof value === 'object' && value !== null) return null
      const same = known.get(value)
      own = same ?? values.push(value) - 1
      if (same === undefined) known.set(value, own)
      tables[vector]![code] = own
    }
    codes[n] = own
  }
  return { kind: 'dict', rowCount, codes, dictionary: { values } }
}

/** These rows of a column, as a column. */
export function pickRows(vector: Vector, rows: Uint32Array): Vector {
  const picked = pick([vector], { of: new Uint32Array(rows.length), rows })
  if (picked !== null) return picked
  // Of a single vector all kinds but one can be picked.
  const { values, shown } = vector as AnyVector
  const own: AnyVector = { kind: 'any', rowCount: rows.length, values: Array.from(rows, row => values[row]) }
  return shown === undefined ? own : showing(own, pickRows(shown, rows))
}
