/** Numbers, sizes and durations. Each function says where the one that begins with the digit at `at` ends, or -1. */
import { BLANK, bytesOf, CLASS, classAt, DIGIT, HEX_LETTER, isDigitAt, runOf, WORD } from './bytes.ts'

const DOT = 0x2e
const COMMA = 0x2c
const COLON = 0x3a
const LETTER_B = 0x42
const LETTER_M = 0x6d
const LETTER_S = 0x73

const SIZE_UNITS = bytesOf('kKMGTPE')
const GLUED_SIZE_UNITS = bytesOf('KMGT')
const DURATION_UNITS = bytesOf('smhd')

function isEnd(bytes: Uint8Array, at: number, end: number): boolean {
  return (classAt(bytes, at, end) & WORD) === 0
}

/** `0x1f` */
export function prefixedHex(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 >= end || bytes[at] !== 0x30 || (bytes[at + 1]! | 0x20) !== 0x78) return -1
  const count = runOf(bytes, at + 2, end, DIGIT | HEX_LETTER, end)
  return count > 0 && isEnd(bytes, at + 2 + count, end) ? at + 2 + count : -1
}

/** `12`, `1,024`, `3.14`, `1e-6`, `5:30`, `6.1.7601`; a part that does not end as a word ends is not of it. */
export function number(bytes: Uint8Array, at: number, end: number): number {
  let place = at + runOf(bytes, at, end, DIGIT, end)
  let previous = -1
  while (isSeparator(bytes, place, end) && isDigitAt(bytes, place + 1, end)) {
    previous = place
    place += 1 + runOf(bytes, place + 1, end, DIGIT, end)
  }
  const power = exponent(bytes, place, end)
  if (power > 0 && isEnd(bytes, power, end)) return power
  return isEnd(bytes, place, end) ? place : previous
}

function isSeparator(bytes: Uint8Array, at: number, end: number): boolean {
  if (at >= end) return false
  const byte = bytes[at]!
  return byte === DOT || byte === COMMA || byte === COLON
}

function exponent(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || (bytes[at]! | 0x20) !== 0x65) return -1
  const sign = at + 1 < end && (bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d) ? 1 : 0
  const count = runOf(bytes, at + 1 + sign, end, DIGIT, end)
  return count === 0 ? -1 : at + 1 + sign + count
}

/** `8.46 KB`, `512MiB`, `139G`, `0 B` */
export function size(bytes: Uint8Array, at: number, end: number): number {
  let place = at + runOf(bytes, at, end, DIGIT, end)
  while (place < end && (bytes[place] === DOT || bytes[place] === COMMA) && isDigitAt(bytes, place + 1, end)) {
    place += 1 + runOf(bytes, place + 1, end, DIGIT, end)
  }
  if (place < end && GLUED_SIZE_UNITS[bytes[place]!] === 1 && isEnd(bytes, place + 1, end)) return place + 1
  if (place < end && bytes[place] === BLANK) place++
  if (place < end && SIZE_UNITS[bytes[place]!] === 1) {
    place++
    if (place < end && bytes[place] === 0x69) place++
  }
  return place < end && bytes[place] === LETTER_B && isEnd(bytes, place + 1, end) ? place + 1 : -1
}

/** `15ms`, `1.5s`, `1h30m`, `250µs` */
export function duration(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  do {
    place += runOf(bytes, place, end, DIGIT, end)
    if (place < end && bytes[place] === DOT) {
      const parts = runOf(bytes, place + 1, end, DIGIT, end)
      if (parts === 0) return -1
      place += 1 + parts
    }
    const unit = unitAt(bytes, place, end)
    if (unit === 0) return -1
    place += unit
  } while (place < end && CLASS[bytes[place]!] === DIGIT)
  return isEnd(bytes, place, end) ? place : -1
}

/** How many bytes the unit takes: the longer ones first. */
function unitAt(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return 0
  const byte = bytes[at]!
  const next = at + 1 < end ? bytes[at + 1]! : 0
  if (next === LETTER_S && (byte === 0x6e || byte === 0x75 || byte === LETTER_M)) return 2
  if (byte === 0xc2 && next === 0xb5 && at + 2 < end && bytes[at + 2] === LETTER_S) return 3
  return DURATION_UNITS[byte]!
}
