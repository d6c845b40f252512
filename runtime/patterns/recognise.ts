/**
 * What begins where a word begins: the recognisers in their order, each asked only where the bytes behind the word allow for it.
 * A find is one number, its kind and where it ends.
 */
import { ALNUM, BLANK, bytesOf, CLASS, DIGIT, LETTER, runOf, SPACE } from './bytes.ts'
import { DURATION, EMAIL, HEX, HOST, IP, NUM, PATH, SIZE, TIME, URL_KIND, UUID } from './kinds.ts'
import { ipv4, ipv6, mac, uuid } from './recognise-address.ts'
import { email, host, isInName, labels, nameEnd, packedLabel, url } from './recognise-name.ts'
import { duration, number, prefixedHex, size } from './recognise-number.ts'
import { windowsPath } from './recognise-path.ts'
import {
  clockTime,
  dayMonthYearTime,
  monthDayTime,
  namedMonthTime,
  slashedTime,
  yearFirstTime,
} from './recognise-time.ts'

const MINUS = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const COMMA = 0x2c
const COLON = 0x3a
const AT = 0x40
const LETTER_T = 0x54

/** In a sum of classes: a letter that is no hexadecimal digit. */
export const PLAIN_LETTER = 64

const KIND_BITS = 13
const KIND_MASK = 0x1fff

/** Behind a word: what URLs, mail addresses, hosts, UUIDs, addresses and drives go on with. */
export const GOES_ON: Uint8Array = bytesOf('.:@-+%_')
/** Behind digits: what fractions, longer numbers and words may go on with; of a blank, what follows decides. */
const AFTER_DIGITS = bytesOf('.:,_')
for (let byte = 0x80; byte < 256; byte++) AFTER_DIGITS[byte] = 1
/** Behind the first digits of a date, or of an address. */
const AFTER_DATE_PART = bytesOf('/-. ')
/** Letters that days and months begin with. */
export const BEGINS_TIME: Uint8Array = bytesOf('JFMASONDTW')
const IN_HOST = bytesOf('._-')
const LEVELS = labels('trace debug info notice warn warning error err severe fatal crit critical alert emerg')

/** Nothing was recognised. */
export const NOTHING = 0

export function kindOf(found: number): number {
  return found & KIND_MASK
}

/** Where the find ends, from where the line starts. */
export function lengthOf(found: number): number {
  return found >>> KIND_BITS
}

/**
 * The word is `bytes[at … wordEnd)`, between the bytes `before` and `after`; `kinds` sums up the classes of its bytes. The line is `bytes[start … end)`.
 */
export function recognise(
  bytes: Uint8Array,
  start: number,
  at: number,
  wordEnd: number,
  end: number,
  before: number,
  after: number,
  kinds: number,
): number {
  const isDigit = CLASS[bytes[at]!] === DIGIT
  if (isDigit && AFTER_DATE_PART[after] === 1) {
    const time = dated(bytes, at, wordEnd, end, after)
    if (time > 0) return ((time - start) << KIND_BITS) | TIME
    const address = after === DOT ? ipv4(bytes, at, end) : -1
    if (address > 0) return ((address - start) << KIND_BITS) | IP
  }
  if (GOES_ON[after] === 1) {
    const found = named(bytes, start, at, wordEnd, end, before, after, kinds)
    if (found !== NOTHING) return found
  }
  if (isDigit) {
    // Most numbers stand alone.
    const isAlone = AFTER_DIGITS[after] === 0 && (after !== BLANK || !isLetterAt(bytes, wordEnd + 1, end))
    if (kinds === DIGIT && isAlone) return ((wordEnd - start) << KIND_BITS) | NUM
    return counted(bytes, start, at, end)
  }
  if (wordEnd - at !== 3 || after > COMMA) return NOTHING
  const time = namedMonthTime(bytes, at, end)
  return time > 0 ? ((time - start) << KIND_BITS) | TIME : NOTHING
}

function isLetterAt(bytes: Uint8Array, at: number, end: number): boolean {
  return at < end && (CLASS[bytes[at]!]! & LETTER) !== 0
}

/** What goes on behind its first word. */
function named(
  bytes: Uint8Array,
  start: number,
  at: number,
  wordEnd: number,
  end: number,
  before: number,
  after: number,
  kinds: number,
): number {
  let found = -1
  if (before !== SLASH && before !== AT && isInName[before] === 0) {
    const name = after === COLON || after === AT ? wordEnd : nameEnd(bytes, wordEnd, end)
    if ((found = url(bytes, at, name, end)) > 0) return ((found - start) << KIND_BITS) | URL_KIND
    if ((found = email(bytes, name, end)) > 0) return ((found - start) << KIND_BITS) | EMAIL
    if ((found = host(bytes, at, name, end)) > 0) return ((found - start) << KIND_BITS) | HOST
  }
  if ((kinds & PLAIN_LETTER) === 0) {
    if (after === MINUS && (found = uuid(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | UUID
    if (after === COLON || after === MINUS) {
      if ((found = mac(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | HEX
      if ((found = ipv6(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | IP
    }
  }
  if (after !== COLON || (found = windowsPath(bytes, at, end)) < 0) return NOTHING
  return ((found - start) << KIND_BITS) | PATH
}

/** A time of the clock, a size, a number. */
function counted(bytes: Uint8Array, start: number, at: number, end: number): number {
  const next = at + runOf(bytes, at, end, DIGIT, end)
  const after = next < end ? bytes[next]! : BLANK
  let found = -1
  if (after === COLON && (found = clockTime(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | TIME
  const isLetter = (CLASS[after]! & LETTER) !== 0 || after >= 0x80
  if (isLetter && (found = prefixedHex(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | HEX
  if (isLetter || after === DOT || after === COMMA || (after === BLANK && isLetterAt(bytes, next + 1, end))) {
    if ((found = size(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | SIZE
    if ((found = duration(bytes, at, end)) > 0) return ((found - start) << KIND_BITS) | DURATION
  }
  return (found = number(bytes, at, end)) > 0 ? ((found - start) << KIND_BITS) | NUM : NOTHING
}

/** How many digits it begins with, and what stands behind them, leave at most one shape a date may have. */
function dated(bytes: Uint8Array, at: number, wordEnd: number, end: number, after: number): number {
  const digits = wordEnd - at
  if (digits === 4) return after === BLANK ? -1 : yearFirstTime(bytes, at, end)
  if (digits > 2) return -1
  if (isLetterAt(bytes, wordEnd + 1, end)) return after === DOT ? -1 : dayMonthYearTime(bytes, at, end)
  if (digits < 2) return -1
  return after === SLASH ? slashedTime(bytes, at, end) : after === MINUS ? monthDayTime(bytes, at, end) : -1
}

/**
 * Behind the time that begins a line of syslog and ends at `found` stands the host: `Jun 14 15:16:01 combo sshd[19939]: …`.
 * Where it ends, or -1.
 */
export function syslogHost(bytes: Uint8Array, start: number, found: number, end: number): number {
  if (CLASS[bytes[start]!] === DIGIT && bytes[start + 10] !== LETTER_T) return -1
  if (found >= end || bytes[found] !== BLANK) return -1
  let place = found + 1
  while (place < end && ((CLASS[bytes[place]!]! & ALNUM) !== 0 || IN_HOST[bytes[place]!] === 1)) place++
  if (place === found + 1 || place >= end || bytes[place] !== BLANK) return -1
  if (LEVELS.has(packedLabel(bytes, found + 1, place))) return -1
  let tag = place + 1
  while (tag < end && CLASS[bytes[tag]!] !== SPACE) tag++
  return tag > place + 1 && bytes[tag - 1] === COLON ? place : -1
}
