/**
 * The token filter of a text column in one block: a Bloom filter of the hashes of its distinct tokens. It never misses a token that is
 * there; it finds about one in two hundred that are not, and a search for several tokens multiplies that.
 */
import { hashToken } from '../tokens.ts'

const BITS_PER_TOKEN = 16
const PROBES = 3

/** Bytes of 64-bit words for so many distinct tokens. */
function filterBytes(tokenCount: number): number {
  return Math.max(8, Math.ceil((tokenCount * BITS_PER_TOKEN) / 64) * 8)
}

/** The distinct hashes seen; reused from block to block, as a filter is sized only once all are known. */
export class TokenSet {
  #table = new Uint32Array(1024)
  #count = 0
  #hasZero = false

  get size(): number {
    return this.#count + (this.#hasZero ? 1 : 0)
  }

  add(hash: number): void {
    if (hash === 0) {
      this.#hasZero = true
      return
    }
    const mask = this.#table.length - 1
    let slot = hash & mask
    for (let held = this.#table[slot]!; held !== 0; held = this.#table[slot]!) {
      if (held === hash) return
      slot = (slot + 1) & mask
    }
    this.#table[slot] = hash
    if (++this.#count * 2 > this.#table.length) this.#grow()
  }

  #grow(): void {
    const held = this.#table
    this.#table = new Uint32Array(held.length * 4)
    const mask = this.#table.length - 1
    for (const hash of held) {
      if (hash === 0) continue
      let slot = hash & mask
      while (this.#table[slot] !== 0) slot = (slot + 1) & mask
      this.#table[slot] = hash
    }
  }

  /** The filter of what was added since the last one. */
  takeFilter(): Uint8Array {
    const filter = new Uint8Array(filterBytes(this.size))
    if (this.#hasZero) addHash(filter, 0)
    for (const hash of this.#table) if (hash !== 0) addHash(filter, hash)
    // A table that once was large stays large, but clearing it is cheaper than growing it again for every block.
    this.#table.fill(0)
    this.#count = 0
    this.#hasZero = false
    return filter
  }
}

/** A second hash of the first: the probes are `hash + i * step`. Part of the file format. */
function stepOf(hash: number): number {
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1) >>> 0
}

function addHash(filter: Uint8Array, hash: number): void {
  const bits = filter.length * 8
  const step = stepOf(hash)
  let probe = hash
  for (let index = 0; index < PROBES; index++) {
    const bit = Math.floor((probe / 2 ** 32) * bits)
    filter[bit >>> 3]! |= 1 << (bit & 7)
    probe = (probe + step) >>> 0
  }
}

export function filterHasHash(filter: Uint8Array, hash: number): boolean {
  const bits = filter.length * 8
  const step = stepOf(hash)
  let probe = hash
  for (let index = 0; index < PROBES; index++) {
    const bit = Math.floor((probe / 2 ** 32) * bits)
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
    probe = (probe + step) >>> 0
  }
  return true
}

/** False when one of the tokens is certainly in no row of the block. */
export function filterMayHaveAll(filter: Uint8Array, tokens: readonly string[]): boolean {
  return tokens.every(token => filterHasHash(filter, hashToken(token)))
}
