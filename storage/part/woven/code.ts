/**
 * The codes of woven text: what a byte says, and how they are read. Codes may be damaged, so whoever reads them holds places and entries against
 * what there is; nothing here reads beyond their end but to find nothing there.
 */

/** This ends a row … */
export const ROW_END = 0
/** … this is followed by a varint, the bytes of literal text to take … */
export const LITERAL = 255
/** … and of the 254 between them the first stand for entries, the others for 256 entries each, told apart by the next byte. */
export const CODES = 254
/** Rows between places that are remembered: so many are walked, at most, to find one. */
export const ROWS_APART = 4

/** The entry of a code of two bytes. @param shortCodes  so many entries, the first, have codes of one byte, one more than their number */
export function entryOfTwo(code: number, second: number, shortCodes: number): number {
  return shortCodes + (code - 1 - shortCodes) * 256 + second
}

/** The first byte of an entry's code; of a code of two bytes the second is what is over 256 entries each. */
export function firstByteOf(entry: number, shortCodes: number): number {
  return entry < shortCodes ? entry + 1 : shortCodes + 1 + ((entry - shortCodes) >>> 8)
}

/** The varint behind a `LITERAL`: bytes of literal text; as many as it says by then where the codes end within it. */
export function literalLength(codes: Uint8Array, at: number): number {
  let length = 0
  for (let next = at, scale = 1, byte = 0x80; byte >= 0x80 && next < codes.length; scale *= 0x80) {
    byte = codes[next++]!
    length += (byte & 0x7f) * scale
  }
  return length
}

export function behindVarint(codes: Uint8Array, at: number): number {
  let next = at
  while (codes[next++]! >= 0x80);
  return next
}

/** Where the next code begins, behind the one at `at`. */
export function behindCode(codes: Uint8Array, at: number, shortCodes: number): number {
  const code = codes[at]!
  if (code === LITERAL) return behindVarint(codes, at + 1)
  return code > shortCodes ? at + 2 : at + 1
}
