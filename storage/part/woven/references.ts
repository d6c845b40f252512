/**
 * The value of a field as it would stand in a text: the bytes of a string, a number in its shortest form. What a row of another column
 * says is a function of its value alone, never of how the column is held, so that writer and reader agree whatever shape each has.
 */
import { valueIn } from '../../dictionary.ts'
import type { Value } from '../../value.ts'
import { PRESENT, type TextVector, type Vector } from '../../vector.ts'
import { utf8Of } from '../ascii.ts'
import { perCode, putNumber } from '../rebuilt/render.ts'

/** A cursor over one column: after `load`, the value is `bytes[start … end)`. */
export interface Reference {
  bytes: Uint8Array
  start: number
  end: number
  /** False when the row says nothing: it is absent, or no string or number. */
  load(row: number): boolean
}

/** No number is longer. */
const NUMBER_BYTES = 32
const NOTHING = new Uint8Array(0)

/** The text of a value, or null when it is neither a string nor a number. */
export function bytesOf(value: Value): Uint8Array | null {
  if (typeof value === 'string') return utf8Of(value)
  return typeof value === 'number' ? utf8Of(String(value)) : null
}

export function referenceTo(vector: Vector): Reference | null {
  switch (vector.kind) {
    case 'text':
      return textReference(vector)
    case 'const': {
      const bytes = bytesOf(vector.value)
      return bytes === null ? null : { bytes, start: 0, end: bytes.length, load: () => true }
    }
    case 'dict': {
      const { codes, dictionary } = vector
      const bytesOfCode = perCode(vector, code => bytesOf(valueIn(dictionary, code)))
      return valueReference(row => bytesOfCode(codes[row]!))
    }
    case 'any':
      return valueReference(row => bytesOf(vector.values[row]))
    case 'number': {
      const { values, presence } = vector
      return {
        bytes: new Uint8Array(NUMBER_BYTES),
        start: 0,
        end: 0,
        load(row) {
          if (presence !== null && presence[row] !== PRESENT) return false
          this.end = putNumber(values[row]!, this.bytes, 0)
          return true
        },
      }
    }
    default:
      return null
  }
}

function textReference({ bytes, offsets, presence }: TextVector): Reference {
  return {
    bytes,
    start: 0,
    end: 0,
    load(row) {
      this.start = offsets[row]!
      this.end = offsets[row + 1]!
      return presence === null || presence[row] === PRESENT
    },
  }
}

function valueReference(bytesAt: (row: number) => Uint8Array | null): Reference {
  return {
    bytes: NOTHING,
    start: 0,
    end: 0,
    load(row) {
      const bytes = bytesAt(row)
      if (bytes === null) return false
      this.bytes = bytes
      this.end = bytes.length
      return true
    },
  }
}
