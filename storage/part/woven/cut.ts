/**
 * Text taken apart: each row becomes the pieces it is made of (`tokens.ts`) and references to what other columns of the row say. A
 * message that repeats the user, the path and the trace of its event says them by reference, and looks the same in every row.
 */
import { PRESENT, type TextVector } from '../../vector.ts'
import type { Reference } from './references.ts'
import { CLASS, DELIMITER, DIGIT, GLUED_MAX, HASH_PRIME, isWordOrDigit, PieceTable } from './tokens.ts'

/** In `ops`: numbers from 0 are pieces, this ends a row, and from `FIRST_REFERENCE` down are references, each with its length behind it. */
export const END_OF_ROW = -1
export const FIRST_REFERENCE = -2

export interface Cut {
  readonly ops: Int32Array
  readonly count: number
  readonly pieces: PieceTable
  /** How often each reference was found. */
  readonly hits: Uint32Array
}

/** A shorter value says too little: found by chance in one row and missing in the next, it would only break what repeats. */
const REFERENCE_BYTES_MIN = 3

/** What the references say in one row, by the first byte of each. */
class RowReferences {
  readonly #references: readonly Reference[]
  readonly #first = new Int32Array(256).fill(-1)
  readonly #next: Int32Array
  readonly #touched = new Uint8Array(256)
  #touchedCount = 0
  /** Of the last `match`. */
  found = -1

  constructor(references: readonly Reference[]) {
    this.#references = references
    this.#next = new Int32Array(references.length)
  }

  load(row: number): void {
    while (this.#touchedCount > 0) this.#first[this.#touched[--this.#touchedCount]!] = -1
    for (let index = this.#references.length - 1; index >= 0; index--) {
      const reference = this.#references[index]!
      if (!reference.load(row) || reference.end - reference.start < REFERENCE_BYTES_MIN) continue
      const byte = reference.bytes[reference.start]!
      if (this.#first[byte] === -1) this.#touched[this.#touchedCount++] = byte
      this.#next[index] = this.#first[byte]!
      this.#first[byte] = index
    }
  }

  /** Where the longest reference that begins at `at` ends, or -1. Its number is in `found`. */
  match(bytes: Uint8Array, start: number, at: number, end: number): number {
    let index = this.#first[bytes[at]!]!
    if (index === -1) return -1
    if (at > start && isWordOrDigit(bytes[at - 1]!) && isWordOrDigit(bytes[at]!)) return -1
    let longest = -1
    for (; index !== -1; index = this.#next[index]!) {
      const { bytes: value, start: from, end: to } = this.#references[index]!
      const length = to - from
      if (at + length > end || at + length <= longest) continue
      let same = 1
      while (same < length && value[from + same] === bytes[at + same]) same++
      if (same < length) continue
      const after = at + length
      if (after < end && isWordOrDigit(bytes[after]!) && isWordOrDigit(bytes[after - 1]!)) continue
      longest = after
      this.found = index
    }
    return longest
  }
}

/** @param rows  only these; all when null */
export function cut(text: TextVector, references: readonly Reference[], rows: Uint32Array | null): Cut {
  const { bytes, offsets, presence } = text
  const said = new RowReferences(references)
  const pieces = new PieceTable(bytes)
  const hits = new Uint32Array(references.length)
  const rowCount = rows?.length ?? text.rowCount
  let ops = new Int32Array(Math.max(1024, rowCount * 16))
  let count = 0
  for (let index = 0; index < rowCount; index++) {
    const row = rows === null ? index : rows[index]!
    if (presence !== null && presence[row] !== PRESENT) continue
    const start = offsets[row]!
    const end = offsets[row + 1]!
    // A row has no more ops than bytes, and its end.
    if (count + end - start + 1 > ops.length) {
      const grown = new Int32Array(Math.max(ops.length * 2, count + end - start + 1))
      grown.set(ops)
      ops = grown
    }
    if (references.length > 0) said.load(row)
    for (let at = start; at < end; ) {
      let to = said.match(bytes, start, at, end)
      if (to !== -1) {
        hits[said.found]!++
        ops[count++] = FIRST_REFERENCE - said.found
        ops[count++] = to - at
        at = to
        continue
      }
      // A run of letters or of digits; or delimiters, and the word behind them. Its hash is made on the way.
      let kind = CLASS[bytes[at]!]!
      let hash = 0
      to = at
      if (kind === DELIMITER) {
        const last = Math.min(end, at + GLUED_MAX)
        do {
          hash = Math.imul(hash ^ bytes[to]!, HASH_PRIME)
          to++
        } while (to < last && CLASS[bytes[to]!] === DELIMITER)
        const word = to
        if (references.length > 0) {
          let referenceAt = at + 1
          while (referenceAt <= word && referenceAt < end && said.match(bytes, start, referenceAt, end) === -1)
            referenceAt++
          if (referenceAt <= word && referenceAt < end) {
            ops[count++] = pieces.add(at, referenceAt)
            at = referenceAt
            continue
          }
        }
        kind = word < end ? CLASS[bytes[word]!]! : DELIMITER
        if (kind === DIGIT) kind = DELIMITER
      }
      if (kind !== DELIMITER) {
        while (to < end && CLASS[bytes[to]!] === kind) {
          hash = Math.imul(hash ^ bytes[to]!, HASH_PRIME)
          to++
        }
      }
      // Lengths are kept in 16 bits.
      if (to - at > PIECE_BYTES_MAX) {
        to = at + PIECE_BYTES_MAX
        ops[count++] = pieces.add(at, to)
      } else ops[count++] = pieces.addHashed(at, to, hash)
      at = to
    }
    ops[count++] = END_OF_ROW
  }
  return { ops, count, pieces, hits }
}

const PIECE_BYTES_MAX = 64
