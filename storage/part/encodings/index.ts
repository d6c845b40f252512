/**
 * The encodings by number. The numbers are part of the file format (docs/format.md): one is never reused for another layout.
 * `encodeColumn` picks the encoding for a vector's kind and values; `decodeColumn` reads any of them.
 */
import { pickRows } from '../../pick.ts'
import { spareMemory } from '../../spare-memory.ts'
import { DateTime } from '../../value.ts'
import type { Dictionary, TimeVector, Vector } from '../../vector.ts'
import { ByteSink, type ByteSource } from '../bytes.ts'
import { greatestCode } from '../code-counts.ts'
import { RebuiltChunk } from '../rebuilt/rebuilt.ts'
import type { ThinColumn } from '../thin.ts'
import { WovenText } from '../woven/unweave.ts'
import { decodeAny, encodeAny } from './any.ts'
import { decodeBooleans, encodeBooleans } from './booleans.ts'
import { decodeConstant, encodeConstant } from './constant.ts'
import { decodeDictionary, encodeDictionary } from './dictionary.ts'
import { decodeDurations, encodeDurations } from './durations.ts'
import { decodeDecimals, decodeFloats, encodeDecimals, encodeFloats, scaleDecimals } from './floats.ts'
import { encodeHex, HexChunk, hexDigitsOf } from './hex.ts'
import { areIntegers, decodeIntegers, encodeIntegers } from './integers.ts'
import { fillAbsent } from './presence.ts'
import { decodeSparse, decodeSparseRows, encodeSparseRows, gather, sparseRows, type ThinnableVector } from './sparse.ts'
import { decodeText, encodeText } from './text.ts'
import { decodeTimeText } from './time-text.ts'
import { decodeTimes, encodeTimes } from './times.ts'

export const CONSTANT = 1
export const DICTIONARY = 2
export const INTEGERS = 3
export const DECIMALS = 4
export const FLOATS = 5
export const BOOLEANS = 6
export const TIMES = 7
export const DURATIONS = 8
export const TEXT = 9
export const ANY = 10
export const SPARSE = 11
/** Chosen by the part writer, who sees the other columns: `storage/part/rebuilt/`. */
export const REBUILT = 12
export const HEX = 13
/** Chosen by the part writer, as REBUILT is. */
export const TIME_TEXT = 14
/** Chosen by the part writer, as REBUILT is. */
export const WOVEN = 15

/** Encodings of columns that are put together from others of the block. */
export const FROM_OTHERS: ReadonlySet<number> = new Set([REBUILT, TIME_TEXT, WOVEN])

/** Encodings of which columns are made anew: nothing of the chunk is held by them. */
export const MADE_ANEW: ReadonlySet<number> = new Set([INTEGERS, DECIMALS, FLOATS, TIMES, DURATIONS])

/** By number; what tools and documentation call them. */
export const ENCODING_NAMES: Readonly<Record<number, string>> = {
  [CONSTANT]: 'constant',
  [DICTIONARY]: 'dictionary',
  [INTEGERS]: 'integers',
  [DECIMALS]: 'decimals',
  [FLOATS]: 'floats',
  [BOOLEANS]: 'booleans',
  [TIMES]: 'times',
  [DURATIONS]: 'durations',
  [TEXT]: 'text',
  [ANY]: 'any',
  [SPARSE]: 'sparse',
  [REBUILT]: 'rebuilt',
  [HEX]: 'hex',
  [TIME_TEXT]: 'time text',
  [WOVEN]: 'woven',
}

/** Writes `vector` and returns the number of the encoding it chose. `dictionaryIdOf` numbers the dictionaries of the part. */
export function encodeColumn(
  sink: ByteSink,
  vector: Vector,
  dictionaryIdOf: (dictionary: Dictionary) => number,
): number {
  if (vector.kind === 'const') {
    encodeConstant(sink, vector)
    return CONSTANT
  }
  if (vector.kind === 'dict') {
    encodeDictionary(sink, vector.codes, dictionaryIdOf(vector.dictionary), greatestCode(vector) ?? undefined)
    return DICTIONARY
  }
  const rows = sparseRows(vector)
  return rows === null ? encodeDense(sink, vector) : encodeThin(sink, rows, gather(vector, rows))
}

/** What `encodeColumn` makes of a column that has `values` at `rows` and is missing elsewhere. */
export function encodeThin(sink: ByteSink, rows: Uint32Array, values: ThinnableVector): number {
  encodeSparseRows(sink, rows)
  // The inner encoding is only known once it is written, but stands before its bytes: it is put together aside.
  const inner = new ByteSink()
  sink.u8(encodeDense(inner, values))
  sink.append(inner)
  return SPARSE
}

function encodeDense(sink: ByteSink, vector: Exclude<Vector, { kind: 'const' | 'dict' }>): number {
  switch (vector.kind) {
    case 'number': {
      if (areIntegers(vector.values)) {
        encodeIntegers(sink, vector)
        return INTEGERS
      }
      const decimals = scaleDecimals(fillAbsent(vector.values, vector.presence))
      if (decimals === null) {
        encodeFloats(sink, vector)
        return FLOATS
      }
      encodeDecimals(sink, vector, decimals.scaled, decimals.exponent)
      spareMemory.give(decimals.scaled.buffer)
      return DECIMALS
    }
    case 'bool':
      encodeBooleans(sink, vector)
      return BOOLEANS
    case 'time':
      encodeTimes(sink, vector)
      return TIMES
    case 'duration':
      encodeDurations(sink, vector)
      return DURATIONS
    case 'text': {
      if (hexDigitsOf(vector) !== null) {
        encodeHex(sink, vector)
        return HEX
      }
      encodeText(sink, vector)
      return TEXT
    }
    case 'any':
      encodeAny(sink, vector)
      return ANY
  }
}

/** Reads a column of `rowCount` rows. @throws {RangeError} when the bytes do not describe one. */
export function decodeColumn(
  encoding: number,
  source: ByteSource,
  rowCount: number,
  dictionaryOf: (id: number) => Dictionary,
  /** Other columns of the block. */
  columnOf: (field: string) => Vector | null,
  /** Those of few values, where these will do; null: there is none, or it has many. */
  thinOf: (field: string) => ThinColumn | null = () => null,
): Vector {
  switch (encoding) {
    case CONSTANT:
      return decodeConstant(source, rowCount)
    case DICTIONARY:
      return decodeDictionary(source, rowCount, dictionaryOf)
    case INTEGERS:
      return decodeIntegers(source, rowCount)
    case DECIMALS:
      return decodeDecimals(source, rowCount)
    case FLOATS:
      return decodeFloats(source, rowCount)
    case BOOLEANS:
      return decodeBooleans(source, rowCount)
    case TIMES:
      return decodeTimes(source, rowCount)
    case DURATIONS:
      return decodeDurations(source, rowCount)
    case TEXT:
      return decodeText(source, rowCount)
    case ANY:
      return decodeAny(source, rowCount)
    case SPARSE:
      return decodeSparse(source, rowCount, count => {
        const inner = source.u8()
        if (inner === SPARSE || FROM_OTHERS.has(inner)) throw new RangeError(`encoding ${inner} within a sparse column`)
        return decodeColumn(inner, source, count, dictionaryOf, columnOf)
      })
    case HEX:
      return new HexChunk(source, rowCount).all()
    case TIME_TEXT:
      return decodeTimeText(source, rowCount, timesOf(columnOf))
    case REBUILT:
      return new RebuiltChunk(source, rowCount).all(name => thinOf(name) ?? columnOf(name))
    case WOVEN:
      return new WovenText(source, rowCount).all(columnOf)
    default:
      throw new RangeError(`encoding ${encoding} is not known`)
  }
}

/** A sparse column without the rows that lack it; null for one in any other encoding. */
export function decodeThin(encoding: number, source: ByteSource, rowCount: number): ThinColumn | null {
  if (encoding !== SPARSE) return null
  const rows = decodeSparseRows(source, rowCount)
  const inner = source.u8()
  if (INNER_ENCODINGS.has(inner))
    return { rows, values: decodeColumn(inner, source, rows.length, noDictionary, noColumn) }
  throw new RangeError(`encoding ${inner} within a sparse column`)
}

const INNER_ENCODINGS: ReadonlySet<number> = new Set([
  INTEGERS,
  DECIMALS,
  FLOATS,
  BOOLEANS,
  TIMES,
  DURATIONS,
  TEXT,
  ANY,
  HEX,
])

function noDictionary(): never {
  throw new RangeError('codes within a sparse column')
}

function noColumn(): never {
  throw new RangeError('a sparse column that needs another')
}

/** What reading few rows of a column has made of the chunk: whoever reads others of them may begin there. */
export interface RowMemo {
  /** Text that is not stored as such, taken apart. */
  apart?: HexChunk | WovenText | RebuiltChunk
  whole?: Vector
}

/**
 * As `decodeColumn`, for few rows: a column of those alone. Text that is put together is put together for them only.
 *
 * @param columnOf  these rows of other columns
 * @param memo  gets what was made of the chunk on the way
 */
export function decodeRows(
  encoding: number,
  source: ByteSource,
  rowCount: number,
  rows: Uint32Array,
  dictionaryOf: (id: number) => Dictionary,
  columnOf: (field: string) => Vector | null,
  memo: RowMemo = {},
): Vector {
  switch (encoding) {
    case HEX:
      memo.apart = new HexChunk(source, rowCount)
      return memo.apart.some(rows)
    case TIME_TEXT:
      return decodeTimeText(source, rowCount, timesOf(columnOf), rows)
    case REBUILT:
      memo.apart = new RebuiltChunk(source, rowCount)
      return memo.apart.some(rows, columnOf)
    case WOVEN:
      memo.apart = new WovenText(source, rowCount)
      return memo.apart.some(rows, columnOf)
    default:
      memo.whole = decodeColumn(encoding, source, rowCount, dictionaryOf, columnOf)
      return pickRows(memo.whole, rows)
  }
}

function timesOf(columnOf: (field: string) => Vector | null): TimeVector {
  const times = columnOf('_time')
  if (times?.kind === 'time') return times
  // Events of one instant, told apart by who has the text, or one event alone.
  if (times?.kind === 'const' && times.value instanceof DateTime) {
    const { rowCount, value } = times
    const nanos = value.nanos === 0 ? null : new Uint16Array(rowCount).fill(value.nanos)
    return { kind: 'time', rowCount, micros: new Float64Array(rowCount).fill(value.micros), nanos, presence: null }
  }
  throw new RangeError('text of times that are not there')
}
