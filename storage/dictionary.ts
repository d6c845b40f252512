/**
 * A dictionary of texts as a part holds it, whose values are made when somebody asks for them all. A hundred thousand users are 8 ms of
 * strings, and who counts them by code, or shows ten of them, needs ten.
 */
import type { Value } from './value.ts'
import type { Dictionary, TextVector, Vector } from './vector.ts'

/** When as many as one in so many were made one by one, the others are as well. */
const ASKED_PART = 8

export class TextDictionary implements Dictionary {
  readonly #offsets: Uint32Array
  readonly #text: Buffer
  readonly #made: (values: readonly string[]) => void
  #values: readonly string[] | null = null
  /** Values made one by one. */
  #asked = 0

  /**
   * @param text  no two rows alike, and each has one
   * @param made  is told when all values have been made, as they take memory
   */
  constructor({ bytes, offsets }: TextVector, made: (values: readonly string[]) => void = () => {}) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#offsets = offsets
    this.#made = made
  }

  get size(): number {
    return this.#offsets.length - 1
  }

  get values(): readonly string[] {
    if (this.#values === null) {
      const values = new Array<string>(this.size)
      for (let code = 0; code < values.length; code++)
        values[code] = this.#text.toString('utf8', this.#offsets[code], this.#offsets[code + 1])
      this.#values = values
      this.#made(values)
    }
    return this.#values
  }

  /** All of them, for who is about to ask for so many; null: one by one is less work. */
  valuesFor(count: number): readonly string[] | null {
    return this.#values !== null || (this.#asked + count) * ASKED_PART > this.size ? this.values : null
  }

  /**
   * One value; undefined: there is no such code. Who asks for so many has all of them made: half a million rows of three fields took 57 ms with values
   * that are shared, and 260 with a text for each row.
   */
  at(code: number): string | undefined {
    this.#asked++
    const values = this.valuesFor(0)
    if (values !== null) return values[code]
    return code < this.size ? this.#text.toString('utf8', this.#offsets[code], this.#offsets[code + 1]) : undefined
  }
}

/** How many values it has, none of which is made for that. */
export function sizeOf(dictionary: Dictionary): number {
  return dictionary instanceof TextDictionary ? dictionary.size : dictionary.values.length
}

/** One value, for who wants few. */
export function valueIn(dictionary: Dictionary, code: number): Value {
  return dictionary instanceof TextDictionary ? dictionary.at(code) : dictionary.values[code]
}

/** All values, for who is about to ask for so many; null: `valueIn` is less work. */
export function valuesFor(dictionary: Dictionary, count: number): readonly Value[] | null {
  return dictionary instanceof TextDictionary ? dictionary.valuesFor(count) : dictionary.values
}

/** With so many values for each row, most are of none. */
const VALUES_PER_ROW_MAX = 8

/** The same rows with a dictionary of their own where they are few: what is made of each value, or sent, is then not made of all that the part has. */
export function withOwnValues(vector: Vector): Vector {
  if (vector.kind !== 'dict' || !(vector.dictionary instanceof TextDictionary)) return vector
  const { rowCount, codes, dictionary } = vector
  if (dictionary.size <= VALUES_PER_ROW_MAX * rowCount) return vector
  const ownCodes = new Map<number, number>()
  const values: Value[] = []
  const own = new Uint32Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    const code = codes[row]!
    let known = ownCodes.get(code)
    if (known === undefined) ownCodes.set(code, (known = values.push(dictionary.at(code)) - 1))
    own[row] = known
  }
  return { kind: 'dict', rowCount, codes: own, dictionary: { values } }
}
