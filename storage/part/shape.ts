/**
 * What a column is written as, whatever it came as: the narrowest kind that holds its values exactly. A column of the buffer may be
 * `any` for a single odd value elsewhere, or a dictionary of numbers; on disk one value is a constant, numbers are numbers, text of few
 * distinct values is codes into the field's dictionary, and only what fits nothing else stays `any`.
 */
import { isUtf8 } from 'node:buffer'
import { spareMemory } from '../spare-memory.ts'
import { DateTime, Duration, type Value } from '../value.ts'
import { type DictVector, NULL, PRESENT, type TextVector, type Vector } from '../vector.ts'
import { isWellFormed } from './bytes.ts'
import { countCodes, withCounts } from './code-counts.ts'
import { dedupeText, sameText } from './dedupe.ts'
import { doublesOf, giveDoubles } from './encodings/lane.ts'
import { isSparse, sparseRows } from './encodings/sparse.ts'
import type { FieldDictionary } from './field-dictionary.ts'
import { DICTIONARY_VALUES_MAX } from './format.ts'

/** The vector to encode, or null when every row is missing. `dictionary` is null for columns that must not become codes. */
export function shapeColumn(vector: Vector, dictionary: FieldDictionary | null): Vector | null {
  if (vector.rowCount === 0) return null
  switch (vector.kind) {
    case 'const':
      return vector.value === undefined ? null : vector
    case 'dict':
      return shapeCodes(vector, dictionary)
    case 'text':
      return shapeText(vector, dictionary)
    case 'any':
      return shapeValues(vector.values, dictionary)
    case 'number': {
      const doubles = { ...vector, values: doublesOf(vector.values) }
      const narrower = constantOf(doubles) ?? codeNumbers(doubles, dictionary)
      if (narrower !== null) giveDoubles(doubles.values, vector.values)
      return narrower ?? doubles
    }
    default:
      return constantOf(vector) ?? vector
  }
}

/** Numbers of which a block has no more than this many are codes: statuses, ports, levels, flags. */
const NUMBER_CODES_MAX = 256
/** … unless the part as a whole has many: a counter that creeps from block to block is a number. */
const PART_NUMBER_CODES_MAX = 1024
const NUMBER_CODES_FROM_ROWS = 1024
const SMALL_NUMBERS = 1024

/**
 * Numbers with few distinct values as codes of one byte: a quarter of the bytes to read, and what is asked of them is asked per
 * distinct value. Null when the column has too many.
 */
function codeNumbers(vector: LaneVector & { kind: 'number' }, dictionary: FieldDictionary | null): Vector | null {
  const { values, presence, rowCount } = vector
  if (dictionary === null || rowCount < NUMBER_CODES_FROM_ROWS || dictionary.values.length > PART_NUMBER_CODES_MAX)
    return null
  if (sparseRows(vector) !== null) return null
  const numbers = new NumberCodes()
  const codes = spareMemory.elements(Uint32Array, rowCount)
  if (numbers.codeRows(values as Float64Array, presence, codes)) return recode(codes, numbers.values, dictionary)
  spareMemory.give(codes.buffer)
  return null
}

/** Codes of few numbers, as they come. */
class NumberCodes {
  readonly values: Value[] = []
  readonly #codes = new Map<Value, number>()
  /** Statuses and the like are small: a map that is asked for every row took a fiftieth of a part's time. */
  readonly #small = new Int16Array(SMALL_NUMBERS).fill(-1)

  /** False: they are too many. */
  codeRows(values: Float64Array, presence: Uint8Array | null, codes: Uint32Array): boolean {
    const small = this.#small
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!
      const state = presence === null ? PRESENT : presence[row]!
      let code = state === PRESENT && isSmall(value) ? small[value]! : -1
      if (code < 0) code = this.#codeOf(state === PRESENT ? value : state === NULL ? null : undefined)
      if (code < 0) return false
      codes[row] = code
    }
    return true
  }

  /** -1: there are too many. */
  #codeOf(value: Value): number {
    const known = this.#codes.get(value)
    // A Map takes 0 and -0 for one key.
    if (Object.is(value, -0)) return -1
    if (known !== undefined) return known
    if (this.values.length >= NUMBER_CODES_MAX) return -1
    const code = this.values.push(value) - 1
    this.#codes.set(value, code)
    if (typeof value === 'number' && isSmall(value)) this.#small[value] = code
    return code
  }
}

/** -0 is none of them. */
function isSmall(value: number): boolean {
  return (value | 0) === value && value >= 0 && value < SMALL_NUMBERS && (value !== 0 || 1 / value > 0)
}

/** More distinct values than three quarters of the rows, and text is smaller and as quick. */
const distinctLimit = (rowCount: number): number => Math.min(DICTIONARY_VALUES_MAX, Math.max(2, (rowCount * 3) >>> 2))

const ROWS_ASKED = 256

/**
 * Does the part's dictionary hold at least half of what the rows say? Then they are codes, however many are distinct here: values cost
 * nothing a second time, and one block of text among codes has every query number them again (counting by 100,000 users: 67 ms with one
 * such block in 31, 39 without).
 */
function knowsMost(
  dictionary: FieldDictionary,
  rowCount: number,
  valueAt: (row: number) => Value,
  isKnown = (row: number): boolean => dictionary.find(valueAt(row)) >= 0,
): boolean {
  if (dictionary.values.length === 0) return false
  const step = Math.max(1, Math.floor(rowCount / ROWS_ASKED))
  let asked = 0
  let known = 0
  for (let row = 0; row < rowCount; row += step) {
    if (valueAt(row) === undefined) continue
    asked++
    if (isKnown(row)) known++
  }
  return known * 2 >= asked && asked > 0
}

function constant(rowCount: number, value: Value): Vector | null {
  return value === undefined ? null : { kind: 'const', rowCount, value }
}

type LaneVector = Exclude<Vector, { kind: 'const' | 'dict' | 'text' | 'any' }>

/** The one value of a typed column; null when it has more. Missing everywhere is left to the caller's `presence` to say. */
function constantOf(vector: LaneVector): Vector | null {
  const { presence, rowCount } = vector
  if (presence !== null) {
    const state = presence[0]!
    if (presence.some(other => other !== state)) return null
    if (state !== PRESENT) return { kind: 'const', rowCount, value: state === NULL ? null : undefined }
  }
  const lane = vector.kind === 'time' ? vector.micros : vector.values
  const first = lane[0]!
  for (let row = 1; row < rowCount; row++) if (!Object.is(lane[row], first)) return null
  if (vector.kind === 'number') return { kind: 'const', rowCount, value: first }
  if (vector.kind === 'bool') return { kind: 'const', rowCount, value: first === 1 }
  if (vector.kind === 'duration') return { kind: 'const', rowCount, value: new Duration(first) }
  const nanos = vector.nanos?.[0] ?? 0
  if (vector.nanos?.some(other => other !== nanos) === true) return null
  return { kind: 'const', rowCount, value: new DateTime(first, nanos) }
}

function shapeText(vector: TextVector, dictionary: FieldDictionary | null): Vector | null {
  const { rowCount, presence } = vector
  const state = presence === null ? PRESENT : presence[0]!
  if (presence === null || presence.every(other => other === state)) {
    if (state !== PRESENT) return constant(rowCount, state === NULL ? null : undefined)
    let row = 1
    while (row < rowCount && sameText(vector, 0, row)) row++
    if (row === rowCount) {
      const value = textAt(vector, 0)
      if (value !== undefined) return constant(rowCount, value)
    }
  }
  if (dictionary === null || sparseRows(vector) !== null) return vector
  const isKnown = knowsMost(dictionary, rowCount, row =>
    presence === null || presence[row] === PRESENT ? textAt(vector, row) : undefined,
  )
  const distinct = dedupeText(vector, isKnown ? rowCount : distinctLimit(rowCount))
  if (distinct === null) return vector
  const values: Value[] = []
  for (const row of distinct.firstRows) {
    const rowState = presence === null ? PRESENT : presence[row]!
    const value = rowState === PRESENT ? textAt(vector, row) : rowState === NULL ? null : undefined
    if (rowState === PRESENT && value === undefined) return vector
    values.push(value)
  }
  return recode(distinct.codes, values, dictionary) ?? vector
}

/** The text of a present row, or undefined when its bytes are not UTF-8 and only a text vector can keep them. */
function textAt(vector: TextVector, row: number): string | undefined {
  const start = vector.offsets[row]!
  const slice = Buffer.from(vector.bytes.buffer, vector.bytes.byteOffset + start, vector.offsets[row + 1]! - start)
  return isUtf8(slice) ? slice.toString('utf8') : undefined
}

/** Codes into `values` become codes into the field's dictionary, where they are; null when that is full. */
function recode(codes: Uint32Array, values: readonly Value[], dictionary: FieldDictionary): DictVector | null {
  const translation = dictionary.add(values)
  return translation === null ? null : translated(codes, countCodes(codes, values.length), translation, dictionary)
}

/** The codes, where they are, into `dictionary`. @param counts  how often each occurs */
function translated(
  codes: Uint32Array,
  counts: Uint32Array,
  translation: Int32Array,
  dictionary: FieldDictionary,
): DictVector {
  const own = new Uint32Array(dictionary.values.length)
  // Values of a field that has few come in the same order to each part.
  if (translateCounts(counts, translation, own)) translateCodes(codes, translation)
  return withCounts({ kind: 'dict', rowCount: codes.length, codes, dictionary }, own)
}

/** Whether any code becomes another. */
function translateCounts(counts: Uint32Array, translation: Int32Array, own: Uint32Array): boolean {
  let changed = 0
  for (let code = 0; code < counts.length; code++) {
    const count = counts[code]!
    if (count === 0) continue
    const to = translation[code]!
    own[to]! += count
    changed |= to ^ code
  }
  return changed !== 0
}

function translateCodes(codes: Uint32Array, translation: Int32Array): void {
  for (let row = 0; row < codes.length; row++) codes[row] = translation[codes[row]!]!
}

function shapeCodes(vector: DictVector, target: FieldDictionary | null): Vector | null {
  const { rowCount } = vector
  const { values } = vector.dictionary
  // Of one kind: a loop over three is compiled for each that comes. And its own, so that they can be translated where they are.
  const codes = spareMemory.elements(Uint32Array, rowCount)
  codes.set(vector.codes)
  const counts = countCodes(codes, values.length)
  const { usedCount, listedCount, kinds } = kindsOf(counts, values)
  if (usedCount === 1) {
    const [only] = codes
    spareMemory.give(codes.buffer)
    return constant(rowCount, values[only!])
  }
  const present = kinds & ~(KIND_NULL | KIND_MISSING)
  const rare = (kinds & KIND_MISSING) !== 0 && isSparse(listedCount, rowCount)
  if (target !== null && !rare && (present & (present - 1) || present === KIND_STRING || present === KIND_OTHER)) {
    const isKnown = (row: number): boolean => target.has(vector.dictionary, codes[row]!)
    if (usedCount <= distinctLimit(rowCount) || knowsMost(target, rowCount, row => values[codes[row]!], isKnown)) {
      const translation = target.translate(vector.dictionary, counts)
      if (translation !== null) return translated(codes, counts, translation, target)
    }
  }
  const own: Value[] = new Array(rowCount)
  for (let row = 0; row < rowCount; row++) own[row] = values[codes[row]!]
  spareMemory.give(codes.buffer)
  return lanesOrCodes(own, kinds, target)
}

interface Occurring {
  /** Values that occur. */
  readonly usedCount: number
  /** Rows that are not missing. */
  readonly listedCount: number
  readonly kinds: number
}

/** @param counts  how often each of `values` occurs */
function kindsOf(counts: Uint32Array, values: readonly Value[]): Occurring {
  let usedCount = 0
  let listedCount = 0
  let kinds = 0
  for (let code = 0; code < counts.length; code++) {
    const count = counts[code]!
    if (count === 0) continue
    const kind = kindOf(values[code])
    usedCount++
    kinds |= kind
    if (kind !== KIND_MISSING) listedCount += count
  }
  return { usedCount, listedCount, kinds }
}

const KIND_MISSING = 1
const KIND_NULL = 2
const KIND_NUMBER = 4
const KIND_BOOL = 8
const KIND_TIME = 16
const KIND_DURATION = 32
const KIND_STRING = 64
/** Arrays, objects, bigints, and strings that UTF-8 cannot hold. */
const KIND_OTHER = 128

function kindOf(value: Value): number {
  switch (typeof value) {
    case 'undefined':
      return KIND_MISSING
    case 'number':
      return KIND_NUMBER
    case 'boolean':
      return KIND_BOOL
    case 'string':
      return isWellFormed(value) ? KIND_STRING : KIND_OTHER
    case 'bigint':
      return KIND_OTHER
    default:
      if (value === null) return KIND_NULL
      if (value instanceof DateTime) return KIND_TIME
      return value instanceof Duration ? KIND_DURATION : KIND_OTHER
  }
}

const ROWS_SAMPLED = 1024

function shapeValues(values: readonly Value[], target: FieldDictionary | null): Vector | null {
  let kinds = 0
  let listed = 0
  for (let row = 0; row < values.length; row++) {
    const kind = kindOf(values[row])
    kinds |= kind
    if (kind !== KIND_MISSING) listed++
  }
  const present = kinds & ~(KIND_NULL | KIND_MISSING)
  if (present === 0 && kinds !== (KIND_NULL | KIND_MISSING)) return constant(values.length, values[0])
  const codable = (present & (KIND_STRING | KIND_OTHER)) !== 0 || (present & (present - 1)) !== 0
  if (target !== null && codable && !isSparse(listed, values.length)) {
    const vector = codeValues(values, target)
    if (vector !== null) return vector
  }
  return lanesOrCodes(values, kinds, target)
}

/** Mixed or string values as codes, or as a constant; null when too many are distinct. */
function codeValues(values: readonly Value[], target: FieldDictionary): Vector | null {
  const limit = distinctLimit(values.length)
  const local = new Map<Value, number>()
  const codes = new Uint32Array(values.length)
  for (let row = 0; row < values.length; row++) {
    if (row === ROWS_SAMPLED && local.size > ROWS_SAMPLED / 2) return null
    // A Map takes 0 and -0 for one key; boxed values are told apart by identity here and by value in the field's dictionary.
    const value = values[row]
    const key = Object.is(value, -0) ? NEGATIVE_ZERO : value
    let code = local.get(key)
    if (code === undefined && !local.has(key)) {
      if (local.size >= limit) return null
      code = local.size
      local.set(key, code)
    }
    codes[row] = code!
  }
  const distinct = Array.from(local.keys(), key => (key === NEGATIVE_ZERO ? -0 : key))
  if (distinct.length === 1) return { kind: 'const', rowCount: values.length, value: distinct[0] }
  return recode(codes, distinct, target)
}

const NEGATIVE_ZERO: Value = []

/** `TypedArray.from` with a function is many times slower than a loop. */
function fill<T extends Float64Array | Uint16Array | Uint8Array>(
  lane: T,
  values: readonly Value[],
  numberOf: (value: Value) => number,
): T {
  for (let row = 0; row < lane.length; row++) lane[row] = numberOf(values[row])
  return lane
}

/** However numbers come, few distinct ones are codes: a merge brings what was codes as a dictionary of all its parts. */
function lanesOrCodes(values: readonly Value[], kinds: number, target: FieldDictionary | null): Vector | null {
  const lanes = lanesOf(values, kinds)
  return lanes?.kind === 'number' ? (codeNumbers(lanes, target) ?? lanes) : lanes
}

/** The lanes of values of one kind (nulls and missing aside), or the values as they are. */
function lanesOf(values: readonly Value[], kinds: number): Vector | null {
  const rowCount = values.length
  const presence = (kinds & (KIND_NULL | KIND_MISSING)) === 0 ? null : presenceOf(values)
  switch (kinds & ~(KIND_NULL | KIND_MISSING)) {
    case KIND_NUMBER: {
      const lane = fill(new Float64Array(rowCount), values, value => (typeof value === 'number' ? value : 0))
      return shapeColumn({ kind: 'number', rowCount, values: lane, presence }, null)
    }
    case KIND_BOOL: {
      const lane = fill(new Uint8Array(rowCount), values, value => (value === true ? 1 : 0))
      return shapeColumn({ kind: 'bool', rowCount, values: lane, presence }, null)
    }
    case KIND_TIME: {
      const micros = fill(new Float64Array(rowCount), values, value => (value instanceof DateTime ? value.micros : 0))
      const nanos = fill(new Uint16Array(rowCount), values, value => (value instanceof DateTime ? value.nanos : 0))
      return shapeColumn({ kind: 'time', rowCount, micros, nanos, presence }, null)
    }
    case KIND_DURATION: {
      const lane = fill(new Float64Array(rowCount), values, value => (value instanceof Duration ? value.ns : 0))
      return shapeColumn({ kind: 'duration', rowCount, values: lane, presence }, null)
    }
    case KIND_STRING:
      return shapeColumn(textVectorOf(values, presence), null)
    default:
      return { kind: 'any', rowCount, values }
  }
}

/** Values that are no strings become absent or empty, as `presence` says. */
export function textVectorOf(values: readonly Value[], presence: Uint8Array | null = presenceOf(values)): TextVector {
  const rowCount = values.length
  const offsets = new Uint32Array(rowCount + 1)
  const ascii = asciiOf(values, offsets)
  if (ascii !== null) return { kind: 'text', rowCount, bytes: ascii, offsets, presence }
  let total = 0
  for (let row = 0; row < rowCount; row++) {
    const value = values[row]
    if (typeof value === 'string') total += Buffer.byteLength(value, 'utf8')
    offsets[row + 1] = total
  }
  const bytes = Buffer.allocUnsafe(total)
  for (let row = 0; row < rowCount; row++) {
    const value = values[row]
    if (typeof value === 'string') bytes.write(value, offsets[row]!, 'utf8')
  }
  return { kind: 'text', rowCount, bytes, offsets, presence }
}

/** A call into the engine takes as long as so many characters do here. */
const SHORT_CHARACTERS = 32

/** The bytes of short strings, where they end in `offsets`; null: they are long, or have characters that are no single byte. */
function asciiOf(values: readonly Value[], offsets: Uint32Array): Uint8Array | null {
  let total = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (typeof value === 'string') total += value.length
    offsets[row + 1] = total
  }
  if (total > SHORT_CHARACTERS * values.length) return null
  const bytes = new Uint8Array(total)
  return putCharacters(values, bytes) < 0x80 ? bytes : null
}

/** Answers with the bits that any of them has. The names of 90,000 users 10 → 2 ms. */
function putCharacters(values: readonly Value[], bytes: Uint8Array): number {
  let seen = 0
  let at = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (typeof value !== 'string') continue
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index)
      seen |= code
      bytes[at++] = code
    }
  }
  return seen
}

function presenceOf(values: readonly Value[]): Uint8Array {
  const presence = new Uint8Array(values.length)
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value !== undefined) presence[row] = value === null ? NULL : PRESENT
  }
  return presence
}
