/**
 * The texts of a dictionary as bytes on end, and which code a text has: what is cut out of messages is mostly the value of another field of the
 * event, and is then that field's code and no text of its own (`piece-captures.ts`). Found out once for each dictionary.
 */
import { bytesOf } from '../../storage/part/woven/references.ts'
import type { Dictionary } from '../../storage/vector.ts'
import { Lru } from './lru.ts'
import { TextTable } from './text-table.ts'

/** Of a pattern each of its states may want one, and mostly one does. */
const TABLES_MAX = 8

const known = new WeakMap<Dictionary, DictionaryTexts>()

export class DictionaryTexts {
  /** The text of code n is `bytes[offsets[n] … offsets[n + 1])`; that of a number as it stands in texts, of anything else nothing. */
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  /** By code 1 where the value is that text and nothing else. */
  readonly isText: Uint8Array
  readonly #dictionary: Dictionary
  #table: TextTable | null = null
  /** By code in the table, the code in the dictionary. */
  #codes = new Uint32Array(0)
  readonly #tables = new Lru<string, Uint8Array>(TABLES_MAX)
  #withNull: Dictionary | null = null
  #nullCode = -1

  private constructor(dictionary: Dictionary) {
    const { values } = dictionary
    const texts = values.map(bytesOf)
    this.#dictionary = dictionary
    this.offsets = new Uint32Array(values.length + 1)
    this.isText = new Uint8Array(values.length)
    for (const [code, text] of texts.entries()) this.offsets[code + 1] = this.offsets[code]! + (text?.length ?? 0)
    this.bytes = new Uint8Array(this.offsets[values.length]!)
    for (const [code, text] of texts.entries()) {
      if (text === null) continue
      this.bytes.set(text, this.offsets[code])
      const value = values[code]
      if (typeof value === 'string' && isWellFormed(value, text)) this.isText[code] = 1
    }
  }

  static of(dictionary: Dictionary): DictionaryTexts {
    let texts = known.get(dictionary)
    if (texts === undefined) known.set(dictionary, (texts = new DictionaryTexts(dictionary)))
    return texts
  }

  static isKnown(dictionary: Dictionary): boolean {
    return known.has(dictionary)
  }

  /** Has the code a text? */
  says(code: number): boolean {
    return this.isText[code] === 1 || this.offsets[code]! < this.offsets[code + 1]!
  }

  /** A byte for each code that is kept for who asks for it by the same key, among the last that did; 0 to begin with. */
  table(key: string): Uint8Array {
    return this.#tables.getOrMake(key, () => new Uint8Array(this.isText.length))
  }

  /** The code whose value is this text; -1: none. */
  codeOf(bytes: Uint8Array, start: number, end: number): number {
    this.#table ??= this.#made()
    const found = this.#table.find(bytes, start, end)
    return found === 0 ? -1 : this.#codes[found]!
  }

  #made(): TextTable {
    const { bytes, offsets, isText } = this
    const table = new TextTable()
    this.#codes = new Uint32Array(isText.length + 1)
    for (let code = 0; code < isText.length; code++)
      if (isText[code] === 1) this.#codes[table.codeOf(bytes, offsets[code]!, offsets[code + 1]!)] = code
    return table
  }

  /** The same dictionary, or one with the same codes that has null as well. */
  withNull(): { readonly dictionary: Dictionary; readonly nullCode: number } {
    if (this.#withNull === null) {
      const { values } = this.#dictionary
      this.#nullCode = values.indexOf(null)
      this.#withNull = this.#nullCode >= 0 ? this.#dictionary : { ...this.#dictionary, values: [...values, null] }
      if (this.#nullCode < 0) this.#nullCode = values.length
    }
    return { dictionary: this.#withNull, nullCode: this.#nullCode }
  }
}

/** Lone surrogates are no text: their bytes are those of another. */
function isWellFormed(text: string, bytes: Uint8Array): boolean {
  return text.length === bytes.length || new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text
}
