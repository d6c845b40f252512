/**
 * A field that is a stretch of the texts it came from: kept as two offsets a row, made into a column when somebody asks for it.
 * No string is made for a row, so none has to be kept alive: a value cut out of a string holds on to the whole of it, and moving
 * those about costs more than parsing does.
 */
import type { Value } from '../../storage/value.ts'
import { MISSING, NULL, PRESENT, type TextVector, type Vector } from '../../storage/vector.ts'
import type { Stretch } from '../formats/extractor.ts'
import { integerOf, typedCapture } from '../formats/values.ts'
import { textAt } from '../helpers/vectors.ts'

const ABSENT = -1
const NULLED = -2
const ZERO = 48
const MINUS = 45
/** More digits may not be exact in a float64. */
const SAFE_DIGITS = 15

export class StretchColumn {
  readonly #source: TextVector
  readonly #kind: Stretch
  /** Bytes from the beginning of the row. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array

  constructor(source: TextVector, kind: Stretch) {
    this.#source = source
    this.#kind = kind
    this.#starts = new Int32Array(source.rowCount).fill(ABSENT)
    this.#ends = new Int32Array(source.rowCount)
  }

  set(row: number, start: number, end: number): void {
    this.#starts[row] = start
    this.#ends[row] = end
  }

  setNull(row: number): void {
    this.#starts[row] = NULLED
  }

  vector(): Vector {
    if (this.#kind === 'text') return this.#texts()
    return this.#numbers() ?? (this.#hasNumbers() ? this.#values() : this.#texts())
  }

  #presence(): Uint8Array | null {
    const starts = this.#starts
    const presence = new Uint8Array(starts.length)
    let absent = 0
    for (let row = 0; row < starts.length; row++) {
      const start = starts[row]!
      if (start < 0) absent++
      presence[row] = start >= 0 ? PRESENT : start === NULLED ? NULL : MISSING
    }
    return absent === 0 ? null : presence
  }

  #texts(): TextVector {
    const { rowCount, offsets: sourceOffsets, bytes: sourceBytes } = this.#source
    const starts = this.#starts
    const ends = this.#ends
    const offsets = new Uint32Array(rowCount + 1)
    let length = 0
    for (let row = 0; row < rowCount; row++) {
      if (starts[row]! >= 0) length += ends[row]! - starts[row]!
      offsets[row + 1] = length
    }
    const bytes = new Uint8Array(length)
    let to = 0
    for (let row = 0; row < rowCount; row++) {
      const start = starts[row]!
      if (start < 0) continue
      const end = sourceOffsets[row]! + ends[row]!
      for (let from = sourceOffsets[row]! + start; from < end; from++) bytes[to++] = sourceBytes[from]!
    }
    return { kind: 'text', rowCount, bytes, offsets, presence: this.#presence() }
  }

  /** All of them whole numbers that a float64 holds; null: not all are. */
  #numbers(): Vector | null {
    const { rowCount } = this.#source
    const values = new Float64Array(rowCount)
    let present = 0
    for (let row = 0; row < rowCount; row++) {
      if (this.#starts[row]! < 0) continue
      const value = this.#wholeNumber(row)
      if (value < 0) return null
      values[row] = value
      present++
    }
    return present === 0 ? null : { kind: 'number', rowCount, values, presence: this.#presence() }
  }

  /** -1: not digits, too many of them, or (where they may be text) zeros in front. */
  #wholeNumber(row: number): number {
    const { bytes, offsets } = this.#source
    const start = offsets[row]! + this.#starts[row]!
    const end = offsets[row]! + this.#ends[row]!
    const length = end - start
    if (length === 0 || length > SAFE_DIGITS) return -1
    if (length > 1 && bytes[start] === ZERO && this.#kind === 'typed') return -1
    let value = 0
    for (let at = start; at < end; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) return -1
      value = value * 10 + digit
    }
    return value
  }

  /** Might one of them be a number, by what it begins with? */
  #hasNumbers(): boolean {
    const { bytes, offsets, rowCount } = this.#source
    for (let row = 0; row < rowCount; row++) {
      const start = this.#starts[row]!
      if (start < 0 || start === this.#ends[row]) continue
      const first = bytes[offsets[row]! + start]!
      if (first === MINUS || (first >= ZERO && first <= ZERO + 9)) return true
    }
    return false
  }

  #values(): Vector {
    const texts = this.#texts()
    const isInteger = this.#kind === 'integer'
    const values = Array.from({ length: texts.rowCount }, (_, row): Value => {
      const start = this.#starts[row]!
      if (start < 0) return start === NULLED ? null : undefined
      const text = textAt(texts.bytes, texts.offsets, row)
      return isInteger ? integerOf(text, 0, text.length) : typedCapture(text)
    })
    return { kind: 'any', rowCount: texts.rowCount, values }
  }
}

/** From places in a string to places in its UTF-8. Holds one text at a time. */
export class ByteOffsets {
  #map = new Int32Array(256)
  #isSame = true

  /** `byteLength`: of the text in UTF-8, which only of ASCII is its length in characters. */
  read(text: string, byteLength: number): void {
    this.#isSame = text.length === byteLength
    if (this.#isSame) return
    if (this.#map.length <= text.length) this.#map = new Int32Array(text.length * 2)
    const map = this.#map
    let bytes = 0
    for (let at = 0; at < text.length; at++) {
      map[at] = bytes
      const unit = text.charCodeAt(at)
      // Of a surrogate pair the first has all four bytes.
      bytes +=
        unit < 0x80
          ? 1
          : unit < 0x800
            ? 2
            : unit >= 0xd800 && unit < 0xdc00
              ? 4
              : unit >= 0xdc00 && unit < 0xe000
                ? 0
                : 3
    }
    map[text.length] = bytes
  }

  of(place: number): number {
    return this.#isSame || place < 0 ? place : this.#map[place]!
  }
}
