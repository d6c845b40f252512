/**
 * A text looked for in texts that are held as pieces, without putting them together: what a piece does to a search that has begun nowhere is
 * known once for each piece, and nearly all of them do nothing. So a row is a few look-ups, where its text is a hundred bytes; and
 * pieces take a fifth of the memory of their text, so that ten times as many rows stay in it.
 *
 * The search is a set of bits, one for each beginning of the needle that the bytes so far end with. A piece may stand for the value of a field:
 * its bytes are not read. What they may be made of bounds the bits it can leave; where one of those turns out to matter, the row's own text
 * has to be asked.
 */
import { LITERAL, ROW_END, ROWS_APART } from '../../storage/part/woven/code.ts'
import type { Value } from '../../storage/value.ts'
import { PRESENT, type ReferredValues, type TextPieces } from '../../storage/vector.ts'
import type { Needle } from './byte-search.ts'
import { Lru } from './lru.ts'
import { SELECT_HELPERS } from './select-codes.ts'

/** What is looked for, a set of bytes at each place; so many of them. */
export interface PieceNeedle {
  /** By byte, a bit for each place where it may stand. */
  readonly steps: Int32Array
  readonly length: number
  /** A text begins, or ends, with what may stand at the first place, or the last. */
  readonly beginsWithText: boolean
  readonly endsWithText: boolean
  /** False: there is more of it, and who has this may not have that. */
  readonly isWhole: boolean
  /** Bytes beyond ASCII may decide, which are not looked at here. */
  readonly isAsciiOnly: boolean
  /** What tells it from others. */
  readonly key: string
}

/** One bit is the sign. */
const PLACES_MAX = 31
const BEYOND_ASCII = 128

export interface NeedleEdges {
  /** By byte 1 where it may stand before the needle, as the beginning of a text may; null: anything may. */
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** @param needle  not empty */
export function pieceNeedle(
  { bytes, masks }: Needle,
  isAsciiOnly: boolean,
  { before, after }: NeedleEdges,
): PieceNeedle {
  const steps = new Int32Array(256)
  const edges = (before === null ? 0 : 1) + (after === null ? 0 : 1)
  const isWhole = bytes.length + edges <= PLACES_MAX
  let place = 0
  const allow = (isAllowed: (byte: number) => boolean): void => {
    for (let byte = 0; byte < 256; byte++) if (isAllowed(byte)) steps[byte]! |= 1 << place
    place++
  }
  if (before !== null) allow(byte => before[byte] === 1)
  for (let at = 0; at < bytes.length && place < PLACES_MAX; at++) allow(byte => (byte | masks[at]!) === bytes[at])
  if (isWhole && after !== null) allow(byte => after[byte] === 1)
  return {
    steps,
    length: place,
    beginsWithText: before !== null,
    endsWithText: isWhole && after !== null,
    isWhole,
    isAsciiOnly: isAsciiOnly || edges > 0,
    key: `${edges}${before === null} ${bytes.join()} ${masks.join()}`,
  }
}

/** What rows are marked with: as they were, it is there, only the row's own text can tell. */
export interface Marks {
  readonly yes: number
  readonly ask: number
}

/** What a code is, by its first byte, where it is heard: a search may begin in it, or there is more of it. 0: neither. */
const TEXT = 1
const ENTRY = 2
const ENTRY_OF_TWO = 3

/** Of a literal's length: a chunk has fewer bytes. */
const LENGTH_BITS = 28
const HEARD_AT_ONCE = 4096

const NOWHERE: ReadonlySet<string> = new Set()

export class PieceSearch {
  readonly #pieces: TextPieces
  readonly #needle: PieceNeedle
  readonly #elsewhere: ReadonlySet<string>
  /** The bit of the last place. */
  readonly #accept: number
  /** What a search is where a text begins. */
  readonly #begun: number
  /** What literals are made of can be no part of a needle. */
  readonly #isSilentLiteral: boolean
  /** By the first byte of a code. */
  readonly #codes = new Uint8Array(256)
  /** How far it is in the codes and in the literals, and what the search is there. */
  #next = 0
  #literal = 0
  #certain = 0
  #possible = 0
  /** By entry, what it leaves of a search that has begun nowhere: the bits at its end, and the last place where it holds the needle. */
  readonly #left: Int32Array
  /** By entry of a field: the bits of every byte that its values are made of. */
  readonly #madeOf: Int32Array
  readonly #isField: Uint8Array
  readonly #values: (readonly Value[] | null)[]
  readonly #known: (Map<number, number> | undefined)[] = []

  private constructor(pieces: TextPieces, needle: PieceNeedle, elsewhere: ReadonlySet<string>) {
    const count = pieces.fields.length
    this.#pieces = pieces
    this.#needle = needle
    this.#elsewhere = elsewhere
    this.#accept = 1 << (needle.length - 1)
    this.#begun = needle.beginsWithText ? 1 : 0
    this.#isSilentLiteral = everyAfter(-1, bitsOf(bytesAmong(pieces.literals), needle)) === 0
    this.#left = new Int32Array(count)
    this.#madeOf = new Int32Array(count)
    this.#isField = Uint8Array.from(pieces.fields, field => (field === null ? 0 : 1))
    this.#values = new Array(count).fill(null)
  }

  /** Null: pieces do not tell. @param elsewhere  fields whose values somebody else looks at: what stands within one is not looked for */
  static of(pieces: TextPieces, needle: PieceNeedle, elsewhere: ReadonlySet<string> = NOWHERE): PieceSearch | null {
    if (needle.isAsciiOnly && hasBeyondAscii(pieces)) return null
    const search = new PieceSearch(pieces, needle, elsewhere)
    return search.#learn() ? search : null
  }

  #learn(): boolean {
    const { fields, shortCodes } = this.#pieces
    for (const [entry, field] of fields.entries()) {
      if (field !== null && !this.#learnField(entry, field)) return false
      this.#left[entry] = this.#of(entry, 0)
      const code = entry + 1
      if (code > shortCodes) continue
      // Of a code that leaves nothing of nothing it is enough to know when there is something.
      const isSilent = this.#left[entry] === 0 && (this.#begun === 0 || this.#of(entry, this.#begun) === 0)
      this.#codes[code] = isSilent ? 0 : ENTRY
    }
    this.#codes.fill(ENTRY_OF_TWO, shortCodes + 1, LITERAL)
    this.#codes[LITERAL] = TEXT
    return true
  }

  #learnField(entry: number, field: string): boolean {
    const known = this.#pieces.valuesOf(field)
    const bytes = bytesIn(known)
    if (bytes === null || (this.#needle.isAsciiOnly && bytes[BEYOND_ASCII] === 1)) return false
    this.#madeOf[entry] = bitsOf(bytes, this.#needle)
    this.#values[entry] = known.values
    return true
  }

  /** What an entry leaves of a search: the bits at its end, and the last place where the needle ends in it. */
  #of(entry: number, state: number): number {
    const { entryBytes, entryStarts, fields } = this.#pieces
    if (fields[entry] !== null) return this.#after(entry, state)
    const { steps } = this.#needle
    let left = state
    let found = 0
    for (let at = entryStarts[entry]!; at < entryStarts[entry + 1]!; at++) {
      left = ((left << 1) | 1) & steps[entryBytes[at]!]!
      found |= left
    }
    return left | (found & this.#accept)
  }

  /** What any value of a field may make of a search; asked for each once. */
  #after(entry: number, state: number): number {
    const known = (this.#known[entry] ??= new Map())
    let after = known.get(state)
    if (after === undefined) {
      after = everyAfter(state, this.#madeOf[entry]!)
      const values = this.#values[entry]!
      // Their bytes say less than they do themselves.
      if (values !== null && after !== 0) after = leftBy(values, this.#needle, state)
      if (state === 0 && this.#elsewhere.has(this.#pieces.fields[entry]!)) after &= ~this.#accept
      known.set(state, after)
    }
    return after
  }

  /** Marks the rows that have it, and those of which only their own text can tell. @param presence  of the texts */
  mark(rows: Uint8Array, presence: Uint8Array | null, { yes, ask }: Marks): void {
    const marks = { yes: this.#needle.isWhole ? yes : ask, ask }
    const { codes } = this.#pieces
    const isHeard = this.#codes.map(kind => (kind === 0 ? 0 : 1))
    const heard = placesOf(codes, isHeard)
    const rowMarks = new RowMarks(this.#pieces, rows, presence)
    this.#next = 0
    this.#literal = 0
    this.#certain = this.#begun
    this.#possible = this.#certain
    for (let from = 0; from < heard.length; from += HEARD_AT_ONCE) {
      this.#follow(heard, from, Math.min(heard.length, from + HEARD_AT_ONCE), rowMarks, marks)
    }
    this.#cross(this.#next, codes.length, this.#certain, this.#possible, rowMarks, marks)
  }

  /** Some of the codes: V8 makes a function quick that is called often, not one that loops for long. */
  #follow(heard: Uint32Array, begin: number, end: number, rows: RowMarks, marks: Marks): void {
    const { codes, literals, shortCodes, entryBytes, entryStarts } = this.#pieces
    const isField = this.#isField
    const { steps } = this.#needle
    const kinds = this.#codes
    const lefts = this.#left
    const accept = this.#accept
    const isSilentLiteral = this.#isSilentLiteral
    const begun = this.#begun
    let next = this.#next
    let literal = this.#literal
    // What is certain, and everything that is possible where the value of a field came before.
    let certain = this.#certain
    let possible = this.#possible
    for (let at = begin; at < end; at++) {
      const place = heard[at]!
      // What stands behind a code may look like one.
      if (place < next) continue
      if (place > next) {
        if ((certain | possible) !== 0) next = this.#cross(next, place, certain, possible, rows, marks)
        if (next === place) {
          certain = this.#certain
          possible = this.#possible
        } else {
          certain = begun !== 0 && codes[place - 1] === ROW_END ? begun : 0
          possible = certain
        }
      }
      next = place + 1
      const code = codes[place]!
      let found = 0
      let maybe = 0
      let bytes = entryBytes
      let from = 0
      let to = 0
      if (kinds[code] === TEXT) {
        let length = codes[next++]!
        if (length >= 0x80) {
          length &= 0x7f
          let byte = 0x80
          for (let shift = 7; byte >= 0x80 && shift < LENGTH_BITS; shift += 7) {
            byte = codes[next++]!
            length |= (byte & 0x7f) << shift
          }
        }
        from = literal
        literal += length
        if (isSilentLiteral) {
          certain = 0
          possible = 0
          continue
        }
        bytes = literals
        to = literal
      } else {
        const entry = code <= shortCodes ? code - 1 : shortCodes + (code - 1 - shortCodes) * 256 + codes[next++]!
        if (isField[entry] === 1) {
          possible = possible === 0 ? lefts[entry]! : this.#after(entry, possible)
          certain = 0
          if ((possible & accept) !== 0) rows.mark(place, marks, false)
          continue
        }
        if ((certain | possible) === 0) {
          certain = lefts[entry]!
          possible = certain
          if ((certain & accept) !== 0) rows.mark(place, marks, true)
          continue
        }
        from = entryStarts[entry]!
        to = entryStarts[entry + 1]!
      }
      if (possible === certain) {
        for (let byte = from; byte < to; byte++) {
          certain = ((certain << 1) | 1) & steps[bytes[byte]!]!
          found |= certain
        }
        possible = certain
      } else {
        for (let byte = from; byte < to; byte++) {
          const step = steps[bytes[byte]!]!
          certain = ((certain << 1) | 1) & step
          possible = ((possible << 1) | 1) & step
          found |= certain
          maybe |= possible
        }
      }
      if (((found | maybe) & accept) !== 0) rows.mark(place, marks, (found & accept) !== 0)
    }
    this.#next = next
    this.#literal = literal
    this.#certain = certain
    this.#possible = possible
  }

  /** Goes on with a search over codes that nobody listens to: to where it is over, or to `end`. */
  #cross(from: number, end: number, certain: number, possible: number, rows: RowMarks, marks: Marks): number {
    const { codes, fields } = this.#pieces
    const accept = this.#accept
    const { endsWithText } = this.#needle
    let next = from
    this.#certain = certain
    this.#possible = possible
    while (next < end && (this.#certain | this.#possible) !== 0) {
      const place = next++
      const code = codes[place]!
      if (code === ROW_END) {
        if (endsWithText && (((this.#possible << 1) | 1) & accept) !== 0)
          rows.mark(place, marks, (((this.#certain << 1) | 1) & accept) !== 0)
        // A silent code is so at the beginning of a row as well.
        this.#certain = next === end ? this.#begun : 0
        this.#possible = this.#certain
        continue
      }
      const isField = fields[code - 1] !== null
      this.#possible = this.#of(code - 1, this.#possible)
      this.#certain = isField ? 0 : this.#of(code - 1, this.#certain)
      if ((this.#possible & accept) !== 0) rows.mark(place, marks, (this.#certain & accept) !== 0)
    }
    return next
  }
}

/** The rows of places in the codes, which come in order. */
class RowMarks {
  readonly #rows: Uint8Array
  readonly #presence: Uint8Array | null
  readonly #codes: Uint8Array
  readonly #shortCodes: number
  readonly #starts: Uint32Array
  #row = 0
  /** Where the row ends. */
  #end = -1

  constructor(pieces: TextPieces, rows: Uint8Array, presence: Uint8Array | null) {
    this.#rows = rows
    this.#presence = presence
    this.#codes = pieces.codes
    this.#shortCodes = pieces.shortCodes
    this.#starts = pieces.rowStarts()
  }

  /** @param isCertain  no longer asked */
  mark(place: number, { yes, ask }: Marks, isCertain: boolean): void {
    if (place > this.#end) this.#find(place)
    if (isCertain) this.#rows[this.#row] = yes
    else if (this.#rows[this.#row] !== yes) this.#rows[this.#row] = ask
  }

  #find(place: number): void {
    const starts = this.#starts
    let low = Math.floor(this.#row / ROWS_APART)
    let step = 1
    while (low + step < starts.length && starts[low + step]! <= place) {
      low += step
      step *= 2
    }
    let high = Math.min(starts.length - 1, low + step)
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (starts[middle]! <= place) low = middle
      else high = middle - 1
    }
    const codes = this.#codes
    let row = low * ROWS_APART
    let next = starts[low]!
    for (; ; row++) {
      if (this.#presence !== null && this.#presence[row] !== PRESENT) continue
      for (let code = codes[next++]!; code !== ROW_END; code = codes[next++]!) {
        if (code === LITERAL) while (codes[next++]! >= 0x80);
        else if (code > this.#shortCodes) next++
      }
      if (place < next) break
    }
    this.#row = row
    this.#end = next - 1
  }
}

/** Every search that a value of such bytes may make of one. */
function everyAfter(state: number, madeOf: number): number {
  let all = ((state << 1) | 1) & madeOf
  for (;;) {
    const more = all | (((all << 1) | 1) & madeOf)
    if (more === all) return all
    all = more
  }
}

function bitsOf(bytes: Uint8Array, { steps }: PieceNeedle): number {
  let bits = 0
  for (let byte = 0; byte < 256; byte++) if (bytes[byte] === 1) bits |= steps[byte]!
  return bits
}

const madeOf = new WeakMap<Uint8Array, Uint8Array>()

/** By byte 1 where it stands among them; found out once. */
function bytesAmong(all: Uint8Array): Uint8Array {
  let bytes = madeOf.get(all)
  if (bytes === undefined) {
    bytes = new Uint8Array(256)
    for (let at = 0; at < all.length; at++) bytes[all[at]!] = 1
    madeOf.set(all, bytes)
  }
  return bytes
}

function hasBeyondAscii({ entryBytes, literals }: TextPieces): boolean {
  return [entryBytes, literals].some(each => bytesAmong(each).includes(1, BEYOND_ASCII))
}

const NUMBERS = bytesOfTexts(['0123456789+-.eE'])
const HEX_DIGITS = bytesOfTexts(['0123456789abcdef'])
const madeOfValues = new WeakMap<readonly Value[], Uint8Array>()

/** By byte 1 where it may stand in a value; one beyond ASCII stands for all of them. Null: any may. */
function bytesIn({ values, madeOf }: ReferredValues): Uint8Array | null {
  if (values === null) return madeOf === 'hex digits' ? HEX_DIGITS : madeOf === 'numbers' ? NUMBERS : null
  let bytes = madeOfValues.get(values)
  if (bytes === undefined) madeOfValues.set(values, (bytes = bytesOfTexts(textsOf(values))))
  return bytes
}

/** Of what may be referred to: texts and numbers. */
function* textsOf(values: readonly Value[]): Generator<string> {
  for (const value of values) {
    if (typeof value === 'string') yield value
    else if (typeof value === 'number') yield String(value)
  }
}

function bytesOfTexts(texts: Iterable<string>): Uint8Array {
  const bytes = new Uint8Array(256)
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit < BEYOND_ASCII) bytes[unit] = 1
      else bytes.fill(1, BEYOND_ASCII)
    }
  }
  return bytes
}

/** Answers kept for each dictionary. */
const LEFT_MAX = 64
const leftOf = new WeakMap<readonly Value[], Lru<string, number>>()

/** What any of the values leaves of a search; the last place is among it where the needle ends in one of them. */
function leftBy(values: readonly Value[], needle: PieceNeedle, before: number): number {
  let known = leftOf.get(values)
  if (known === undefined) leftOf.set(values, (known = new Lru(LEFT_MAX)))
  return known.getOrMake(`${before} ${needle.key}`, () => leftByEach(values, needle, before))
}

function leftByEach(values: readonly Value[], { steps, length }: PieceNeedle, before: number): number {
  const accept = 1 << (length - 1)
  let left = 0
  for (const text of textsOf(values)) {
    let state = before
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      // What the bytes of other characters leave is for the row's own text.
      if (unit >= BEYOND_ASCII) left |= accept
      state = ((state << 1) | 1) & (unit < BEYOND_ASCII ? steps[unit]! : 0)
      left |= state & accept
    }
    left |= state
  }
  return left
}

/** Codes listened to at once: their bytes and their places stay in the second-level cache. */
const STRETCH = 65_536
let places = new Uint32Array(0)
const stretch = new Uint32Array(STRETCH)

/** Where codes stand that are heard; until the next call. Sixteen are looked at together (`select-codes.ts`). */
function placesOf(codes: Uint8Array, isHeard: Uint8Array): Uint32Array {
  if (places.length < codes.length) places = new Uint32Array(codes.length)
  let count = 0
  for (let from = 0; from < codes.length; from += STRETCH) {
    const some = codes.subarray(from, from + STRETCH)
    const found = SELECT_HELPERS.selectCodes(some, isHeard, some.length, stretch)
    count = add(from, found, count)
  }
  return places.subarray(0, count)
}

function add(from: number, found: number, count: number): number {
  for (let n = 0; n < found; n++) places[count + n] = from + stretch[n]!
  return count + found
}
