/**
 * Does a text say the value of a column, in JSON, at this place? `render.ts` answers by writing the value; here it is answered by reading the
 * text, so that nothing is copied and no number is formatted. A matcher says yes exactly where the bytes are those a renderer would write (a
 * property test holds the two together); where it cannot tell by reading, it asks the renderer.
 */
import { DIGITS_MAX, POWERS_OF_TEN } from '../../decimal.ts'
import { isWordByte } from '../../tokens.ts'
import { NULL, PRESENT, type TextVector, type Vector } from '../../vector.ts'
import { placesAmong, type ThinColumn } from '../thin.ts'
import type { TokenSet } from '../token-filter.ts'
import { jsonBytesOf, type Renderer, rendererOf } from './render.ts'

/** Answers where the value of `row`, standing at `at`, ends; -1: something else stands there. */
export type Match = (row: number, bytes: Uint8Array, at: number, end: number) => number

/** Adds the tokens of the row's value, which stands in `bytes[start … end)`. */
type AddTokens = (tokens: TokenSet, row: number, bytes: Uint8Array, start: number, end: number) => void

export interface Matcher {
  readonly match: Match
  readonly addTokens: AddTokens
}

const QUOTE = 34
const BACKSLASH = 92
const NULL_TEXT = Buffer.from('null')

/** @param isIndexed  the tokens of the column, which is text, are added without this */
export function matcherOf(column: Vector | ThinColumn, isIndexed: boolean): Matcher {
  return 'kind' in column ? matcherOfRows(column, isIndexed) : matcherOfFew(column, isIndexed)
}

function matcherOfFew({ rows, values }: ThinColumn, isIndexed: boolean): Matcher {
  const placeOf = placesAmong(rows)
  const { match, addTokens } = matcherOfRows(values, isIndexed)
  return {
    match(row, bytes, at, end) {
      const place = placeOf(row)
      return place === -1 ? -1 : match(place, bytes, at, end)
    },
    addTokens: (tokens, row, bytes, start, end) => addTokens(tokens, placeOf(row), bytes, start, end),
  }
}

function matcherOfRows(vector: Vector, isIndexed: boolean): Matcher {
  switch (vector.kind) {
    case 'const': {
      const text = jsonBytesOf(vector.value)
      let isAdded = false
      return {
        match: (_, bytes, at, end) => (text === null ? -1 : endOfBytes(text, bytes, at, end)),
        addTokens(tokens, _, bytes, start, end) {
          if (!isAdded) tokens.addText(bytes, start, end)
          isAdded = true
        },
      }
    }
    case 'dict': {
      const { codes, dictionary } = vector
      const texts = new Array<Uint8Array | null | undefined>(dictionary.values.length)
      const isAdded = new Uint8Array(dictionary.values.length)
      return {
        match(row, bytes, at, end) {
          const code = codes[row]!
          let text = texts[code]
          if (text === undefined) text = texts[code] = jsonBytesOf(dictionary.values[code])
          return text === null ? -1 : endOfBytes(text, bytes, at, end)
        },
        // Once for each value that occurs.
        addTokens(tokens, row, bytes, start, end) {
          const code = codes[row]!
          if (isAdded[code] === 0) tokens.addText(bytes, start, end)
          isAdded[code] = 1
        },
      }
    }
    case 'text':
      return textMatcher(vector, isIndexed)
    case 'number': {
      const { values, presence } = vector
      const byRendering = matchByRendering(rendererOf(vector))
      return {
        match(row, bytes, at, end) {
          if (presence !== null && presence[row] !== PRESENT) return byRendering(row, bytes, at, end)
          const to = endOfNumber(values[row]!, bytes, at, end)
          return to === UNDECIDED ? byRendering(row, bytes, at, end) : to
        },
        addTokens: addTextOf,
      }
    }
    default:
      return { match: matchByRendering(rendererOf(vector)), addTokens: addTextOf }
  }
}

const addTextOf: AddTokens = (tokens, _, bytes, start, end) => tokens.addText(bytes, start, end)

function endOfBytes(text: Uint8Array, bytes: Uint8Array, at: number, end: number): number {
  const { length } = text
  if (at + length > end) return -1
  for (let index = 0; index < length; index++) if (text[index] !== bytes[at + index]) return -1
  return at + length
}

function textMatcher(vector: TextVector, isIndexed: boolean): Matcher {
  const { bytes: own, offsets, presence } = vector
  const byRendering = matchByRendering(rendererOf(vector))
  return {
    match(row, bytes, at, end) {
      if (presence !== null && presence[row] !== PRESENT)
        return presence[row] === NULL ? endOfBytes(NULL_TEXT, bytes, at, end) : -1
      const start = offsets[row]!
      const length = offsets[row + 1]! - start
      const last = at + length + 1
      // Escapes only make a text longer.
      if (last >= end || bytes[at] !== QUOTE) return -1
      for (let index = 0; index < length; index++) {
        const byte = own[start + index]!
        if (byte < 32 || byte === QUOTE || byte === BACKSLASH) return byRendering(row, bytes, at, end)
        if (bytes[at + 1 + index] !== byte) return -1
      }
      return bytes[last] === QUOTE ? last + 1 : -1
    },
    addTokens: isIndexed
      ? (tokens, row, bytes, start, end) => {
          // An escape cuts what it stands in: `a\nb` has other tokens here than in the field.
          const isAsItIs = presence === null || presence[row] === PRESENT
          if (!isAsItIs || offsets[row + 1]! - offsets[row]! !== end - start - 2) tokens.addText(bytes, start, end)
        }
      : addTextOf,
  }
}

/** The plain way: the value is written, and compared. */
export function matchByRendering(render: Renderer): Match {
  let scratch = new Uint8Array(256)
  return (row, bytes, at, end) => {
    // A value is never longer than the text it stands in, and a number takes at most 32 bytes.
    if (scratch.length < end - at + 64) scratch = new Uint8Array(2 * (end - at) + 64)
    const length = render(row, scratch, 0)
    if (length < 0 || at + length > end) return -1
    for (let index = 0; index < length; index++) if (scratch[index] !== bytes[at + index]) return -1
    return at + length
  }
}

/** The text may say the number in a way that only formatting it decides. */
const UNDECIDED = -2
const ZERO = 48
const MINUS = 45
const POINT = 46

/**
 * Is `value` what stands at `at`, as `String` would write it? Decided for plain decimals of at most 15 digits without a zero too many: their
 * digits over a power of ten, both exact, round to the double nearest to the decimal.
 */
function endOfNumber(value: number, bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = at < end && bytes[at] === MINUS
  if (isNegative) at++
  const first = at
  let digits = 0
  let digit = 0
  for (; at < end; at++) {
    digit = bytes[at]! - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    if (at - first >= DIGITS_MAX) return UNDECIDED
    digits = digits * 10 + digit
  }
  // No digit, or a zero too many in front.
  if (at === first || (bytes[first] === ZERO && at - first > 1)) return UNDECIDED
  let decimals = 0
  if (at < end && bytes[at] === POINT) {
    const point = at
    for (at++; at < end; at++) {
      digit = bytes[at]! - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      if (at - first > DIGITS_MAX) return UNDECIDED
      digits = digits * 10 + digit
    }
    decimals = at - point - 1
    if (decimals === 0 || bytes[at - 1] === ZERO) return UNDECIDED
  }
  // An exponent behind it, or more of a word: `1` is not what stands in `1e5`.
  if (at < end && isWordByte[bytes[at]!] !== 0) return UNDECIDED
  // Zero has its sign to be asked for, and what is smaller than this is written with an exponent.
  const said = digits / POWERS_OF_TEN[decimals]!
  if (said < 1e-6) return UNDECIDED
  return (isNegative ? -said : said) === value ? at : UNDECIDED
}
