/** Classes of bytes, and the bytes that stand for something in a masked line. */

/** A masked stretch. Control characters of a line are blanks, so the text itself never holds this byte. */
export const VARIABLE = 0x01
/** After a word that stood four times or more in a row: as often as it likes. */
export const REPEATED = 0x02
export const BLANK = 0x20

export const DIGIT = 1
/** `a` to `f`, either case */
export const HEX_LETTER = 2
export const LETTER = 4
/** `_`, and every byte of a character beyond ASCII */
export const WORD_OTHER = 8
export const SPACE = 16

export const ALNUM: number = DIGIT | LETTER
export const WORD: number = ALNUM | WORD_OTHER

export const CLASS: Uint8Array = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  const folded = byte | 0x20
  if (byte >= 0x30 && byte <= 0x39) CLASS[byte] = DIGIT
  else if (folded >= 0x61 && folded <= 0x7a && byte < 0x80) CLASS[byte] = folded <= 0x66 ? LETTER | HEX_LETTER : LETTER
  else if (byte === 0x5f || byte >= 0x80) CLASS[byte] = WORD_OTHER
  else if (byte <= 0x20 || byte === 0x7f) CLASS[byte] = SPACE
}

/** A table that is 1 for the bytes of `text`. */
export function bytesOf(text: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(text)) table[byte] = 1
  return table
}

/** The class of the byte at `position`, 0 at the end. */
export function classAt(bytes: Uint8Array, position: number, end: number): number {
  return position < end ? CLASS[bytes[position]!]! : 0
}

export function isDigitAt(bytes: Uint8Array, position: number, end: number): boolean {
  return position < end && CLASS[bytes[position]!] === DIGIT
}

/** How many bytes from `position` on are of one of these classes, at most `most`. */
export function runOf(bytes: Uint8Array, position: number, end: number, classes: number, most: number): number {
  const stop = Math.min(end, position + most)
  let at = position
  while (at < stop && (CLASS[bytes[at]!]! & classes) !== 0) at++
  return at - position
}
