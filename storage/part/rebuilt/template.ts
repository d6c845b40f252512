/**
 * The text of a JSON object with its values cut out: `{"a":`, value of a, `,"b":{"c":`, value of b.c, `}}`. Names and white space stay as
 * they were sent; values are those of the fields. Nested objects are flattened as ingest flattens them.
 */

export interface Template {
  /** One more than there are fields: what stands before, between and behind the values. */
  readonly pieces: readonly Uint8Array[]
  readonly fields: readonly string[]
}

/** Values nested deeper than ingest flattens are values of their own. */
const DEPTH_MAX = 64
/** More values than this in one object, and the text is kept as it is. */
const FIELDS_MAX = 5000

/** The template of one JSON object; null when the text is none, or none that can be taken apart. */
export function templateOf(text: string): Template | null {
  const reader = new Reader(text)
  return reader.read() ? { pieces: reader.pieces(), fields: reader.fields } : null
}

const NUMBER_OR_WORD = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const STRING = /"(?:[^"\\]|\\.)*"/sy

class Reader {
  readonly fields: string[] = []
  readonly #text: string
  readonly #cuts: number[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Is the text one object with nothing but white space around it? */
  read(): boolean {
    this.#space()
    if (!this.#object('', 0)) return false
    this.#space()
    return this.#at === this.#text.length
  }

  pieces(): Uint8Array[] {
    const pieces: Uint8Array[] = []
    let from = 0
    for (let cut = 0; cut < this.#cuts.length; cut += 2) {
      pieces.push(Buffer.from(this.#text.slice(from, this.#cuts[cut])))
      from = this.#cuts[cut + 1]!
    }
    pieces.push(Buffer.from(this.#text.slice(from)))
    return pieces
  }

  #object(prefix: string, depth: number): boolean {
    if (!this.#takes('{')) return false
    this.#space()
    if (this.#takes('}')) return true
    do {
      this.#space()
      const name = this.#name()
      if (name === null) return false
      this.#space()
      if (!this.#takes(':')) return false
      this.#space()
      if (!this.#value(prefix === '' ? name : `${prefix}.${name}`, depth)) return false
      this.#space()
    } while (this.#takes(','))
    return this.#takes('}')
  }

  #name(): string | null {
    const literal = this.#match(STRING)
    if (literal === null) return null
    try {
      return JSON.parse(literal) as string
    } catch {
      // Not a string of JSON after all: such a text is kept whole.
      return null
    }
  }

  /** A leaf is cut out; an object with members is gone into, as ingest does. */
  #value(field: string, depth: number): boolean {
    const start = this.#at
    const first = this.#text[start]
    if (first === '{' && depth < DEPTH_MAX) {
      const fields = this.fields.length
      if (!this.#object(field, depth + 1)) return false
      if (this.fields.length > fields) return true
      // An empty object is a value; one with members that all are empty objects would not come here without a field.
      return this.#cut(field, start)
    }
    if (first === '"') return this.#match(STRING) !== null && this.#cut(field, start)
    if (first === '[' || first === '{') return this.#bracketed() && this.#cut(field, start)
    return this.#match(NUMBER_OR_WORD) !== null && this.#cut(field, start)
  }

  #cut(field: string, start: number): boolean {
    this.fields.push(field)
    this.#cuts.push(start, this.#at)
    return this.fields.length <= FIELDS_MAX
  }

  /** Past a bracket that closes the one standing here. Whether what is between makes sense, the comparison with the value tells. */
  #bracketed(): boolean {
    let open = 0
    do {
      const char = this.#text[this.#at]
      if (char === undefined) return false
      if (char === '"') {
        if (this.#match(STRING) === null) return false
        continue
      }
      if (char === '[' || char === '{') open++
      else if (char === ']' || char === '}') open--
      this.#at++
    } while (open > 0)
    return true
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return null
    this.#at = pattern.lastIndex
    return found[0]
  }

  #takes(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      this.#at++
    }
  }
}
