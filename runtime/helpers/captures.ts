/** What was captured in the texts of a column, as a column: texts cut out of texts, or values of another column. */
import { type DictVector, NULL, PRESENT, type TextVector } from '../../storage/vector.ts'
import type { DictionaryTexts } from './dictionary-texts.ts'
import { lentBytes, lentWords } from './lent.ts'

const LENGTH_MIN = 4096
/** Of what was captured in the block before: much the same is in this one. */
let lastLength = LENGTH_MIN

/** A capture of each row that has one, in the order of the rows. */
export class Captures {
  readonly #rowCount: number
  readonly #rows: Uint32Array
  /** By capture, its code in the dictionary, and 1 more; 0: it came as text. */
  readonly #codes: Uint32Array
  /** Where that text ends, behind those of the captures before. */
  readonly #ends: Uint32Array
  #bytes: Uint8Array
  #count = 0
  #codedCount = 0
  #length = 0
  /** Of the dictionary of the first that came with its code. */
  #texts: DictionaryTexts | null = null

  /** @param most  so many captures, at most */
  constructor(rowCount: number, most: number) {
    this.#rowCount = rowCount
    this.#rows = lentWords(most)
    this.#codes = lentWords(most)
    this.#ends = lentWords(most)
    this.#bytes = lentBytes(lastLength)
  }

  get lastRow(): number {
    return this.#count === 0 ? -1 : this.#rows[this.#count - 1]!
  }

  add(row: number, bytes: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#bytes.length) {
      const grown = lentBytes(2 * length)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    for (let from = start, to = this.#length; from < end; ) this.#bytes[to++] = bytes[from++]!
    this.#length = length
    this.#add(row, 0)
  }

  /** The same as `add` of what has the code. */
  addCode(row: number, texts: DictionaryTexts, code: number): void {
    this.#texts ??= texts
    if (texts === this.#texts) {
      this.#codedCount++
      this.#add(row, code + 1)
    } else this.add(row, texts.bytes, texts.offsets[code]!, texts.offsets[code + 1]!)
  }

  #add(row: number, code: number): void {
    const n = this.#count++
    this.#rows[n] = row
    this.#codes[n] = code
    this.#ends[n] = this.#length
  }

  /** The other rows are null. A column of codes, where most captures came with theirs and the others have one too. */
  vector(): TextVector | DictVector {
    lastLength = Math.max(LENGTH_MIN, this.#length)
    return this.#coded() ?? this.#text()
  }

  #coded(): DictVector | null {
    const texts = this.#texts
    if (texts === null || 2 * this.#codedCount < this.#count) return null
    const { dictionary, nullCode } = texts.withNull()
    const codes = lentWords(this.#rowCount).fill(nullCode)
    for (let n = 0, start = 0; n < this.#count; n++) {
      const end = this.#ends[n]!
      const code = this.#codes[n] === 0 ? texts.codeOf(this.#bytes, start, end) : this.#codes[n]! - 1
      if (code < 0) return null
      codes[this.#rows[n]!] = code
      start = end
    }
    return { kind: 'dict', rowCount: this.#rowCount, codes, dictionary }
  }

  #text(): TextVector {
    const rowCount = this.#rowCount
    const presence = lentBytes(rowCount).fill(NULL)
    const offsets = lentWords(rowCount + 1)
    const { bytes, ends } = this.#allAsText()
    let row = 0
    let length = 0
    for (let n = 0; n < this.#count; n++) {
      const own = this.#rows[n]!
      offsets.fill(length, row, own + 1)
      length = ends[n]!
      presence[own] = PRESENT
      row = own + 1
    }
    offsets.fill(length, row)
    return { kind: 'text', rowCount, bytes: bytes.subarray(0, length), offsets, presence }
  }

  #allAsText(): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
    const texts = this.#texts
    if (texts === null) return { bytes: this.#bytes, ends: this.#ends }
    const all = new Captures(this.#rowCount, this.#count)
    for (let n = 0, start = 0; n < this.#count; n++) {
      const code = this.#codes[n]! - 1
      const end = this.#ends[n]!
      if (code < 0) all.add(this.#rows[n]!, this.#bytes, start, end)
      else all.add(this.#rows[n]!, texts.bytes, texts.offsets[code]!, texts.offsets[code + 1]!)
      start = end
    }
    return { bytes: all.#bytes, ends: all.#ends }
  }
}
