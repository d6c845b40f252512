/** The text of a JSON line without its values, as bytes, and a reader of lines that have just this text between theirs. */
import { DIGITS_MAX, POWERS_OF_TEN } from '../decimal.ts'
import { integerOf } from './json.ts'
import { ESCAPED, FALSE, LITERAL, type LineCells, NULL, NUMBER, TEXT, TRUE } from './line-cells.ts'
import { endOfPlainArray, IS_SHORT_ESCAPE } from './plain-array.ts'

const QUOTE = 34
const BACKSLASH = 92
const SPACE = 32
const MINUS = 45
const POINT = 46
const ZERO = 48
const BRACKET = 91

const WORDS: readonly (readonly [Buffer, number])[] = [
  [Buffer.from('true'), TRUE],
  [Buffer.from('false'), FALSE],
  [Buffer.from('null'), NULL],
]

/** What is wanted of the value at a place. */
export const SKIPPED = 0
export const READ = 1
/** And if it is a text, a hash of it. */
export const HASHED = 2

/** The smallest number that `String` writes without an exponent. */
const PLAIN_MIN = 1e-6

export class ByteTemplate {
  /** All pieces one behind the other, and where each begins; the last one ends the line. */
  readonly #pieces: Uint8Array
  readonly #pieceStarts: Int32Array
  readonly #pieceView: DataView
  readonly #wanted: Uint8Array
  readonly #takesOdd: boolean
  /** Of the line that was read last: does every number that is wanted stand there as `String` would write it? */
  isCanonical = true
  /** … and are all its values ASCII? */
  isAscii = true
  /** … and has one of its texts an escape? */
  isEscaped = false

  /**
   * @param pieces  one more than the line has values
   * @param wanted  for each of them
   * @param takesOdd  are values taken that are none of the plain kinds: `ESCAPED`, `LITERAL`?
   */
  constructor(pieces: readonly Uint8Array[], wanted: Uint8Array, takesOdd = false) {
    this.#takesOdd = takesOdd
    const count = pieces.length - 1
    this.#pieces = Uint8Array.from(Buffer.concat(pieces))
    this.#pieceView = new DataView(this.#pieces.buffer)
    this.#pieceStarts = new Int32Array(count + 2)
    for (const [index, piece] of pieces.entries()) {
      this.#pieceStarts[index + 1] = this.#pieceStarts[index]! + piece.length
    }
    this.#wanted = wanted
  }

  /**
   * Where the line's text ends that begins at `from`; -1 when it is not this template's.
   *
   * @param cells  gets its values, from `first` on
   */
  read(bytes: Buffer, from: number, end: number, cells: LineCells, first: number): number {
    const pieces = this.#pieces
    const pieceStarts = this.#pieceStarts
    const wanted = this.#wanted
    const takesOdd = this.#takesOdd
    const count = wanted.length
    const view = cells.viewOf(bytes)
    const pieceView = this.#pieceView
    const { kinds, starts, ends } = cells
    // Four bytes can be read from here at least.
    const lastWord = bytes.length - 4
    let at = from
    let isCanonical = true
    let isEscaped = false
    let seen = 0
    for (let place = 0; ; place++) {
      const pieceEnd = pieceStarts[place + 1]!
      let piece = pieceStarts[place]!
      for (; piece + 4 <= pieceEnd && at <= lastWord; piece += 4, at += 4) {
        if (view.getInt32(at, true) !== pieceView.getInt32(piece, true)) return -1
      }
      for (; piece < pieceEnd; piece++) if (bytes[at++] !== pieces[piece]) return -1
      if (place === count) {
        this.isCanonical = isCanonical
        this.isEscaped = isEscaped
        this.isAscii = (seen & 0x80808080) === 0
        return at <= end ? at : -1
      }
      const head = bytes[at]!
      let byte = head
      if (head === QUOTE) {
        const start = ++at
        let kind = TEXT
        if (wanted[place] !== HASHED) {
          for (;;) {
            let odd = 0
            while (at <= lastWord) {
              const word = view.getInt32(at, true)
              odd = oddBytes(word)
              if (odd !== 0) {
                // The first of them is one in truth.
                const bits = 31 - Math.clz32(odd & -odd)
                at += bits >>> 3
                seen |= word & ((1 << (bits & 24)) - 1)
                break
              }
              seen |= word
              at += 4
            }
            byte = bytes[at]!
            // What no plain string holds ends the loop, and so does what is not there.
            while (odd === 0 && byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) {
              seen |= byte
              byte = bytes[++at]!
            }
            if (byte !== BACKSLASH || !takesOdd || IS_SHORT_ESCAPE[bytes[at + 1]!] !== 1) break
            kind = ESCAPED
            isEscaped = true
            at += 2
          }
        } else {
          let hash = 0
          byte = bytes[at]!
          while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) {
            hash = (Math.imul(hash, 31) + byte) | 0
            seen |= byte
            byte = bytes[++at]!
          }
          cells.hashes[first + place] = hash
        }
        if (byte !== QUOTE) return -1
        kinds[first + place] = kind
        starts[first + place] = start
        ends[first + place] = at
        at++
        continue
      }
      const isNegative = head === MINUS
      const start = isNegative ? at + 1 : at
      let to = start
      let digits = 0
      let digit = bytes[to]! - ZERO
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit
        digit = bytes[++to]! - ZERO
      }
      if (to === start) {
        if (head === BRACKET && takesOdd) {
          const arrayEnd = endOfPlainArray(bytes, at, end)
          if (arrayEnd < 0) return -1
          for (; to < arrayEnd; to++) seen |= bytes[to]!
          kinds[first + place] = LITERAL
          starts[first + place] = at
          ends[first + place] = arrayEnd
          at = arrayEnd
          continue
        }
        const word = isNegative ? undefined : WORDS.find(([letters]) => startsWith(bytes, at, letters))
        if (word === undefined) return -1
        kinds[first + place] = word[1]
        at += word[0].length
        continue
      }
      if (to - start > 1 && bytes[start] === ZERO) return -1
      let decimals = 0
      if (digit === POINT - ZERO) {
        const point = to
        digit = bytes[++to]! - ZERO
        while (digit >= 0 && digit <= 9) {
          digits = digits * 10 + digit
          digit = bytes[++to]! - ZERO
        }
        decimals = to - point - 1
        if (decimals === 0) return -1
      }
      if (to - start > DIGITS_MAX) {
        if (!takesOdd || decimals > 0) return -1
        const literal = bytes.toString('latin1', at, to)
        if (String(integerOf(literal)) !== literal) isCanonical = false
        kinds[first + place] = LITERAL
        starts[first + place] = at
        ends[first + place] = to
        at = to
        continue
      }
      if (wanted[place] !== SKIPPED) {
        const value = decimals === 0 ? digits : digits / POWERS_OF_TEN[decimals]!
        if (decimals === 0 ? isNegative && digits === 0 : bytes[to - 1] === ZERO || value < PLAIN_MIN)
          isCanonical = false
        kinds[first + place] = NUMBER
        // There is one zero.
        cells.numbers[first + place] = isNegative && value !== 0 ? -value : value
      }
      at = to
    }
  }
}

/** Of four bytes, the highest bit of each that is a quote, a backslash or a control character; a byte behind one of those may be taken for one. */
function oddBytes(word: number): number {
  const quote = word ^ 0x22222222
  const backslash = word ^ 0x5c5c5c5c
  const odd = ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word)
  return odd & 0x80808080
}

function startsWith(bytes: Buffer, at: number, letters: Buffer): boolean {
  for (let index = 0; index < letters.length; index++) if (bytes[at + index] !== letters[index]) return false
  return true
}
