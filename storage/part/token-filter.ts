/**
 * The token filter of a block: which tokens its text has, all text columns together, for most tokens of a field stand in `_raw` too and
 * would be kept twice. It never misses a token that is there; it finds about one in 256 that are not, and a search for several tokens
 * multiplies that. New filters are binary fuse filters; those of the first parts are Bloom filters, a column each.
 */

import { spareMemory } from '../spare-memory.ts'
import { FOLD, finishHash, forEachTokenHash, HASH_PRIME, HASH_SEED, hashToken } from '../tokens.ts'
import type { TextVector } from '../vector.ts'
import type { ByteSource } from './bytes.ts'
import { FILTER_BLOOM, FILTER_FUSE } from './format.ts'
import { buildFuseFilter, type FuseFilter, fuseFilterHas, readFuseFilter } from './fuse-filter.ts'
import { forgetWords, hashColumn } from './token-loop.ts'

export interface TokenFilter {
  readonly byteLength: number
  hasHash(hash: number): boolean
}

/** Probes of a Bloom filter. */
const PROBES = 3
const TABLE_SLOTS_MIN = 1024
const SLOTS_EXPECTED_MAX = 1 << 20

/** Slots that the last set had in the end: the next is of a part like that one, and growing to it takes as long as what it then adds. */
let slotsExpected = TABLE_SLOTS_MIN

/** The distinct hashes seen; reused from block to block, as a filter is sized only once all are known. */
export class TokenSet {
  #table = new Int32Array(TABLE_SLOTS_MIN)
  /** What is in the table, in order of appearance; as long as half the table at the least, which is when that grows. */
  #hashes = new Int32Array(TABLE_SLOTS_MIN / 2 + 1)
  #count = 0
  #hasZero = false
  readonly #add = (hash: number): void => this.add(hash)

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
    const table = this.#table
    for (let held = table[slot]!; held !== 0; held = table[slot]!) {
      if (held === hash) return
      slot = (slot + 1) & mask
    }
    table[slot] = hash
    this.#hashes[this.#count++] = hash
    if (this.#count * 2 > table.length) this.#grow()
  }

  /**
   * The tokens of `bytes[start … end)`: `forEachTokenHash` without a call per token, which is what it spent most of its time on (a fifth of
   * that of a part). Only a stretch with longer characters is left to it.
   */
  addText(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; ) {
      let folded = FOLD[bytes[at]!]!
      if (folded === 0) {
        at++
        continue
      }
      const tokenStart = at
      let hash = HASH_SEED
      while (folded !== 0 && folded !== 255) {
        hash = Math.imul(hash ^ folded, HASH_PRIME)
        folded = ++at < end ? FOLD[bytes[at]!]! : 0
      }
      if (folded === 0) {
        this.add(finishHash(hash))
        continue
      }
      while (at < end && FOLD[bytes[at]!] !== 0) at++
      forEachTokenHash(bytes, tokenStart, at, this.#add)
    }
  }

  /** `addText` of every row. */
  addColumn(text: TextVector): void {
    const { bytes, offsets } = text
    const addText = (start: number, end: number): void => this.addText(bytes, start, end)
    if (hashColumn(this, text, this.addAll, addText)) return
    for (let row = 0; row < text.rowCount; row++) this.addText(bytes, offsets[row]!, offsets[row + 1]!)
  }

  readonly addAll = (hashes: Int32Array): void => {
    for (let from = 0; from < hashes.length; ) from = this.#addSome(hashes, from)
  }

  /** `add` for as many as there is room for; answers where it stopped. */
  #addSome(hashes: Int32Array, from: number): number {
    const table = this.#table
    const own = this.#hashes
    const mask = table.length - 1
    const last = table.length / 2
    let count = this.#count
    let index = from
    for (; index < hashes.length && count < last; index++) {
      const hash = hashes[index]!
      let slot = hash & mask
      let held = table[slot]!
      while (held !== 0 && held !== hash) {
        slot = (slot + 1) & mask
        held = table[slot]!
      }
      if (held === hash) {
        // Zero is in no place, and found in each that is free.
        if (hash === 0) this.#hasZero = true
        continue
      }
      table[slot] = hash
      own[count++] = hash
    }
    this.#count = count
    if (index < hashes.length) this.#grow()
    return index
  }

  /** Forgets what was added. */
  clear(): void {
    this.#table.fill(0)
    forgetWords(this)
    this.#count = 0
    this.#hasZero = false
  }

  #grow(): void {
    const table = zeros(Math.max(this.#table.length * 4, Math.min(slotsExpected, SLOTS_EXPECTED_MAX)))
    putAll(table, this.#hashes, this.#count)
    spareMemory.give(this.#table.buffer)
    this.#table = table
    const length = table.length / 2 + 1
    if (length <= this.#hashes.length) return
    const hashes = spareMemory.elements(Int32Array, length)
    hashes.set(this.#hashes)
    spareMemory.give(this.#hashes.buffer)
    this.#hashes = hashes
  }

  /** Nobody adds to it any more: its memory is for others. */
  release(): void {
    slotsExpected = this.#table.length
    spareMemory.give(this.#table.buffer)
    spareMemory.give(this.#hashes.buffer)
    this.#table = new Int32Array(TABLE_SLOTS_MIN)
    this.#hashes = new Int32Array(TABLE_SLOTS_MIN / 2 + 1)
    this.#count = 0
    this.#hasZero = false
    forgetWords(this)
  }

  /** In no order that means anything. */
  hashes(): Int32Array {
    const hashes = new Int32Array(this.size)
    hashes.set(this.#hashes.subarray(0, this.#count))
    // Where zero stands, if it is there, is zero already.
    return hashes
  }

  /** The filter of what was added since the last one. @param hashes  all of it, if somebody asked for them */
  takeFilter(hashes: Int32Array = this.hashes()): FuseFilter {
    const { length } = this.#table
    // Blocks of a part are alike, so a table that was well used stays; one that was mostly empty made way for a column of ids.
    if (this.#count * 16 < length) {
      spareMemory.give(this.#table.buffer)
      this.#table = zeros(Math.max(TABLE_SLOTS_MIN, length / 4))
    }
    this.clear()
    return buildFuseFilter(hashes, hashes.length)
  }
}

/** @throws {RangeError} when the bytes describe no filter of that kind */
export function readTokenFilter(source: ByteSource, kind: number): TokenFilter {
  if (kind === FILTER_FUSE) {
    const filter = readFuseFilter(source)
    return { byteLength: filter.fingerprints.byteLength, hasHash: hash => fuseFilterHas(filter, hash) }
  }
  if (kind !== FILTER_BLOOM) throw new RangeError(`token filter ${kind} is not known`)
  if (source.remaining === 0) throw new RangeError('an empty token filter')
  const bits = source.bytes(source.remaining)
  return { byteLength: bits.byteLength, hasHash: hash => bloomHas(bits, hash) }
}

/** Those are distinct, and none of them there. */
function putAll(table: Int32Array, hashes: Int32Array, count: number): void {
  const mask = table.length - 1
  for (let index = 0; index < count; index++) {
    const hash = hashes[index]!
    let slot = hash & mask
    while (table[slot] !== 0) slot = (slot + 1) & mask
    table[slot] = hash
  }
}

function zeros(length: number): Int32Array<ArrayBuffer> {
  return spareMemory.elements(Int32Array, length).fill(0)
}

/** A second hash of the first: the probes are `hash + i * step`. Part of the file format. */
function stepOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1
}

function bloomHas(filter: Uint8Array, hash: number): boolean {
  const bits = filter.length * 8
  const step = stepOf(hash)
  let probe = hash
  for (let index = 0; index < PROBES; index++) {
    const bit = (((probe >>> 0) / 2 ** 32) * bits) >>> 0
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
    probe = (probe + step) | 0
  }
  return true
}

/** False when one of the tokens is certainly in no row of the block. */
export function filterMayHaveAll(filter: TokenFilter, tokens: readonly string[]): boolean {
  return tokens.every(token => filter.hasHash(hashToken(token)))
}
