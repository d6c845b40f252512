/**
 * A dictionary of texts as a part holds it, whose values are made when somebody asks for them all. A hundred thousand users are 8 ms of
 * strings, and who counts them by code, or shows ten of them, needs ten.
 */
import type { Value } from './value.ts'
import type { Dictionary, TextVector, Vector } from './vector.ts'

export class TextDictionary implements Dictionary {
  readonly #offsets: Uint32Array
  readonly #text: Buffer
  readonly #made: (values: readonly string[]) => void
  #values: readonly string[] | null = null

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

  /** Undefined: there is no such code. */
  at(code: number): string | undefined {
    if (this.#values !== null) return this.#values[code]
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
