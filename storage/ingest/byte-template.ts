/** The text of a JSON line without its values, as bytes, and a reader of lines that have just this text between theirs. */
import { DIGITS_MAX, POWERS_OF_TEN } from '../decimal.ts'
import type { Value } from '../value.ts'
import { TextCache } from './text-cache.ts'

const QUOTE = 34
const BACKSLASH = 92
const SPACE = 32
const MINUS = 45
const POINT = 46
const ZERO = 48

const WORDS: readonly (readonly [Buffer, boolean | null])[] = [
  [Buffer.from('true'), true],
  [Buffer.from('false'), false],
  [Buffer.from('null'), null],
]

/** Of what kind the value at a place is. */
const TEXT = 1
const OTHER = 2

export class ByteTemplate {
  /** All pieces one behind the other, and where each begins; the last one ends the line. */
  readonly #pieces: Uint8Array
  readonly #pieceStarts: Int32Array
  readonly #pieceView: DataView
  readonly #places: readonly number[]
  /** By place: is it of interest? */
  readonly #isWanted: Uint8Array
  readonly #kinds: Uint8Array
  /** Of texts: where their bytes lie, and a hash of them. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #hashes: Int32Array
  readonly #others: Value[]
  readonly #caches: (TextCache | null)[]
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))

  /**
   * @param pieces  one more than the line has values
   * @param places  of the values to read, in the order in which they are asked for
   * @param more  further places of which the value may be asked
   */
  constructor(pieces: readonly Uint8Array[], places: readonly number[], more: readonly number[]) {
    const count = pieces.length - 1
    this.#pieces = Uint8Array.from(Buffer.concat(pieces))
    this.#pieceView = new DataView(this.#pieces.buffer)
    this.#pieceStarts = new Int32Array(count + 2)
    for (const [index, piece] of pieces.entries()) {
      this.#pieceStarts[index + 1] = this.#pieceStarts[index]! + piece.length
    }
    this.#places = places
    this.#isWanted = new Uint8Array(count)
    for (const place of [...places, ...more]) this.#isWanted[place] = 1
    this.#kinds = new Uint8Array(count)
    this.#starts = new Int32Array(count)
    this.#ends = new Int32Array(count)
    this.#hashes = new Int32Array(count)
    this.#others = new Array<Value>(count).fill(null)
    this.#caches = places.length === 0 ? [] : Array.from({ length: count }, () => null)
    for (const place of places) this.#caches[place] = new TextCache()
  }

  /** Where the line's text ends that begins at `at`; -1 when it is not this template's. Its values can be asked until the next is read. */
  read(bytes: Buffer, from: number, end: number): number {
    const pieces = this.#pieces
    const pieceStarts = this.#pieceStarts
    const isWanted = this.#isWanted
    const count = isWanted.length
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    const view = this.#view
    const pieceView = this.#pieceView
    // Four bytes can be read from here at least.
    const lastWord = bytes.length - 4
    let at = from
    for (let place = 0; ; place++) {
      const pieceEnd = pieceStarts[place + 1]!
      let piece = pieceStarts[place]!
      for (; piece + 4 <= pieceEnd && at <= lastWord; piece += 4, at += 4) {
        if (view.getInt32(at, true) !== pieceView.getInt32(piece, true)) return -1
      }
      for (; piece < pieceEnd; piece++) if (bytes[at++] !== pieces[piece]) return -1
      if (place === count) return at <= end ? at : -1
      const first = bytes[at]!
      let byte = first
      if (first === QUOTE) {
        const start = ++at
        if (isWanted[place] === 0) {
          while (at <= lastWord && isAllPlain(view.getInt32(at, true))) at += 4
          byte = bytes[at]!
          // What no plain string holds ends the loop, and so does what is not there.
          while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) byte = bytes[++at]!
        } else {
          let hash = 0
          byte = bytes[at]!
          while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) {
            hash = (Math.imul(hash, 31) + byte) | 0
            byte = bytes[++at]!
          }
          this.#kinds[place] = TEXT
          this.#starts[place] = start
          this.#ends[place] = at
          this.#hashes[place] = hash
        }
        if (byte !== QUOTE) return -1
        at++
        continue
      }
      const isNegative = first === MINUS
      const start = isNegative ? at + 1 : at
      let to = start
      let digits = 0
      let digit = bytes[to]! - ZERO
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit
        digit = bytes[++to]! - ZERO
      }
      if (to === start) {
        const word = isNegative ? undefined : WORDS.find(([letters]) => startsWith(bytes, at, letters))
        if (word === undefined) return -1
        this.#kinds[place] = OTHER
        this.#others[place] = word[1]
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
      if (to - start > DIGITS_MAX) return -1
      if (isWanted[place] === 1) {
        const value = decimals === 0 ? digits : digits / POWERS_OF_TEN[decimals]!
        this.#kinds[place] = OTHER
        // There is one zero.
        this.#others[place] = isNegative && value !== 0 ? -value : value
      }
      at = to
    }
  }

  /** The values of the line that was read last, in the order of `places`. */
  values(): Value[] {
    const places = this.#places
    const values = new Array<Value>(places.length)
    for (let index = 0; index < places.length; index++) values[index] = this.valueAt(places[index]!)
    return values
  }

  valueAt(place: number): Value {
    if (this.#kinds[place] === OTHER) return this.#others[place]
    const start = this.#starts[place]!
    const end = this.#ends[place]!
    return (
      this.#caches[place]?.get(this.#bytes, start, end, this.#hashes[place]!) ??
      this.#bytes.toString('utf8', start, end)
    )
  }
}

/** Of four bytes: is none a quote, a backslash or a control character? A byte behind one of those may be taken for one. */
function isAllPlain(word: number): boolean {
  const quote = word ^ 0x22222222
  const backslash = word ^ 0x5c5c5c5c
  const isNone =
    ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word)
  return (isNone & 0x80808080) === 0
}

function startsWith(bytes: Buffer, at: number, letters: Buffer): boolean {
  for (let index = 0; index < letters.length; index++) if (bytes[at + index] !== letters[index]) return false
  return true
}
