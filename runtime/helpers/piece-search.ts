/**
 * A text looked for in texts that are held as pieces, without putting them together: what a piece does to a search that has begun nowhere is
 * known once for each piece, and nearly all of them do nothing. So a row is a few look-ups, where its text is a hundred bytes; and
 * pieces take a fifth of the memory of their text, so that ten times as many rows stay in it.
 *
 * The search is a set of bits, one for each beginning of the needle that the bytes so far end with. A piece may stand for the value of a field:
 * its bytes are not read. What they may be made of bounds the bits it can leave; where one of those turns out to matter, the row's own text
 * has to be asked.
 */
import {
  behindCode,
  behindVarint,
  entryOfTwo,
  firstByteOf,
  LITERAL,
  literalLength,
  ROW_END,
} from '../../storage/part/woven/code.ts'
import type { Value } from '../../storage/value.ts'
import type { PieceNeighbours, ReferredValues, TextPieces } from '../../storage/vector.ts'
import { bytesAmong } from './byte-set.ts'
import { Lru } from './lru.ts'
import { bitsOf, everyAfter, type PieceNeedle } from './piece-needle.ts'
import { bytesOfCodes, type Paths, pathsOf } from './piece-paths.ts'
import { type Marks, PieceRows, RowMarks } from './piece-rows.ts'
import { SELECT_HELPERS } from './select-codes.ts'

/** What a code is, by its first byte, where it is heard: a search may begin in it, or there is more of it. 0: neither. */
const TEXT = 1
const ENTRY = 2
const ENTRY_OF_TWO = 3

/** Of a literal's length: a chunk has fewer bytes. */
const LENGTH_BITS = 28
const HEARD_AT_ONCE = 4096

/** About what it takes to follow a code, or a byte of a literal; and to search a byte of text, beyond what looking for the codes takes. */
const NS_A_CODE = 25
const NS_A_LITERAL_BYTE = 2
const NS_A_TEXT_BYTE = 0.3

const BEYOND_ASCII = 128

const NOWHERE: ReadonlySet<string> = new Set()

export class PieceSearch {
  readonly #pieces: TextPieces
  readonly #needle: PieceNeedle
  readonly #elsewhere: ReadonlySet<string>
  /** The bit of the last place. */
  readonly #accept: number
  /** What a search is where a text begins. */
  readonly #begun: number
  /** The bits of every byte that literals are made of; 0: they can be no part of a needle. */
  readonly #literalMadeOf: number
  /** By the first byte of a code. */
  readonly #codes = new Uint8Array(256)
  readonly #neighbours: PieceNeighbours
  #paths: Paths = { before: new Int32Array(256), behind: new Int32Array(256) }
  /** Codes with more behind them that nobody listens to: then a byte that is heard may be none of its own. */
  #hasUnheard = false
  /** How far it is in the codes and in the literals, and what the search is there. */
  #next = 0
  #literal = 0
  #certain = 0
  #possible = 0
  /** By entry, what it leaves of a search that has begun nowhere: the bits at its end, and the last place where it holds the needle. */
  readonly #left: Int32Array
  /** By entry, the state it was last asked about and what it makes of that: a text's pieces come in the same order again and again. */
  readonly #lastStates: Int32Array
  readonly #lastAfters: Int32Array
  /** By entry of a field: the bits of every byte that its values are made of. */
  readonly #madeOf: Int32Array
  readonly #isField: Uint8Array
  readonly #values: (readonly Value[] | null)[]
  readonly #known: (Map<number, number> | undefined)[] = []

  private constructor(pieces: TextPieces, needle: PieceNeedle, elsewhere: ReadonlySet<string>) {
    const count = pieces.fields.length
    this.#pieces = pieces
    this.#neighbours = pieces.neighbours()
    this.#needle = needle
    this.#elsewhere = elsewhere
    this.#accept = 1 << (needle.length - 1)
    this.#begun = needle.beginsWithText ? 1 : 0
    this.#literalMadeOf = bitsOf(bytesAmong(pieces.literals), needle)
    this.#left = new Int32Array(count)
    this.#lastStates = new Int32Array(count)
    this.#lastAfters = new Int32Array(count)
    this.#madeOf = new Int32Array(count)
    this.#isField = new Uint8Array(count)
    this.#values = new Array(count).fill(null)
  }

  /** Null: pieces do not tell. @param elsewhere  fields whose values somebody else looks at: what stands within one is not looked for */
  static of(pieces: TextPieces, needle: PieceNeedle, elsewhere: ReadonlySet<string> = NOWHERE): PieceSearch | null {
    if (needle.isAsciiOnly && hasBeyondAscii(pieces)) return null
    const search = new PieceSearch(pieces, needle, elsewhere)
    return search.#learn() ? search : null
  }

  #learn(): boolean {
    const pieces = this.#pieces
    const { fields } = pieces
    for (let entry = 0; entry < fields.length; entry++) {
      const field = fields[entry]!
      if (field !== null && !this.#learnField(entry, field)) return false
      this.#left[entry] = this.#of(entry, 0)
      this.#lastAfters[entry] = this.#left[entry]!
    }
    const madeOf = bytesOfCodes(pieces, this.#needle, this.#madeOf, this.#literalMadeOf)
    const usefulBits = (entry: number, bits: number, useful: number) => this.#usefulBits(entry, bits, useful)
    this.#paths = pathsOf(pieces, this.#needle, { madeOf, usefulBits }, this.#neighbours)
    this.#listen()
    return true
  }

  #usefulBits(entry: number, bits: number, useful: number): number {
    const values = this.#values[entry]!
    if (values === null || values.length > VALUES_ASKED_MAX || bits === 0) return bits
    return bits & known(values, `<${useful} ${this.#needle.key}`, () => neededByEach(values, this.#needle, useful))
  }

  /** Of a code that leaves nothing of nothing it is enough to know when there is something. */
  #listen(): void {
    const { fields, shortCodes } = this.#pieces
    const { behind } = this.#paths
    const kinds = this.#codes
    for (let entry = 0; entry < fields.length; entry++) {
      const code = firstByteOf(entry, shortCodes)
      const useful = behind[code]! | this.#accept
      this.#left[entry]! &= useful
      if (this.#left[entry] !== 0 || (this.#begun !== 0 && (this.#of(entry, this.#begun) & useful) !== 0))
        kinds[code] = entry < shortCodes ? ENTRY : ENTRY_OF_TWO
    }
    if (this.#mayGoThroughLiterals()) kinds[LITERAL] = TEXT
    this.#hasUnheard = kinds.subarray(shortCodes + 1).includes(0)
  }

  /** A search may begin in a literal, or go on in one after another code. */
  #mayGoThroughLiterals(): boolean {
    const { before } = this.#paths
    if (this.#literalMadeOf === 0) return false
    if (this.#mayBeginInLiterals()) return true
    return before[LITERAL] !== 0 && (!this.isNowhere || (before[LITERAL]! & this.#begun) !== 0)
  }

  #mayBeginInLiterals(): boolean {
    const useful = this.#paths.behind[LITERAL]! | this.#accept
    // What they are made of says less than they do themselves.
    return (
      (everyAfter(0, this.#literalMadeOf) & useful) !== 0 &&
      (leftByLiterals(this.#pieces.literals, this.#needle) & useful) !== 0
    )
  }

  /** Quicker than a search of the text they make would be, were it there. */
  get isQuick(): boolean {
    const followed = this.#codes[LITERAL] === 0 ? 0 : this.#pieces.literals.length
    return this.heardCount * NS_A_CODE + followed * NS_A_LITERAL_BYTE < this.#pieces.textBytes * NS_A_TEXT_BYTE
  }

  /** So many codes are listened to: no more places hold it. */
  get heardCount(): number {
    return countOf(this.#codes, this.#neighbours)
  }

  /** In so many codes it may begin. */
  get beginningCount(): number {
    return countOf(this.#begins(), this.#neighbours)
  }

  /** By code, not 0 where it may begin; it may go on in more. */
  #begins(): Uint8Array {
    const begins = this.#codes.slice()
    if (begins[LITERAL] !== 0 && !this.#mayBeginInLiterals()) begins[LITERAL] = 0
    return begins
  }

  /** Nothing that these pieces make together holds it: no row has to be looked at. */
  get isNowhere(): boolean {
    return this.#codes.every(kind => kind === 0)
  }

  #learnField(entry: number, field: string): boolean {
    const known = this.#pieces.valuesOf(field)
    const bytes = bytesIn(known)
    if (bytes === null || (this.#needle.isAsciiOnly && bytes[BEYOND_ASCII] === 1)) return false
    this.#madeOf[entry] = bitsOf(bytes, this.#needle)
    this.#values[entry] = known.values
    this.#isField[entry] = 1
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

  /** Where codes stand in which it may begin, in order. Until the next call of anything here. */
  beginnings(): Uint32Array {
    const { codes, shortCodes } = this.#pieces
    const heard = placesOf(codes, this.#begins())
    let count = 0
    // What stands behind a code may look like one.
    for (let at = 0, next = 0; at < heard.length; at++) {
      const place = heard[at]!
      if (place < next) continue
      const begins = this.#codeFrom(next, place)
      if (begins !== place) {
        next = begins
        continue
      }
      heard[count++] = place
      next = behindCode(codes, place, shortCodes)
    }
    return heard.subarray(0, count)
  }

  /** Marks the rows that have it, and those of which only their own text can tell. @param presence  of the texts */
  mark(rows: Uint8Array, presence: Uint8Array | null, { yes, ask }: Marks): void {
    if (this.isNowhere) return
    const marks = { yes: this.#needle.isWhole ? yes : ask, ask }
    const { codes } = this.#pieces
    const heard = placesOf(codes, this.#codes)
    const rowMarks = new RowMarks(rows, new PieceRows(this.#pieces, presence, this.#neighbours.isLocal))
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
    const isSilentLiteral = this.#literalMadeOf === 0
    const { behind } = this.#paths
    const hasUnheard = this.#hasUnheard
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
        if ((certain | possible) !== 0) {
          next = this.#cross(next, place, certain, possible, rows, marks)
          certain = this.#certain
          possible = this.#possible
        }
        if (next < place) {
          if (hasUnheard) {
            const begins = this.#codeFrom(next, place)
            if (begins !== place) {
              next = begins
              continue
            }
          }
          certain = begun !== 0 && this.#endsRow(place - 1, next) ? begun : 0
          possible = certain
        } else if (next > place) continue
      }
      next = place + 1
      const code = codes[place]!
      let found = 0
      let maybe = 0
      let bytes = entryBytes
      let from = 0
      let to = 0
      if (kinds[code] === TEXT) {
        // `literalLength` by hand: a twentieth of a search that goes through literals.
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
        if (isSilentLiteral && length > 0) {
          certain = 0
          possible = 0
          continue
        }
        bytes = literals
        to = literal
      } else {
        const entry = code <= shortCodes ? code - 1 : entryOfTwo(code, codes[next++]!, shortCodes)
        if (isField[entry] === 1) {
          possible = possible === 0 ? lefts[entry]! : this.#after(entry, possible)
          certain = 0
          if ((possible & accept) !== 0) rows.mark(place, marks, false)
          possible &= behind[code]!
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
      certain &= behind[code]!
      possible &= behind[code]!
    }
    this.#next = next
    this.#literal = literal
    this.#certain = certain
    this.#possible = possible
  }

  /** Where a code begins, at `place` or behind it. @param known  where one does, before it */
  #codeFrom(known: number, place: number): number {
    const { codes, shortCodes } = this.#pieces
    // What no code with more behind it ends or goes on with has another code behind it, whatever it is itself.
    let at = place - 1
    while (at >= known && (codes[at]! > shortCodes || codes[at]! >= 0x80)) at--
    for (at++; at < place; ) at = behindCode(codes, at, shortCodes)
    return at
  }

  #endsRow(place: number, known: number): boolean {
    if (this.#pieces.codes[place] !== ROW_END) return false
    return !this.#hasUnheard || this.#codeFrom(known, place) === place
  }

  /** Goes on with a search over codes that nobody listens to: to where it is over, or to `end`, or beyond it where that is no code. */
  #cross(from: number, end: number, certain: number, possible: number, rows: RowMarks, marks: Marks): number {
    const { codes, shortCodes } = this.#pieces
    const { behind } = this.#paths
    const isField = this.#isField
    const accept = this.#accept
    const begun = this.#begun
    const { endsWithText } = this.#needle
    const states = this.#lastStates
    const afters = this.#lastAfters
    let next = from
    let sure = certain
    let maybe = possible
    while (next < end && (sure | maybe) !== 0) {
      const place = next++
      const code = codes[place]!
      if (code === ROW_END) {
        if (endsWithText && (((maybe << 1) | 1) & accept) !== 0)
          rows.mark(place, marks, (((sure << 1) | 1) & accept) !== 0)
        // A silent code is so at the beginning of a row as well.
        sure = next === end ? begun : 0
        maybe = sure
        continue
      }
      if (code === LITERAL) {
        // It is not listened to because nothing goes on in it.
        if (literalLength(codes, next) > 0) sure = maybe = 0
        next = behindVarint(codes, next)
        continue
      }
      const entry = code <= shortCodes ? code - 1 : entryOfTwo(code, codes[next++]!, shortCodes)
      const before = maybe
      if (states[entry] !== before) {
        afters[entry] = this.#of(entry, before)
        states[entry] = before
      }
      maybe = afters[entry]!
      if (isField[entry] === 1) sure = 0
      else sure = sure === before ? maybe : this.#of(entry, sure)
      if ((maybe & accept) !== 0) rows.mark(place, marks, (sure & accept) !== 0)
      maybe &= behind[code]!
      sure &= behind[code]!
    }
    this.#certain = sure
    this.#possible = maybe
    return next
  }
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

/** Answers kept for each dictionary, and for the literals of each block. */
const ANSWERS_MAX = 64
const answersOf = new WeakMap<readonly Value[] | Uint8Array, Lru<string, number>>()
/** More values than these take longer to ask than what is not listened to for it. */
const VALUES_ASKED_MAX = 4096

function known(values: readonly Value[] | Uint8Array, question: string, answer: () => number): number {
  let answers = answersOf.get(values)
  if (answers === undefined) answersOf.set(values, (answers = new Lru(ANSWERS_MAX)))
  return answers.getOrMake(question, answer)
}

/**
 * What any literal leaves of a search, with the last place as of a value: as they stand behind each other they are read as one, which leaves no
 * less than they do. Of 160 kB some hold every letter of "user u", and none of them "us": 28,000 codes a block that nobody has to listen to.
 */
function leftByLiterals(literals: Uint8Array, needle: PieceNeedle): number {
  return known(literals, needle.key, () => leftByBytes(literals, needle))
}

function leftByBytes(bytes: Uint8Array, { steps }: PieceNeedle): number {
  let state = 0
  let left = 0
  for (let at = 0; at < bytes.length; at++) {
    state = ((state << 1) | 1) & steps[bytes[at]!]!
    left |= state
  }
  return left
}

/** What any of the values leaves of a search; the last place is among it where the needle ends in one of them. */
function leftBy(values: readonly Value[], needle: PieceNeedle, before: number): number {
  return known(values, `${before} ${needle.key}`, () => leftByEach(values, needle, before))
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

/** The bits before a value of which any of the values makes some of `useful`, or finds the needle. */
function neededByEach(values: readonly Value[], { steps, length }: PieceNeedle, useful: number): number {
  const found = 1 << (length - 1)
  let needed = 0
  for (const text of textsOf(values)) {
    let bits = useful
    for (let at = text.length - 1; at >= 0; at--) {
      const unit = text.charCodeAt(at)
      if (unit >= BEYOND_ASCII) return -1
      bits = ((bits | found) & steps[unit]!) >>> 1
    }
    needed |= bits
  }
  return needed
}

function countOf(kinds: Uint8Array, { counts }: PieceNeighbours): number {
  return kinds.reduce((all, kind, code) => (kind === 0 ? all : all + counts[code]!), 0)
}

/** Codes listened to at once: their bytes and their places stay in the second-level cache. */
const STRETCH = 65_536
let places = new Uint32Array(0)
const stretch = new Uint32Array(STRETCH)

/** Where codes stand that are heard; until the next call. Sixteen are looked at together (`select-codes.ts`). */
function placesOf(codes: Uint8Array, kinds: Uint8Array): Uint32Array {
  const isHeard = kinds.map(kind => (kind === 0 ? 0 : 1))
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
