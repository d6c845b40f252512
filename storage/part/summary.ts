/** What the skip index keeps of a column: counts, the types that occur, the smallest and largest, and the values when they are few. */
import { isUtf8 } from 'node:buffer'
import { DateTime, Duration, type Value, type ValueType } from '../value.ts'
import { type DictVector, NULL, PRESENT, type TextVector, type Vector } from '../vector.ts'
import { countsOf } from './code-counts.ts'
import { doublesOf } from './encodings/lane.ts'
import { factsOf } from './encodings/number-loop.ts'
import {
  CODE_BITMAP_VALUES_MAX,
  DISTINCT_BYTES_MAX,
  DISTINCT_VALUES_MAX,
  TYPE_ARRAY,
  TYPE_BIGINT,
  TYPE_BOOL,
  TYPE_DATETIME,
  TYPE_DURATION,
  TYPE_FLOAT,
  TYPE_INT,
  TYPE_OBJECT,
  TYPE_STRING,
} from './format.ts'

/** Bounds of the present values, which are all of one class. */
export type Zone =
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'duration'; readonly min: number; readonly max: number }
  | { readonly kind: 'time'; readonly min: DateTime; readonly max: DateTime }

export interface ColumnSummary {
  readonly presentCount: number
  readonly nullCount: number
  /** `TYPE_*` bits of the present values. */
  readonly types: number
  readonly zone: Zone | null
  /** Exactly the present values that occur, when they are few. */
  readonly distinct: readonly Value[] | null
  /** How many rows have each of `distinct`; null when nobody counted. */
  readonly counts: readonly number[] | null
  /** For columns of codes: bit `code` is set when it occurs. Null when the dictionary is large, or the column has no codes. */
  readonly codeBitmap: Uint8Array | null
}

export function typeBit(value: Value): number {
  switch (typeof value) {
    case 'undefined':
      return 0
    case 'number':
      return Number.isSafeInteger(value) ? TYPE_INT : TYPE_FLOAT
    case 'bigint':
      return TYPE_BIGINT
    case 'string':
      return TYPE_STRING
    case 'boolean':
      return TYPE_BOOL
    default:
      if (value === null) return 0
      if (value instanceof DateTime) return TYPE_DATETIME
      if (value instanceof Duration) return TYPE_DURATION
      return Array.isArray(value) ? TYPE_ARRAY : TYPE_OBJECT
  }
}

/** The one type that all these bits are, as a field's summary tells it. */
export function typeOfBits(types: number): ValueType {
  switch (types) {
    case 0:
      return 'null'
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_INT | TYPE_BIGINT:
      return 'int'
    case TYPE_FLOAT:
      return 'float'
    case TYPE_STRING:
      return 'string'
    case TYPE_BOOL:
      return 'bool'
    case TYPE_DATETIME:
      return 'datetime'
    case TYPE_DURATION:
      return 'duration'
    case TYPE_ARRAY:
      return 'array'
    case TYPE_OBJECT:
      return 'object'
    default:
      return (types & ~(TYPE_INT | TYPE_BIGINT | TYPE_FLOAT)) === 0 ? 'number' : 'any'
  }
}

export function summarise(vector: Vector): ColumnSummary {
  switch (vector.kind) {
    case 'const':
      return summariseValues(vector.rowCount, [vector.value], () => vector.rowCount)
    case 'dict':
      return summariseCodes(vector)
    case 'any':
      return summariseAny(vector.values)
    case 'text':
      return summariseText(vector)
    default:
      return summariseLanes(vector)
  }
}

/** Of values that occur `countOf(index)` times each, which is never zero. */
function summariseValues(
  rowCount: number,
  values: readonly Value[],
  countOf: (index: number) => number,
  codeBitmap: Uint8Array | null = null,
): ColumnSummary {
  let missingCount = 0
  let nullCount = 0
  let types = 0
  const present: Value[] = []
  const counts: number[] = []
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (value === undefined) missingCount += countOf(index)
    else if (value === null) nullCount += countOf(index)
    else {
      types |= typeBit(value)
      present.push(value)
      counts.push(countOf(index))
    }
  }
  const isFew = present.length <= DISTINCT_VALUES_MAX
  return {
    presentCount: rowCount - nullCount - missingCount,
    nullCount,
    types,
    zone: zoneOf(present, types),
    distinct: isFew ? present : null,
    counts: isFew ? counts : null,
    codeBitmap,
  }
}

function summariseCodes(vector: DictVector): ColumnSummary {
  const { values } = vector.dictionary
  const counts = countsOf(vector)
  const many = summariseManyCodes(vector, counts)
  if (many !== null) return many
  const usedCodes: number[] = []
  for (let code = 0; code < counts.length; code++) if (counts[code] !== 0) usedCodes.push(code)
  const used = usedCodes.map(code => values[code])
  return summariseValues(vector.rowCount, used, index => counts[usedCodes[index]!]!, bitmapOf(usedCodes))
}

/** Of so many codes that neither their values nor how often each occurs is kept; null: they are few, or have bounds. */
function summariseManyCodes({ rowCount, dictionary }: DictVector, counts: Uint32Array): ColumnSummary | null {
  const { values } = dictionary
  let absentCount = 0
  let nullCount = 0
  let presentValues = 0
  let types = 0
  let last = 0
  for (let code = 0; code < counts.length; code++) {
    const count = counts[code]!
    if (count === 0) continue
    const value = values[code]
    last = code
    if (value === undefined || value === null) {
      absentCount += count
      if (value === null) nullCount += count
      continue
    }
    types |= typeBit(value)
    presentValues++
  }
  if (presentValues <= DISTINCT_VALUES_MAX || (types & TYPE_STRING) === 0) return null
  const codeBitmap = last < CODE_BITMAP_VALUES_MAX ? new Uint8Array((last >>> 3) + 1) : null
  if (codeBitmap !== null)
    for (let code = 0; code <= last; code++) if (counts[code] !== 0) codeBitmap[code >>> 3]! |= 1 << (code & 7)
  const presentCount = rowCount - absentCount
  return { presentCount, nullCount, types, zone: null, distinct: null, counts: null, codeBitmap }
}

function bitmapOf(codes: readonly number[]): Uint8Array | null {
  const last = codes[codes.length - 1]
  if (last === undefined || last >= CODE_BITMAP_VALUES_MAX) return null
  const bitmap = new Uint8Array((last >>> 3) + 1)
  for (const code of codes) bitmap[code >>> 3]! |= 1 << (code & 7)
  return bitmap
}

function summariseAny(values: readonly Value[]): ColumnSummary {
  const counts = [0, 0, 0]
  let types = 0
  for (const value of values) {
    counts[value === undefined ? 0 : value === null ? NULL : PRESENT]!++
    types |= typeBit(value)
  }
  const numbers = (types & ~(TYPE_INT | TYPE_FLOAT)) === 0
  const zone = numbers ? zoneOf(values.filter(value => typeof value === 'number') as Value[], types) : null
  return {
    presentCount: counts[PRESENT]!,
    nullCount: counts[NULL]!,
    types,
    zone,
    distinct: null,
    counts: null,
    codeBitmap: null,
  }
}

function zoneOf(present: readonly Value[], types: number): Zone | null {
  if (types === 0) return null
  if ((types & ~(TYPE_INT | TYPE_FLOAT)) === 0) {
    const { min, max } = boundsOf(present.map(value => value as number))
    return { kind: 'number', min, max }
  }
  if (types === TYPE_DURATION) {
    const { min, max } = boundsOf(present.map(value => (value as Duration).ns))
    return { kind: 'duration', min, max }
  }
  if (types !== TYPE_DATETIME) return null
  let min = present[0] as DateTime
  let max = min
  for (const value of present as DateTime[]) {
    if (isBefore(value, min)) min = value
    if (isBefore(max, value)) max = value
  }
  return { kind: 'time', min, max }
}

export function isBefore(left: DateTime, right: DateTime): boolean {
  return isEarlier(left.micros, left.nanos, right.micros, right.nanos)
}

/** The same of times that are no objects. */
export function isEarlier(micros: number, nanos: number, otherMicros: number, otherNanos: number): boolean {
  return micros < otherMicros || (micros === otherMicros && nanos < otherNanos)
}

function boundsOf(values: readonly number[]): { min: number; max: number } {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}

function presenceCounts(presence: Uint8Array | null, rowCount: number): { presentCount: number; nullCount: number } {
  if (presence === null) return { presentCount: rowCount, nullCount: 0 }
  let presentCount = 0
  let nullCount = 0
  for (let row = 0; row < rowCount; row++) {
    if (presence[row] === PRESENT) presentCount++
    else if (presence[row] === NULL) nullCount++
  }
  return { presentCount, nullCount }
}

function summariseText(vector: TextVector): ColumnSummary {
  const { presentCount, nullCount } = presenceCounts(vector.presence, vector.rowCount)
  const types = presentCount === 0 ? 0 : TYPE_STRING
  const distinct = presentCount <= DISTINCT_VALUES_MAX ? fewTexts(vector) : null
  return { presentCount, nullCount, types, zone: null, distinct, counts: null, codeBitmap: null }
}

/** The texts of a rare field: with them a block is judged exactly. Null when some are no UTF-8, or long. */
function fewTexts({ rowCount, bytes, offsets, presence }: TextVector): readonly Value[] | null {
  const texts = new Set<string>()
  if (offsets[rowCount]! - offsets[0]! > DISTINCT_BYTES_MAX / 2) return null
  for (let row = 0; row < rowCount; row++) {
    if (presence !== null && presence[row] !== PRESENT) continue
    const slice = bytes.subarray(offsets[row]!, offsets[row + 1]!)
    if (!isUtf8(slice)) return null
    texts.add(Buffer.from(slice.buffer, slice.byteOffset, slice.byteLength).toString('utf8'))
  }
  return [...texts]
}

function summariseLanes(vector: Exclude<Vector, { kind: 'const' | 'dict' | 'any' | 'text' }>): ColumnSummary {
  const { presence, rowCount } = vector
  const { presentCount, nullCount } = presenceCounts(presence, rowCount)
  const summary = (types: number, zone: Zone | null, distinct: readonly Value[] | null): ColumnSummary => {
    return { presentCount, nullCount, types, zone, distinct, counts: null, codeBitmap: null }
  }
  if (presentCount === 0) return summary(0, null, [])
  // Of one kind, and a loop a function, lest all of this be compiled again and again: 15 times while a store was loaded.
  const all = vector.kind === 'time' ? vector.micros : vector.values
  const lane = doublesOf(all.length === rowCount ? all : all.subarray(0, rowCount))
  if (presence === null && (vector.kind === 'number' || (vector.kind === 'time' && vector.nanos === null))) {
    const { min, max, hasWholes, hasOthers } = factsOf(lane)
    if (vector.kind === 'time')
      return summary(TYPE_DATETIME, { kind: 'time', min: new DateTime(min, 0), max: new DateTime(max, 0) }, null)
    const types = (hasWholes ? TYPE_INT : 0) | (hasOthers ? TYPE_FLOAT : 0)
    return summary(types, { kind: 'number', min, max }, fewNumbers(lane, presence))
  }
  let [minRow, maxRow] = [leastRow(lane, presence), greatestRow(lane, presence)]
  const min = lane[minRow]!
  const max = lane[maxRow]!
  if (vector.kind === 'time' && vector.nanos !== null) {
    const nanos = doublesOf(vector.nanos.subarray(0, rowCount))
    minRow = leastRow(nanos, presenceOf(lane, presence, min))
    maxRow = greatestRow(nanos, presenceOf(lane, presence, max))
  }
  const distinct = fewNumbers(lane, presence)
  switch (vector.kind) {
    case 'bool':
      return summary(TYPE_BOOL, null, distinct?.map(value => value === 1) ?? null)
    case 'number':
      return summary(typesOfNumbers(lane, presence), { kind: 'number', min, max }, distinct)
    case 'duration': {
      const values = distinct?.map(value => new Duration(value)) ?? null
      return summary(TYPE_DURATION, { kind: 'duration', min, max }, values)
    }
    case 'time': {
      const zone: Zone = {
        kind: 'time',
        min: new DateTime(min, nanosAt(vector, minRow)),
        max: new DateTime(max, nanosAt(vector, maxRow)),
      }
      return summary(TYPE_DATETIME, zone, null)
    }
  }
}

/** The first present row of the least value. */
function leastRow(lane: Float64Array, presence: Uint8Array | null): number {
  let least = -1
  for (let row = 0; row < lane.length; row++)
    if ((presence === null || presence[row] === PRESENT) && (least === -1 || lane[row]! < lane[least]!)) least = row
  return least
}

function greatestRow(lane: Float64Array, presence: Uint8Array | null): number {
  let greatest = -1
  for (let row = 0; row < lane.length; row++)
    if ((presence === null || presence[row] === PRESENT) && (greatest === -1 || lane[row]! > lane[greatest]!))
      greatest = row
  return greatest
}

/** Present are the rows that were and have this value. */
function presenceOf(lane: Float64Array, presence: Uint8Array | null, value: number): Uint8Array {
  const those = new Uint8Array(lane.length)
  for (let row = 0; row < lane.length; row++)
    if (lane[row] === value && (presence === null || presence[row] === PRESENT)) those[row] = PRESENT
  return those
}

/** In the order they came; null: they are too many. */
function fewNumbers(lane: Float64Array, presence: Uint8Array | null): number[] | null {
  const distinct = new Set<number>()
  for (let row = 0; row < lane.length; row++) {
    if (presence !== null && presence[row] !== PRESENT) continue
    distinct.add(lane[row]!)
    if (distinct.size > DISTINCT_VALUES_MAX) return null
  }
  return [...distinct]
}

function typesOfNumbers(lane: Float64Array, presence: Uint8Array | null): number {
  let wholes = 0
  let fractions = 0
  for (let row = 0; row < lane.length; row++) {
    if (presence !== null && presence[row] !== PRESENT) continue
    if (Number.isSafeInteger(lane[row]!)) wholes++
    else fractions++
  }
  return (wholes > 0 ? TYPE_INT : 0) | (fractions > 0 ? TYPE_FLOAT : 0)
}

function nanosAt(vector: Vector, row: number): number {
  return vector.kind === 'time' && vector.nanos !== null ? vector.nanos[row]! : 0
}
