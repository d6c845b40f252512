/**
 * How text is cut for weaving: words with the delimiters before them, runs of digits, delimiters that no word follows. Digits stand
 * alone because they are what differs from row to row. Only the writer cuts: a reader follows the codes, so this may change freely.
 */
const WORD = 1
export const DIGIT = 2
export const DELIMITER = 0

/** The class of every byte. Bytes of longer characters count as letters. */
export const CLASS: Uint8Array = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  const isLetter = (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte >= 0x80 || byte === 95
  CLASS[byte] = byte >= 48 && byte <= 57 ? DIGIT : isLetter ? WORD : DELIMITER
}

/** Delimiters glued to a word, at most: a rule of dashes is not a part of what follows it. */
export const GLUED_MAX = 24

export function isWordOrDigit(byte: number): boolean {
  return CLASS[byte] !== DELIMITER
}

export const HASH_PRIME = 0x01000193

/** The distinct pieces of a block's text: open addressing over where each was first seen, no string is made. */
export class PieceTable {
  readonly #bytes: Uint8Array
  #slots = new Int32Array(4096).fill(-1)
  #hashes = new Int32Array(1024)
  starts = new Uint32Array(1024)
  lengths = new Uint16Array(1024)
  counts = new Uint32Array(1024)
  size = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The number of the piece, counted once more. */
  add(start: number, end: number): number {
    const bytes = this.#bytes
    let hash = 0
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, HASH_PRIME)
    return this.addHashed(start, end, hash)
  }

  /** @param rolled  begun with 0 and made with `HASH_PRIME` of each byte, as `add` does: who looks for the piece's end sees them all anyway */
  addHashed(start: number, end: number, rolled: number): number {
    const mixed = rolled ^ (end - start)
    const hash = mixed ^ (mixed >>> 15)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let piece = this.#slots[slot]!; piece !== -1; piece = this.#slots[slot]!) {
      if (this.#hashes[piece] === hash && this.#isSame(piece, start, end)) {
        this.counts[piece]!++
        return piece
      }
      slot = (slot + 1) & mask
    }
    const piece = this.size++
    if (piece === this.starts.length) this.#growPieces()
    this.#slots[slot] = piece
    this.#hashes[piece] = hash
    this.starts[piece] = start
    this.lengths[piece] = end - start
    this.counts[piece] = 1
    if (this.size * 2 > this.#slots.length) this.#growSlots()
    return piece
  }

  #isSame(piece: number, start: number, end: number): boolean {
    const length = end - start
    if (this.lengths[piece] !== length) return false
    const bytes = this.#bytes
    const from = this.starts[piece]!
    for (let index = 0; index < length; index++) if (bytes[from + index] !== bytes[start + index]) return false
    return true
  }

  #growPieces(): void {
    const length = this.starts.length * 2
    const grow = <T extends Uint32Array | Uint16Array | Int32Array>(array: T, into: T): T => {
      into.set(array)
      return into
    }
    this.#hashes = grow(this.#hashes, new Int32Array(length))
    this.starts = grow(this.starts, new Uint32Array(length))
    this.lengths = grow(this.lengths, new Uint16Array(length))
    this.counts = grow(this.counts, new Uint32Array(length))
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(-1)
    const mask = slots.length - 1
    for (let piece = 0; piece < this.size; piece++) {
      let slot = this.#hashes[piece]! & mask
      while (slots[slot] !== -1) slot = (slot + 1) & mask
      slots[slot] = piece
    }
    this.#slots = slots
  }
}
