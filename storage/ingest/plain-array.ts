/** Arrays in a line that can be told to be written as `JSON.stringify` writes them without making them: of texts, small integers and words. */
import { DIGITS_MAX } from '../decimal.ts'
import { SHORT_ESCAPES } from '../short-escapes.ts'

const QUOTE = 34
const COMMA = 44
const MINUS = 45
const ZERO = 48
const NINE = 57
const BACKSLASH = 92
const CLOSE = 93
const SPACE = 32

/** 1 by what may stand behind a backslash and is how `JSON.stringify` writes that character. */
export const IS_SHORT_ESCAPE = new Uint8Array(256)
for (const [letter] of SHORT_ESCAPES) IS_SHORT_ESCAPE[letter] = 1

const WORDS: readonly Buffer[] = ['true', 'false', 'null'].map(word => Buffer.from(word))

/** Where the array ends that begins at `start`; -1: it is another, or no array. */
export function endOfPlainArray(bytes: Buffer, start: number, end: number): number {
  let at = start + 1
  if (bytes[at] === CLOSE) return at + 1
  for (; at < end; at++) {
    at = endOfElement(bytes, at, end)
    if (at < 0) return -1
    if (bytes[at] === CLOSE) return at + 1
    if (bytes[at] !== COMMA) return -1
  }
  return -1
}

function endOfElement(bytes: Buffer, start: number, end: number): number {
  const head = bytes[start]!
  if (head === QUOTE) return endOfText(bytes, start, end)
  const first = head === MINUS ? start + 1 : start
  let at = first
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++
  if (at > first) return (bytes[first] === ZERO && at - start > 1) || at - first > DIGITS_MAX ? -1 : at
  const word = WORDS.find(each => bytes.compare(each, 0, each.length, start, Math.min(end, start + each.length)) === 0)
  return word === undefined ? -1 : start + word.length
}

function endOfText(bytes: Buffer, start: number, end: number): number {
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at + 1
    if (byte < SPACE) return -1
    if (byte === BACKSLASH && IS_SHORT_ESCAPE[bytes[++at]!] !== 1) return -1
  }
  return -1
}
