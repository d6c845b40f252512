/**
 * Reads JSON lines that look like one before: what stands between the values is known, so only the values are read. No object is made and
 * none is flattened. Measured on seeded events of 12 fields: 2.6 µs where `JSON.parse`, flattening and a map took 3.5, and less to collect;
 * appending them takes 3.0 instead of 3.6. Whatever is not plainly such a line (an escape, a number of many digits, another name) is left to `JSON.parse`: this reader
 * says what that says, or nothing, and a property test holds the two together.
 */
import { DIGITS_MAX, POWERS_OF_TEN } from '../decimal.ts'
import { type Template, templateOf } from '../part/rebuilt/template.ts'
import type { Value } from '../value.ts'

/** Escapes, and what no string of JSON may hold. */
const NOT_PLAIN = /[\\\u0000-\u001f]/

/** Is everything in the line what it says it is? Its end may be that of a line of Windows. */
export function isPlain(line: string): boolean {
  return !NOT_PLAIN.test(line.endsWith('\r') ? line.slice(0, -1) : line)
}

const QUOTE = 34
const MINUS = 45
const POINT = 46
const ZERO = 48

export class LineTemplate {
  readonly fields: readonly string[]
  readonly #pieces: readonly string[]

  constructor({ pieces, fields }: Template) {
    this.fields = fields
    this.#pieces = pieces.map(piece => Buffer.from(piece).toString('utf8'))
  }

  /** Null when the line is no object that can be taken apart. */
  static of(line: string): LineTemplate | null {
    const template = templateOf(line)
    return template === null ? null : new LineTemplate(template)
  }

  /** Values in the order of `fields`; null when the line does not look like this. @param line  plain, see `isPlain` */
  read(line: string): Value[] | null {
    const pieces = this.#pieces
    const last = this.fields.length
    const values: Value[] = new Array(last)
    let at = 0
    for (let index = 0; index < last; index++) {
      const piece = pieces[index]!
      if (!line.startsWith(piece, at)) return null
      at += piece.length
      const first = line.charCodeAt(at)
      if (first === QUOTE) {
        const end = line.indexOf('"', at + 1)
        if (end === -1) return null
        values[index] = line.slice(at + 1, end)
        at = end + 1
        continue
      }
      // A plain decimal.
      const isNegative = first === MINUS
      const start = isNegative ? at + 1 : at
      let to = start
      let digits = 0
      let digit = line.charCodeAt(to) - ZERO
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit
        digit = line.charCodeAt(++to) - ZERO
      }
      if (to === start) {
        const word = isNegative ? undefined : wordAt(line, at)
        if (word === undefined) return null
        values[index] = word
        at += String(word).length
        continue
      }
      if (to - start > 1 && line.charCodeAt(start) === ZERO) return null
      let decimals = 0
      if (digit === POINT - ZERO) {
        const point = to
        digit = line.charCodeAt(++to) - ZERO
        while (digit >= 0 && digit <= 9) {
          digits = digits * 10 + digit
          digit = line.charCodeAt(++to) - ZERO
        }
        decimals = to - point - 1
        if (decimals === 0) return null
      }
      // An exponent, if there is one, is no piece of the template: the line is not taken then.
      if (to - start > DIGITS_MAX) return null
      const value = decimals === 0 ? digits : digits / POWERS_OF_TEN[decimals]!
      // There is one zero.
      values[index] = isNegative && value !== 0 ? -value : value
      at = to
    }
    const piece = pieces[last]!
    return line.length === at + piece.length && line.endsWith(piece) ? values : null
  }
}

function wordAt(line: string, at: number): boolean | null | undefined {
  if (line.startsWith('true', at)) return true
  if (line.startsWith('false', at)) return false
  return line.startsWith('null', at) ? null : undefined
}
