/**
 * The tokens of a dictionary's values, hashed once however many blocks say them: of 100,000 users each block of a load says 20,000, and hashing those
 * again was 0.09 of its 6.5 s.
 */
import { FOLD, finishHash, HASH_PRIME, HASH_SEED } from './tokens.ts'
import type { Value } from './value.ts'

/** Not looked at yet; also the rare hash that is zero, which is reckoned each time. */
const UNKNOWN = 0
const ROOM_MIN = 64

export class WordHashes {
  /** By code. A dictionary that grows keeps those it has. */
  #hashes = new Int32Array(0)

  /**
   * @param isUsed  by code, 1 for those that are asked for
   * @returns the hashes of values that are one word, and the codes of others: of several words, of none, or no text
   */
  ofUsed(values: readonly Value[], isUsed: Uint8Array): { readonly hashes: Int32Array; readonly others: number[] } {
    this.#makeRoom(isUsed.length)
    const hashes = new Int32Array(isUsed.length)
    const unknown: number[] = []
    let count = gatherKnown(this.#hashes, isUsed, hashes, unknown)
    const others: number[] = []
    for (const code of unknown) {
      const value = values[code]
      const hash = typeof value === 'string' ? hashOfWord(value) : null
      if (hash === null) others.push(code)
      else hashes[count++] = this.#hashes[code] = hash
    }
    return { hashes: hashes.subarray(0, count), others }
  }

  #makeRoom(count: number): void {
    if (count <= this.#hashes.length) return
    const grown = new Int32Array(Math.max(ROOM_MIN, count, Math.min(2 * this.#hashes.length, 2 * count)))
    grown.set(this.#hashes)
    this.#hashes = grown
  }
}

/** Hashes of codes that are used; how many are known, and the codes of the others. */
function gatherKnown(known: Int32Array, isUsed: Uint8Array, hashes: Int32Array, unknown: number[]): number {
  let count = 0
  for (let code = 0; code < isUsed.length; code++) {
    if (isUsed[code] === 0) continue
    const hash = known[code]!
    if (hash === UNKNOWN) unknown.push(code)
    else hashes[count++] = hash
  }
  return count
}

/** Of a text that is one word of ASCII, as names mostly are, `hashToken`; null: it is none. */
function hashOfWord(text: string): number | null {
  const { length } = text
  let hash = HASH_SEED
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    const folded = code < 128 ? FOLD[code]! : 0
    if (folded === 0) return null
    hash = Math.imul(hash ^ folded, HASH_PRIME)
  }
  return length === 0 ? null : finishHash(hash)
}
