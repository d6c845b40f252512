/**
 * Values of lines, one cell each, as they lie in the lines' bytes: a text is where it begins and ends, a number is its value. No string and
 * no object is made of a value that only goes on into a column.
 */
import type { Value } from '../value.ts'
import { integerOf } from './json.ts'

export const TEXT = 1
export const NUMBER = 2
export const TRUE = 3
export const FALSE = 4
export const NULL = 5
/** A text with escapes, each as `JSON.stringify` writes it: where it lies is what is to be unescaped. */
export const ESCAPED = 6
/** An integer of many digits, or an array of plain values, as JSON. */
export const LITERAL = 7

/** Is it a text? */
export function isText(kind: number | undefined): boolean {
  return kind === TEXT || kind === ESCAPED
}

export class LineCells {
  kinds: Uint8Array
  /** Of texts and literals: where their bytes lie, and a hash of them where somebody wants one. */
  starts: Int32Array
  ends: Int32Array
  hashes: Int32Array
  numbers: Float64Array
  #bytes: Buffer | null = null
  #view: DataView | null = null

  constructor(capacity: number) {
    this.kinds = new Uint8Array(capacity)
    this.starts = new Int32Array(capacity)
    this.ends = new Int32Array(capacity)
    this.hashes = new Int32Array(capacity)
    this.numbers = new Float64Array(capacity)
  }

  /** Makes room for as many. */
  reserve(count: number): void {
    if (count <= this.kinds.length) return
    const more = new LineCells(Math.max(count, this.kinds.length * 2))
    more.kinds.set(this.kinds)
    more.starts.set(this.starts)
    more.ends.set(this.ends)
    more.hashes.set(this.hashes)
    more.numbers.set(this.numbers)
    Object.assign(this, more)
  }

  /** Of bytes that lines lie in. Kept here, where the values are that lie in them, and not with who reads them, who would hold on to the last ones. */
  viewOf(bytes: Buffer): DataView {
    if (bytes !== this.#bytes || this.#view === null) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    return this.#view
  }

  /** @param bytes  those the line lies in */
  valueAt(cell: number, bytes: Buffer): Exclude<Value, undefined> {
    switch (this.kinds[cell]) {
      case TEXT:
        return bytes.toString('utf8', this.starts[cell], this.ends[cell])
      case NUMBER:
        return this.numbers[cell]!
      case NULL:
        return null
      case ESCAPED:
        return JSON.parse(`"${bytes.toString('utf8', this.starts[cell], this.ends[cell])}"`) as string
      case LITERAL: {
        const text = bytes.toString('utf8', this.starts[cell], this.ends[cell])
        return text.startsWith('[') ? (JSON.parse(text) as Exclude<Value, undefined>) : integerOf(text)
      }
      default:
        return this.kinds[cell] === TRUE
    }
  }
}
