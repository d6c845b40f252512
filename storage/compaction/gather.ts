/**
 * One column of a block that is put together from rows of several others. Rows that come from columns of one kind stay typed arrays,
 * codes of different dictionaries become codes of one; only a column that mixes types is boxed, as it is wherever it lies.
 */

import { isWellFormed } from '../part/bytes.ts'
import { FieldDictionary } from '../part/field-dictionary.ts'
import { DateTime, Duration, type Value } from '../value.ts'
import { type Dictionary, type DictVector, MISSING, NULL, PRESENT, type TextVector, type Vector } from '../vector.ts'
import type { RowSource } from './merge-order.ts'

/** A column of one source and the runs of its rows. */
interface Piece {
  readonly vector: Vector
  readonly runs: readonly number[]
}

/** Null when every row is missing. */
export function gatherColumn(
  rowCount: number,
  sources: readonly RowSource[],
  columnOf: (source: RowSource) => Vector | null,
): Vector | null {
  const pieces: Piece[] = []
  let classes = 0
  let hasCodes = false
  let hasLanes = false
  let present = 0
  for (const source of sources) {
    const vector = columnOf(source)
    if (vector === null || (vector.kind === 'const' && vector.value === undefined)) continue
    pieces.push({ vector, runs: source.runs })
    classes |= classesOf(vector)
    if (vector.kind === 'dict') hasCodes = true
    else if (vector.kind !== 'const') hasLanes = true
    for (let run = 2; run < source.runs.length; run += 3) present += source.runs[run]!
  }
  if (pieces.length === 0) return null
  const isWhole = present === rowCount
  if (!hasLanes && (hasCodes || classes === CLASS_STRING || classes === 0)) {
    const codes = gatherCodes(rowCount, pieces)
    if (codes !== null) return codes
  }
  switch (classes) {
    case CLASS_STRING:
      return gatherText(rowCount, pieces, isWhole)
    case CLASS_NUMBER:
      return gatherNumbers(rowCount, pieces, isWhole)
    case CLASS_BOOL:
    case CLASS_TIME:
    case CLASS_DURATION:
      return gatherLanes(rowCount, pieces, isWhole, classes)
    default:
      return gatherValues(rowCount, pieces)
  }
}

const CLASS_STRING = 1
const CLASS_NUMBER = 2
const CLASS_BOOL = 4
const CLASS_TIME = 8
const CLASS_DURATION = 16
const CLASS_OTHER = 32

function classesOf(vector: Vector): number {
  switch (vector.kind) {
    case 'const':
      return classOf(vector.value)
    case 'dict':
      return classesOfDictionary(vector.dictionary)
    case 'text':
      return CLASS_STRING
    case 'number':
      return CLASS_NUMBER
    case 'bool':
      return CLASS_BOOL
    case 'time':
      return CLASS_TIME
    case 'duration':
      return CLASS_DURATION
    case 'any':
      return CLASS_OTHER
  }
}

/** Of null and missing: none. */
function classOf(value: Value): number {
  switch (typeof value) {
    case 'undefined':
      return 0
    case 'string':
      return isWellFormed(value) ? CLASS_STRING : CLASS_OTHER
    case 'number':
      return CLASS_NUMBER
    case 'boolean':
      return CLASS_BOOL
    case 'bigint':
      return CLASS_OTHER
    default:
      if (value === null) return 0
      if (value instanceof DateTime) return CLASS_TIME
      return value instanceof Duration ? CLASS_DURATION : CLASS_OTHER
  }
}

const classesOfDictionaries = new WeakMap<Dictionary, number>()

function classesOfDictionary(dictionary: Dictionary): number {
  let classes = classesOfDictionaries.get(dictionary)
  if (classes === undefined) {
    classes = 0
    for (const value of dictionary.values) classes |= classOf(value)
    classesOfDictionaries.set(dictionary, classes)
  }
  return classes
}

/** Null when the values are too many for one dictionary. */
function gatherCodes(rowCount: number, pieces: readonly Piece[]): DictVector | null {
  const dictionary = new FieldDictionary()
  const codes = new Uint32Array(rowCount)
  // Code 0 is missing: what no piece has.
  dictionary.add([undefined])
  for (const { vector, runs } of pieces) {
    if (vector.kind === 'const') {
      const code = dictionary.add([vector.value])?.[0]
      if (code === undefined) return null
      forEachRun(runs, (_, to, count) => codes.fill(code, to, to + count))
      continue
    }
    if (vector.kind !== 'dict') throw new Error(`a ${vector.kind} column among codes`)
    const used = new Uint8Array(vector.dictionary.values.length)
    forEachRun(runs, (from, _, count) => {
      for (let row = from; row < from + count; row++) used[vector.codes[row]!] = 1
    })
    const translation = dictionary.translate(vector.dictionary, used)
    if (translation === null) return null
    forEachRun(runs, (from, to, count) => {
      for (let at = 0; at < count; at++) codes[to + at] = translation[vector.codes[from + at]!]!
    })
  }
  return { kind: 'dict', rowCount, codes, dictionary }
}

function forEachRun(runs: readonly number[], visit: (from: number, to: number, count: number) => void): void {
  for (let run = 0; run < runs.length; run += 3) visit(runs[run]!, runs[run + 1]!, runs[run + 2]!)
}

/** 0 missing, 1 null, 2 present, as in vectors. */
function stateOf(value: Value): number {
  return value === undefined ? MISSING : value === null ? NULL : PRESENT
}

/** Null when every row is present. */
function gatherPresence(rowCount: number, pieces: readonly Piece[], isWhole: boolean): Uint8Array | null {
  const isNeeded =
    !isWhole ||
    pieces.some(({ vector }) => {
      if (vector.kind === 'const') return vector.value === null
      if (vector.kind === 'dict') return vector.dictionary.values.some(value => stateOf(value) !== PRESENT)
      return vector.kind !== 'any' && vector.presence !== null
    })
  if (!isNeeded) return null
  const presence = new Uint8Array(rowCount)
  for (const { vector, runs } of pieces) {
    forEachRun(runs, (from, to, count) => {
      if (vector.kind === 'const') presence.fill(stateOf(vector.value), to, to + count)
      else if (vector.kind === 'dict') {
        const { codes, dictionary } = vector
        for (let at = 0; at < count; at++) presence[to + at] = stateOf(dictionary.values[codes[from + at]!])
      } else if (vector.kind === 'any') throw new Error('a column of mixed types among typed ones')
      else if (vector.presence === null) presence.fill(PRESENT, to, to + count)
      else copy(vector.presence, presence, from, to, count)
    })
  }
  return presence
}

function copy(
  from: Float64Array | Int32Array | Uint16Array | Uint8Array,
  into: Float64Array | Int32Array | Uint16Array | Uint8Array,
  fromRow: number,
  toRow: number,
  count: number,
): void {
  // Making a view costs as much as copying some dozens of numbers.
  if (count > 64) into.set(from.subarray(fromRow, fromRow + count), toRow)
  else for (let at = 0; at < count; at++) into[toRow + at] = from[fromRow + at]!
}

function gatherNumbers(rowCount: number, pieces: readonly Piece[], isWhole: boolean): Vector {
  const isNarrow = pieces.every(({ vector }) => vector.kind === 'number' && vector.values instanceof Int32Array)
  const values = isNarrow ? new Int32Array(rowCount) : new Float64Array(rowCount)
  for (const { vector, runs } of pieces) {
    forEachRun(runs, (from, to, count) => {
      if (vector.kind === 'number') copy(vector.values, values, from, to, count)
      else for (let at = 0; at < count; at++) values[to + at] = numberOf(boxed(vector, from + at))
    })
  }
  return { kind: 'number', rowCount, values, presence: gatherPresence(rowCount, pieces, isWhole) }
}

const numberOf = (value: Value): number => (typeof value === 'number' ? value : 0)

function gatherLanes(rowCount: number, pieces: readonly Piece[], isWhole: boolean, classes: number): Vector {
  const presence = gatherPresence(rowCount, pieces, isWhole)
  if (classes === CLASS_TIME) {
    const micros = new Float64Array(rowCount)
    const nanos = new Uint16Array(rowCount)
    for (const { vector, runs } of pieces) {
      forEachRun(runs, (from, to, count) => {
        if (vector.kind === 'time') {
          copy(vector.micros, micros, from, to, count)
          if (vector.nanos !== null) copy(vector.nanos, nanos, from, to, count)
        } else {
          for (let at = 0; at < count; at++) {
            const value = boxed(vector, from + at)
            if (!(value instanceof DateTime)) continue
            micros[to + at] = value.micros
            nanos[to + at] = value.nanos
          }
        }
      })
    }
    return { kind: 'time', rowCount, micros, nanos: nanos.some(each => each !== 0) ? nanos : null, presence }
  }
  const isBool = classes === CLASS_BOOL
  const values = isBool ? new Uint8Array(rowCount) : new Float64Array(rowCount)
  for (const { vector, runs } of pieces) {
    forEachRun(runs, (from, to, count) => {
      if (vector.kind === 'bool' || vector.kind === 'duration') copy(vector.values, values, from, to, count)
      else
        for (let at = 0; at < count; at++) {
          const value = boxed(vector, from + at)
          values[to + at] = value instanceof Duration ? value.ns : value === true ? 1 : 0
        }
    })
  }
  return values instanceof Uint8Array
    ? { kind: 'bool', rowCount, values, presence }
    : { kind: 'duration', rowCount, values, presence }
}

const NO_BYTES = new Uint8Array(0)

function gatherText(rowCount: number, pieces: readonly Piece[], isWhole: boolean): TextVector {
  const offsets = new Uint32Array(rowCount + 1)
  const encoded = pieces.map(({ vector }) => encodedValues(vector))
  for (const [number, { vector, runs }] of pieces.entries()) {
    const bytesOf = encoded[number]!
    forEachRun(runs, (from, to, count) => {
      for (let at = 0; at < count; at++) {
        offsets[to + at + 1] =
          vector.kind === 'text'
            ? vector.offsets[from + at + 1]! - vector.offsets[from + at]!
            : bytesOf(from + at).length
      }
    })
  }
  let total = 0
  for (let row = 1; row <= rowCount; row++) {
    total += offsets[row]!
    offsets[row] = total
  }
  if (total >= 2 ** 32) throw new RangeError(`${total} bytes of text in one block`)
  const bytes = new Uint8Array(total)
  for (const [number, { vector, runs }] of pieces.entries()) {
    const bytesOf = encoded[number]!
    forEachRun(runs, (from, to, count) => {
      if (vector.kind === 'text') {
        bytes.set(vector.bytes.subarray(vector.offsets[from]!, vector.offsets[from + count]!), offsets[to]!)
      } else for (let at = 0; at < count; at++) bytes.set(bytesOf(from + at), offsets[to + at]!)
    })
  }
  return { kind: 'text', rowCount, bytes, offsets, presence: gatherPresence(rowCount, pieces, isWhole) }
}

/** The bytes of a row of codes or of a constant, each distinct value encoded once. */
function encodedValues(vector: Vector): (row: number) => Uint8Array {
  const encode = (value: Value) => (typeof value === 'string' ? Buffer.from(value, 'utf8') : NO_BYTES)
  if (vector.kind === 'const') {
    const bytes = encode(vector.value)
    return () => bytes
  }
  if (vector.kind !== 'dict') return () => NO_BYTES
  const { codes, dictionary } = vector
  const bytes: (Uint8Array | undefined)[] = new Array(dictionary.values.length)
  return row => {
    const code = codes[row]!
    bytes[code] ??= encode(dictionary.values[code])
    return bytes[code]
  }
}

function gatherValues(rowCount: number, pieces: readonly Piece[]): Vector {
  const values: Value[] = new Array(rowCount).fill(undefined)
  for (const { vector, runs } of pieces) {
    forEachRun(runs, (from, to, count) => {
      for (let at = 0; at < count; at++) values[to + at] = boxed(vector, from + at)
    })
  }
  return { kind: 'any', rowCount, values }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function boxed(vector: Vector, row: number): Value {
  if (vector.kind === 'const') return vector.value
  if (vector.kind === 'dict') return vector.dictionary.values[vector.codes[row]!]
  if (vector.kind === 'any') return vector.values[row]
  const state = vector.presence === null ? PRESENT : vector.presence[row]!
  if (state !== PRESENT) return state === NULL ? null : undefined
  switch (vector.kind) {
    case 'number':
      return vector.values[row]
    case 'bool':
      return vector.values[row] === 1
    case 'time':
      return new DateTime(vector.micros[row]!, vector.nanos?.[row] ?? 0)
    case 'duration':
      return new Duration(vector.values[row]!)
    case 'text':
      return decoder.decode(vector.bytes.subarray(vector.offsets[row]!, vector.offsets[row + 1]!))
  }
}
