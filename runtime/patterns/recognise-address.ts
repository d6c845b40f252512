/** UUIDs and addresses of networks. Each function says where the one that begins at `at` ends, or -1. */
import { ALNUM, CLASS, classAt, DIGIT, HEX_LETTER, runOf, WORD } from './bytes.ts'

const MINUS = 0x2d
const DOT = 0x2e
const COLON = 0x3a
const HEX_DIGIT = DIGIT | HEX_LETTER

/** `d6b7bd36-2943-4363-9235-fffdd89ea40e` */
export function uuid(bytes: Uint8Array, at: number, end: number): number {
  if (at + 36 > end || bytes[at + 8] !== MINUS) return -1
  for (let place = 0; place < 36; place++) {
    const byte = bytes[at + place]!
    const isDash = place === 8 || place === 13 || place === 18 || place === 23
    if (isDash ? byte !== MINUS : (CLASS[byte]! & HEX_DIGIT) === 0) return -1
  }
  return (classAt(bytes, at + 36, end) & WORD) === 0 ? at + 36 : -1
}

/** `00:11:43:e3:ba:c3`, `0:1b:c5-…`: six groups of one or two hexadecimal digits, no more */
export function mac(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  for (let group = 0; group < 6; group++) {
    if (group > 0) {
      const byte = place < end ? bytes[place]! : 0
      if (byte !== COLON && byte !== MINUS) return -1
      place++
    }
    const length = runOf(bytes, place, end, HEX_DIGIT, 2)
    if (length === 0) return -1
    place += length
  }
  if ((classAt(bytes, place, end) & WORD) !== 0) return -1
  const next = place < end ? bytes[place]! : 0
  if ((next === COLON || next === MINUS) && (classAt(bytes, place + 1, end) & HEX_DIGIT) !== 0) return -1
  return place
}

/** Four numbers of up to three digits, and no fifth part behind another dot. */
export function ipv4(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  for (let group = 0; group < 4; group++) {
    if (group > 0) {
      if (place >= end || bytes[place] !== DOT) return -1
      place++
    }
    const length = runOf(bytes, place, end, DIGIT, 3)
    if (length === 0) return -1
    place += length
  }
  if ((classAt(bytes, place, end) & WORD) !== 0) return -1
  return place < end && bytes[place] === DOT && (classAt(bytes, place + 1, end) & ALNUM) !== 0 ? -1 : place
}

/**
 * Hexadecimal digits and colons, as far as they go: eight groups, or fewer around one `::`, with a digit somewhere (`Face::add` is
 * no address).
 */
export function ipv6(bytes: Uint8Array, at: number, end: number): number {
  let place = at
  let groups = 0
  let gaps = 0
  let hasDigit = false
  while (place < end) {
    const byte = bytes[place]!
    if (byte === COLON) {
      if (bytes[place - 1] === COLON) return -1
      if (place + 1 < end && bytes[place + 1] === COLON) {
        gaps++
        place += 2
        continue
      }
      if ((classAt(bytes, place + 1, end) & HEX_DIGIT) === 0) break
      place++
      continue
    }
    const length = runOf(bytes, place, end, HEX_DIGIT, 5)
    if (length === 0) break
    if (length > 4) return -1
    for (let digit = place; digit < place + length; digit++) if (CLASS[bytes[digit]!] === DIGIT) hasDigit = true
    groups++
    place += length
  }
  if ((classAt(bytes, place, end) & WORD) !== 0 || !hasDigit) return -1
  return (gaps === 0 && groups === 8) || (gaps === 1 && groups >= 2 && groups <= 7) ? place : -1
}
