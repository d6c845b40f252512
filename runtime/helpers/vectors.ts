/** Vectors and boxed values as generated code makes and reads them. */
import { valueIn } from '../../storage/dictionary.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import {
  type AnyVector,
  type BoolVector,
  type ConstVector,
  type Dictionary,
  type DictVector,
  type DurationVector,
  NULL,
  type NumberVector,
  PRESENT,
  type TimeVector,
  type Vector,
} from '../../storage/vector.ts'
import { toNumeric } from './numbers.ts'

const decoder = new TextDecoder()

/** Row i of a text column as a string. Short ASCII, the usual case, is built without a trip into the decoder. */
export function textAt(bytes: Uint8Array, offsets: Uint32Array, row: number): string {
  const start = offsets[row]!
  const end = offsets[row + 1]!
  if (end - start > 24) return decodeLong(bytes, start, end)
  let text = ''
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte > 127) return decoder.decode(bytes.subarray(start, end))
    text += String.fromCharCode(byte)
  }
  return text
}

/** Node's own decoder, straight from a range of any Uint8Array: no view, no Buffer per row. Not in Node's type declarations. */
const { utf8Slice } = Buffer.prototype as unknown as { utf8Slice(this: Uint8Array, start: number, end: number): string }

function decodeLong(bytes: Uint8Array, start: number, end: number): string {
  return utf8Slice.call(bytes, start, end)
}

/** The field of a vector at a row as a `Value`; outside hot loops. */
export function valueAt(vector: Vector, row: number): Value {
  switch (vector.kind) {
    case 'const':
      return vector.value
    case 'dict':
      return valueIn(vector.dictionary, vector.codes[row]!)
    case 'any':
      return vector.values[row]
    default: {
      const presence = vector.presence === null ? PRESENT : vector.presence[row]!
      if (presence !== PRESENT) return presence === NULL ? null : undefined
      switch (vector.kind) {
        case 'number': {
          const { decimals } = vector
          return decimals === undefined ? vector.values[row]! : decimals.whole[row]! / decimals.divisor
        }
        case 'bool':
          return vector.values[row] === 1
        case 'time':
          return new DateTime(vector.micros[row]!, vector.nanos === null ? 0 : vector.nanos[row]!)
        case 'duration':
          return new Duration(vector.values[row]!)
        case 'text':
          return textAt(vector.bytes, vector.offsets, row)
      }
    }
  }
}

/** Values of a computed column, which is never missing: holes and nulls are null, and numbers are numbers where there is nothing else. */
function computedVector(values: readonly Value[]): Vector {
  const rowCount = values.length
  let absent = 0
  for (let row = 0; row < rowCount; row++) {
    const value = values[row]
    if (value === null || value === undefined) absent++
    else if (typeof value !== 'number')
      return { kind: 'any', rowCount, values: Array.from(values, each => each ?? null) }
  }
  if (absent === rowCount) return { kind: 'const', rowCount, value: null }
  const numbers = new Float64Array(rowCount)
  const presence = absent === 0 ? null : new Uint8Array(rowCount).fill(NULL)
  for (let row = 0; row < rowCount; row++) {
    const value = values[row]
    if (typeof value !== 'number') continue
    numbers[row] = value
    if (presence !== null) presence[row] = PRESENT
  }
  return { kind: 'number', rowCount, values: numbers, presence }
}

/** Numbers where `presence` says so, other values beside them, null elsewhere; `isWhole`: every row that counts is a number. */
function answerVector(
  numbers: Float64Array,
  presence: Uint8Array,
  others: readonly Value[] | null,
  isWhole: boolean,
): Vector {
  const rowCount = numbers.length
  if (others === null) return { kind: 'number', rowCount, values: numbers, presence: isWhole ? null : presence }
  const values = Array.from(others, (other, row) => (presence[row] === PRESENT ? numbers[row] : (other ?? null)))
  return { kind: 'any', rowCount, values }
}

export const VECTOR_HELPERS = {
  textAt,
  timeOf: (micros: number): DateTime => new DateTime(micros),
  dateTimeOf: (micros: number, nanos: number): DateTime => new DateTime(micros, nanos),
  durationOf: (ns: number): Duration => new Duration(ns),
  microsOf: (value: Value): number => (value instanceof DateTime ? value.micros : Number.NaN),
  nanosOf: (value: Value): number => (value instanceof DateTime ? value.nanos : 0),
  /** The value when the presence byte says present, else null or missing. */
  presentOr: (presence: number, value: Value): Value =>
    presence === PRESENT ? value : presence === NULL ? null : undefined,
  /** An aggregate's number: NaN for what is none. Numeric strings count. */
  numberArgument(value: Value): number {
    if (typeof value === 'number') return value
    const numeric = toNumeric(value)
    return numeric === null ? Number.NaN : Number(numeric)
  },
  /** The same, but an int beyond 2^53 is none: who asks keeps it exact. */
  plainNumber(value: Value): number {
    if (typeof value === 'number') return value
    const numeric = toNumeric(value)
    return typeof numeric === 'number' ? numeric : Number.NaN
  },
  /** A finite number, or null. */
  finite: (value: number): number | null => (value - value === 0 ? (value === 0 ? 0 : value) : null),
  constVector: (rowCount: number, value: Value): ConstVector => ({ kind: 'const', rowCount, value }),
  dictVector: (rowCount: number, codes: DictVector['codes'], dictionary: Dictionary): DictVector => ({
    kind: 'dict',
    rowCount,
    codes,
    dictionary,
  }),
  numberVector: (values: Float64Array, presence: Uint8Array | null): NumberVector => ({
    kind: 'number',
    rowCount: values.length,
    values,
    presence,
  }),
  boolVector: (values: Uint8Array, presence: Uint8Array | null): BoolVector => ({
    kind: 'bool',
    rowCount: values.length,
    values,
    presence,
  }),
  timeVector: (micros: Float64Array, presence: Uint8Array | null): TimeVector => ({
    kind: 'time',
    rowCount: micros.length,
    micros,
    nanos: null,
    presence,
  }),
  durationVector: (values: Float64Array, presence: Uint8Array | null): DurationVector => ({
    kind: 'duration',
    rowCount: values.length,
    values,
    presence,
  }),
  computedVector,
  answerVector,
  anyVector: (values: readonly Value[]): AnyVector => ({ kind: 'any', rowCount: values.length, values }),
}
