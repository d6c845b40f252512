/**
 * One pass over a line that replaces what varies by nature (numbers, addresses, times, paths …) with one byte each. What is left is the
 * line's signature: lines of one statement share it, whatever their arguments. What each byte stood for goes into slots beside it, so
 * that a field that is `10` in one line and `0x1f` in another does not tear the lines apart.
 * The reference of the same rules, as regular expressions, is test/reference/patterns/mask.ts.
 */
import {
  ALNUM,
  BLANK,
  bytesOf,
  CLASS,
  classAt,
  DIGIT,
  HEX_LETTER,
  isDigitAt,
  LETTER,
  REPEATED,
  SPACE,
  VARIABLE,
  WORD,
} from './bytes.ts'
import { DURATION, digitSlot, HEX, HOST, ID, joinSlots, NUM, PATH, SIZE, TIME } from './kinds.ts'
import { BEGINS_TIME, GOES_ON, kindOf, lengthOf, PLAIN_LETTER, recognise, syslogHost } from './recognise.ts'
import { isInName } from './recognise-name.ts'
import { path } from './recognise-path.ts'

/** Of a longer line only the beginning is compared; its pattern ends in `…`. */
export const LINE_BYTES = 4096
/** So many equal words with something masked, one after another, are a list of any length. */
const LIST_WORDS = 4
/** Mixed with digits as often as this, a word is no name but an id: `jA9J1UvC004306`. */
const ID_SEGMENTS = 4
const HEX_LENGTH = 6
const HEX_LETTER_LENGTHS: ReadonlySet<number> = new Set([8, 16, 32, 40, 64])

const MINUS = 0x2d
const PLUS = 0x2b
const SLASH = 0x2f
const COMMA = 0x2c
const SEMICOLON = 0x3b
const AT = 0x40
const UNDERSCORE = 0x5f
const COLON = 0x3a
const BACKSLASH = 0x5c

/** A sign behind these is a hyphen. */
const BEFORE_HYPHEN = bytesOf(')]}.')

/** Between the things of a list within a word. */
const SEPARATORS = bytesOf('|,;')

/** Kinds that stand for one another in a list. */
const AMOUNTS = NUM | HEX | ID | SIZE | DURATION
const KINDS = 0x1fff

/** A signature and what its masked bytes stood for. Padded with zeros to whole words of four bytes, which is how it is compared. */
export interface MaskedLine {
  readonly signature: Uint8Array
  /** The same bytes. */
  readonly words: Int32Array
  readonly slots: Int32Array
  length: number
  slotCount: number
}

export class Masker implements MaskedLine {
  readonly signature: Uint8Array = new Uint8Array(LINE_BYTES + 16)
  readonly words: Int32Array = new Int32Array(this.signature.buffer)
  readonly slots: Int32Array = new Int32Array(LINE_BYTES + 16)
  length = 0
  slotCount = 0
  /** Where the word being written begins, and the first of the list of equal words it may belong to (-1: it held nothing masked). */
  #wordStart = 0
  #wordSlot = 0
  #listStart = -1
  #listEnd = -1
  #listSlot = 0
  #listWords = 0

  /** Fills `signature` and `slots` from the UTF-8 text `bytes[start … end)`. */
  mask(bytes: Uint8Array, start: number, end: number): void {
    const { signature, slots } = this
    // What other modules export is looked up at every use; here that would be at every byte.
    const classes = CLASS
    const alnum = ALNUM
    const word = WORD
    const digit = DIGIT
    const letterOnly = LETTER
    const plainLetter = PLAIN_LETTER
    const goesOn = GOES_ON
    const beginsTime = BEGINS_TIME
    const blank = BLANK
    const space = SPACE
    const variable = VARIABLE
    const stop = Math.min(end, start + LINE_BYTES)
    let length = 0
    let before = blank
    let at = start
    this.slotCount = 0
    this.#wordStart = 0
    this.#wordSlot = 0
    this.#listStart = -1
    while (at < stop) {
      const byte = bytes[at]!
      const kind = classes[byte]!
      if ((kind & alnum) !== 0) {
        // Copied while it is looked at; what turns out to stand for something is taken back.
        let kinds = 0
        let next = at
        let written = length
        do {
          const letter = bytes[next]!
          const letterKind = classes[letter]!
          if ((letterKind & alnum) === 0) break
          // Letters beyond `f` have a bit of their own, so that one OR sums the word up.
          kinds |= letterKind === letterOnly ? plainLetter : letterKind
          signature[written++] = letter
          next++
        } while (next < stop)
        const isStart = (classes[before]! & word) === 0
        const after = next < stop ? bytes[next]! : blank
        // Most words are only words, and told from their ends.
        const isPlain =
          !isStart ||
          (kind !== digit &&
            (goesOn[after] === 0
              ? next - at !== 3 || beginsTime[byte] === 0
              : isNoBeginning(bytes, next, stop, before, kinds)))
        const found = isPlain ? 0 : recognise(bytes, start, at, next, stop, before, after, kinds)
        if (found !== 0) {
          signature[length++] = variable
          slots[this.slotCount++] = kindOf(found)
          const first = at
          at = start + lengthOf(found)
          if (first === start && kindOf(found) === TIME) {
            const hostEnd = syslogHost(bytes, start, at, stop)
            if (hostEnd > 0) {
              signature[length++] = blank
              signature[length++] = variable
              slots[this.slotCount++] = HOST
              this.#wordStart = 2
              this.#wordSlot = 1
              at = hostEnd
            }
          }
        } else if ((kinds & digit) !== 0) {
          length = this.#writeMasked(bytes, at, next, kinds, before, length)
          at = next
        } else if ((kinds & plainLetter) === 0 && isStart && isHexWord(bytes, at, next, stop)) {
          signature[length++] = variable
          slots[this.slotCount++] = HEX
          at = next
        } else {
          length = written
          at = next
        }
      } else if (kind === space) {
        at++
        if (this.slotCount > this.#wordSlot) length = this.#endWord(length)
        else if (length > this.#wordStart) this.#listStart = -1
        if (length > 0 && signature[length - 1] !== blank) signature[length++] = blank
        this.#wordStart = length
        this.#wordSlot = this.slotCount
      } else if (byte === SLASH) {
        const found = path(bytes, at, stop, before)
        if (found > 0) {
          signature[length++] = variable
          slots[this.slotCount++] = PATH
          at = found
        } else {
          signature[length++] = byte
          at++
        }
      } else if ((byte === MINUS || byte === PLUS) && isSign(before) && isDigitAt(bytes, at + 1, stop)) {
        // The number behind it takes it in.
        at++
      } else {
        signature[length++] = byte
        at++
      }
      before = bytes[at - 1]!
    }
    if (this.slotCount > this.#wordSlot) length = this.#endWord(length)
    if (stop < end) signature[length++] = REPEATED
    else if (length > 0 && signature[length - 1] === blank) length--
    for (let padding = length; padding < length + 3; padding++) signature[padding] = 0
    this.length = length
  }

  /** A word with digits in it: they are masked, or all of it where it is an id. */
  #writeMasked(bytes: Uint8Array, at: number, end: number, kinds: number, before: number, length: number): number {
    const { signature, slots } = this
    const classes = CLASS
    const hasLetters = (kinds & (LETTER | PLAIN_LETTER)) !== 0
    const firstSlot = this.slotCount
    if (hasLetters && (kinds & PLAIN_LETTER) === 0 && end - at >= HEX_LENGTH) {
      signature[length] = VARIABLE
      slots[this.slotCount++] = HEX
      return length + 1
    }
    const isPartOfName = hasLetters || before === UNDERSCORE
    let slot = firstSlot
    let segments = 0
    let written = length
    let place = at
    while (place < end) {
      const first = place
      segments++
      if (classes[bytes[place]!] !== DIGIT) {
        do signature[written++] = bytes[place++]!
        while (place < end && classes[bytes[place]!] !== DIGIT)
        continue
      }
      do place++
      while (place < end && classes[bytes[place]!] === DIGIT)
      signature[written++] = VARIABLE
      slots[slot++] = isPartOfName ? nameSlot(bytes, first, place) : NUM
    }
    if (segments < ID_SEGMENTS) {
      this.slotCount = slot
      return written
    }
    signature[length] = VARIABLE
    slots[firstSlot] = ID
    this.slotCount = firstSlot + 1
    return length + 1
  }

  /** A word with something masked in it ends: the fourth in a row that is equal, commas aside, becomes a mark; further ones are dropped. */
  #endWord(wordEnd: number): number {
    const { signature } = this
    const start = this.#wordStart
    const length = this.slotCount - this.#wordSlot >= LIST_WORDS ? this.#shortenWithin(wordEnd) : wordEnd
    const last = signature[length - 1]
    const end = length > start + 1 && (last === COMMA || last === SEMICOLON) ? length - 1 : length
    if (this.#isInList(start, end)) {
      this.#listWords++
      return this.#listWords >= LIST_WORDS ? this.#shorten() : length
    }
    this.#listStart = start
    this.#listEnd = end
    this.#listSlot = this.#wordSlot
    this.#listWords = 1
    return length
  }

  /** Four and more masked things between the same separators, within a word, are a list too: `<ip>,<ip>,<ip>,<ip>`. */
  #shortenWithin(length: number): number {
    const { signature, slots } = this
    let written = this.#wordStart
    let slot = this.#wordSlot
    let slotsWritten = slot
    for (let at = written; at < length; at++) {
      const byte = signature[at]!
      signature[written++] = byte
      if (byte !== VARIABLE) continue
      const separator = signature[at + 1]!
      let count = 1
      while (
        at + 2 * count < length &&
        SEPARATORS[separator] === 1 &&
        signature[at + 2 * count - 1] === separator &&
        signature[at + 2 * count] === VARIABLE &&
        isAlike(slots[slot]!, slots[slot + count]!)
      )
        count++
      let joined = slots[slot++]!
      if (count >= LIST_WORDS) {
        for (let more = 1; more < count; more++) joined = joinSlots(joined, slots[slot++]!)
        signature[written++] = REPEATED
        at += 2 * (count - 1)
      }
      slots[slotsWritten++] = joined
    }
    this.slotCount = slotsWritten
    return written
  }

  #isInList(start: number, end: number): boolean {
    const first = this.#listStart
    if (first < 0 || end - start !== this.#listEnd - first) return false
    const { signature, slots } = this
    for (let offset = 0; offset < end - start; offset++) {
      if (signature[start + offset] !== signature[first + offset]) return false
    }
    const count = this.slotCount - this.#wordSlot
    for (let offset = 0; offset < count; offset++) {
      if (!isAlike(slots[this.#listSlot + offset]!, slots[this.#wordSlot + offset]!)) return false
    }
    return true
  }

  #shorten(): number {
    const { slots } = this
    const count = this.slotCount - this.#wordSlot
    const first = this.#listSlot
    for (let slot = first + count; slot < this.slotCount; slot++) {
      const into = first + ((slot - first) % count)
      slots[into] = joinSlots(slots[into]!, slots[slot]!)
    }
    this.slotCount = first + count
    this.#wordSlot = this.slotCount
    this.signature[this.#listEnd] = REPEATED
    return this.#listEnd + 1
  }
}

/** Do two masked things belong to one list? */
function isAlike(left: number, right: number): boolean {
  return (left & KINDS) === (right & KINDS) || ((left & AMOUNTS) !== 0 && (right & AMOUNTS) !== 0)
}

/** A word that begins with a letter, before one of `GOES_ON`: what stands around it shows that it begins nothing with a name. */
function isNoBeginning(bytes: Uint8Array, next: number, end: number, before: number, kinds: number): boolean {
  if ((kinds & PLAIN_LETTER) === 0) return false
  const second = next + 1 < end ? bytes[next + 1]! : BLANK
  if (bytes[next] === COLON) return second !== SLASH && second !== BACKSLASH
  // `ops_@example.com` is an address too.
  return isInName[before] === 1 || (isInName[second] === 0 && second !== AT)
}

/** A sign belongs to the digit behind it, unless it stands behind a word: `=-5` but `2005-06`. */
function isSign(before: number): boolean {
  return before < 0x80 && (CLASS[before]! & ALNUM) === 0 && BEFORE_HYPHEN[before] === 0
}

/** One or two digits may be part of a name, and are remembered. */
function nameSlot(bytes: Uint8Array, at: number, end: number): number {
  if (end - at === 1) return digitSlot(NUM, 1, bytes[at]! - 0x30)
  return end - at === 2 ? digitSlot(NUM, 2, (bytes[at]! - 0x30) * 10 + bytes[at + 1]! - 0x30) : NUM
}

/** `deadbeef`, `FFFFFFFF`: letters of hexadecimal digits alone, in one case, of a length that numbers have. */
function isHexWord(bytes: Uint8Array, at: number, next: number, end: number): boolean {
  if (next - at < 8 || !HEX_LETTER_LENGTHS.has(next - at) || (classAt(bytes, next, end) & WORD) !== 0) return false
  const letterCase = bytes[at]! & 0x20
  for (let place = at; place < next; place++) {
    if ((CLASS[bytes[place]!]! & HEX_LETTER) === 0 || (bytes[place]! & 0x20) !== letterCase) return false
  }
  return true
}
