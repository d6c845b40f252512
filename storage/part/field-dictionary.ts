/**
 * The dictionary one field has in one part, while the part is written: values keep the code they got first, so blocks share it and
 * it is stored once, at the end. Values are told apart exactly: 0 and -0 are two, and so are equal instants written differently.
 */
import type { Value } from '../value.ts'
import type { Dictionary } from '../vector.ts'
import { ByteSink } from './bytes.ts'
import { writeValue } from './encodings/any.ts'
import { DICTIONARY_VALUES_MAX } from './format.ts'

export class FieldDictionary implements Dictionary {
  readonly values: Value[] = []
  /** Strings by themselves; everything else by its encoded bytes, so that no two maps need to be asked per type. */
  readonly #strings = new Map<string, number>()
  readonly #others = new Map<string | number, number>()
  readonly #translations = new WeakMap<Dictionary, Int32Array>()
  /** Of the first values: the maps are brought up to date when they are asked. */
  #mapped = 0
  /** All values came from it, and it has none twice: what has no code yet is new, and no map need be asked. */
  #only: Dictionary | null = null

  /** The code of `value`, or -1 when it has none yet. */
  find(value: Value): number {
    for (; this.#mapped < this.values.length; this.#mapped++) this.#map(this.values[this.#mapped], this.#mapped)
    if (typeof value === 'string') return this.#strings.get(value) ?? -1
    return this.#others.get(keyOf(value)) ?? -1
  }

  /** Has the value of a code of `dictionary` a code here? Where all values came from that one, no map is made to tell (40 ms of a load's 2.3 s). */
  has(dictionary: Dictionary, code: number): boolean {
    if (this.#only === dictionary) return (this.#translations.get(dictionary)?.[code] ?? -1) >= 0
    return this.find(dictionary.values[code]) >= 0
  }

  /**
   * The codes of `values`, the new ones added; null, and nothing added, when they would be too many for one dictionary.
   * What it returns is as long as `values`.
   */
  add(values: readonly Value[]): Int32Array | null {
    const codes = new Int32Array(values.length)
    const fresh: number[] = []
    for (let index = 0; index < values.length; index++) {
      const code = this.find(values[index])
      if (code === -1) fresh.push(index)
      else codes[index] = code
    }
    if (this.values.length + fresh.length > DICTIONARY_VALUES_MAX) return null
    for (const index of fresh) {
      const value = values[index]
      const known = this.find(value)
      codes[index] = known === -1 ? this.#append(value) : known
    }
    return codes
  }

  #append(value: Value): number {
    this.#only = null
    return this.values.push(value) - 1
  }

  #map(value: Value, code: number): void {
    if (typeof value === 'string') this.#strings.set(value, code)
    else this.#others.set(keyOf(value), code)
  }

  /**
   * Codes of `dictionary` to codes here, for those that `used` has above zero; the rest may be -1. Kept per dictionary object, so that a
   * dictionary shared by many blocks is looked up once. Null when it would not fit.
   */
  translate(dictionary: Dictionary, used: Uint8Array | Uint32Array): Int32Array | null {
    const size = used.length
    let translation = this.#translations.get(dictionary)
    if (translation === undefined || translation.length < size) {
      const grown = new Int32Array(size).fill(-1)
      if (translation !== undefined) grown.set(translation)
      translation = grown
      this.#translations.set(dictionary, translation)
    }
    const wanted = untranslated(used, translation)
    if (this.#isOnly(dictionary)) {
      if (this.values.length + wanted.length > DICTIONARY_VALUES_MAX) return null
      for (const code of wanted) translation[code] = this.values.push(dictionary.values[code]) - 1
      return translation
    }
    const codes = this.add(wanted.map(code => dictionary.values[code]))
    if (codes === null) return null
    for (let index = 0; index < wanted.length; index++) translation[wanted[index]!] = codes[index]!
    return translation
  }

  /** A part of the buffer has one dictionary a field: 90,000 names of its users were put in a map, and never looked up. */
  #isOnly(dictionary: Dictionary): boolean {
    if (this.values.length === 0 && dictionary.isDistinct === true) this.#only = dictionary
    return this.#only === dictionary
  }
}

function untranslated(used: Uint8Array | Uint32Array, translation: Int32Array): number[] {
  const codes: number[] = []
  for (let code = 0; code < used.length; code++) if (used[code] !== 0 && translation[code] === -1) codes.push(code)
  return codes
}

function keyOf(value: Exclude<Value, string>): string | number {
  if (typeof value === 'number' && !Object.is(value, -0)) return value
  const sink = new ByteSink()
  writeValue(sink, value)
  return Buffer.from(sink.finish()).toString('latin1')
}
