/**
 * Where a search in pieces (`piece-search.ts`) may lead, before a code is read: from the end of the needle backwards, over the codes that stand
 * directly behind each other somewhere. A piece that ends as the needle begins matters only where a piece may follow that goes on with it. In
 * messages " request" ends as "timeout after" begins, as hundreds of pieces do, and nothing that begins with "i" ever stands behind it. So what is left
 * to follow are the few codes that make up what is looked for, or none at all: 31 blocks of 65,536 messages, a phrase in one row of ten
 * 147 → 33 ms, in one of twenty-five 223 → 24, in none 65 → 0.1.
 */
import { firstByteOf, LITERAL, ROW_END } from '../../storage/part/woven/code.ts'
import type { PieceNeighbours, TextPieces } from '../../storage/vector.ts'
import type { PieceNeedle } from './piece-needle.ts'

/** By the first byte of a code, bits of a search from which the needle may still be found. */
export interface Paths {
  /** Where the code begins. */
  readonly before: Int32Array
  /** Where it ends, not counting what was found by then. */
  readonly behind: Int32Array
}

/** What is known of codes that do not stand for one text. */
export interface ManyTexts {
  /** By code, bits of all bytes they may be made of; 0 for the others, which are looked at themselves. */
  readonly madeOf: Int32Array
  /** Of bits before an entry of a field, those that a value of it makes some of `useful` of. */
  usefulBits(entry: number, bits: number, useful: number): number
}

export function pathsOf(
  pieces: TextPieces,
  needle: PieceNeedle,
  manyTexts: ManyTexts,
  neighbours: PieceNeighbours,
): Paths {
  const before = new Int32Array(256)
  const behind = new Int32Array(256)
  const due = Array.from(before.keys())
  const isDue = new Uint8Array(256).fill(1)
  for (let code = due.pop(); code !== undefined; code = due.pop()) {
    isDue[code] = 0
    const more = bitsBefore(code, behind[code]!, pieces, needle, manyTexts) & ~before[code]!
    if (more === 0) continue
    before[code]! |= more
    for (let other = 0; other < 256; other++) {
      if ((more & ~behind[other]!) === 0 || !neighbours.has(other, code)) continue
      behind[other]! |= more
      if (isDue[other] === 1) continue
      isDue[other] = 1
      due.push(other)
    }
  }
  return { before, behind }
}

function bitsBefore(
  code: number,
  behind: number,
  { entryBytes, entryStarts, shortCodes, fields }: TextPieces,
  { steps, length, endsWithText }: PieceNeedle,
  { madeOf, usefulBits }: ManyTexts,
): number {
  const found = 1 << (length - 1)
  if (code === ROW_END) return endsWithText ? found >>> 1 : 0
  const isOneEntry = code <= shortCodes && code <= fields.length
  if (isOneEntry && fields[code - 1] === null) {
    let bits = behind
    for (let at = entryStarts[code]! - 1; at >= entryStarts[code - 1]!; at--)
      bits = ((bits | found) & steps[entryBytes[at]!]!) >>> 1
    return bits
  }
  const bytes = madeOf[code]!
  // It may be nothing at all.
  let bits = behind
  for (;;) {
    const more = bits | (((bits | found) & bytes) >>> 1)
    if (more === bits) break
    bits = more
  }
  return isOneEntry ? usefulBits(code - 1, bits, behind | found) : bits
}

/** `madeOf` of `ManyTexts`. @param fieldsMadeOf  by entry of a field, the same of its values */
export function bytesOfCodes(
  { entryBytes, entryStarts, shortCodes, fields }: TextPieces,
  { steps }: PieceNeedle,
  fieldsMadeOf: Int32Array,
  literalsMadeOf: number,
): Int32Array {
  const madeOf = new Int32Array(256)
  for (let entry = 0; entry < fields.length; entry++) {
    const code = firstByteOf(entry, shortCodes)
    if (fields[entry] !== null) madeOf[code]! |= fieldsMadeOf[entry]!
    else if (entry >= shortCodes)
      for (let at = entryStarts[entry]!; at < entryStarts[entry + 1]!; at++) madeOf[code]! |= steps[entryBytes[at]!]!
  }
  madeOf[LITERAL] = literalsMadeOf
  return madeOf
}
