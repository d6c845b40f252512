/** Texts numbered by their bytes, for group keys, joins, and what is cut out of other texts. */
import { giveUp, moved, zeroBytes, zeroWords } from '../operators/table/spare-memory.ts'
import { textAt } from './vectors.ts'

/** Open addressing over byte ranges: no string is made until a group's value is asked for. Code 0 is kept for null. */
export class TextTable {
  #arena = zeroBytes(1 << 16)
  #offsets = new Uint32Array(1025)
  #hashes = new Uint32Array(1024)
  #slots = new Uint32Array(2048)
  #count = 1

  get capacity(): number {
    return this.#hashes.length
  }

  get sizeBytes(): number {
    return this.#arena.length + 4 * (this.#offsets.length + this.#hashes.length + this.#slots.length)
  }

  /** How many texts have codes; these count from 1. */
  get count(): number {
    return this.#count - 1
  }

  codeOf(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOfBytes(bytes, start, end)
    const mask = this.#slots.length - 1
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const code = this.#slots[at]!
      if (code === 0) return this.#add(bytes, start, end, hash, at)
      if (this.#hashes[code] === hash && this.#equals(code, bytes, start, end)) return code
    }
  }

  /** 0 when the text has no code. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOfBytes(bytes, start, end)
    const mask = this.#slots.length - 1
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const code = this.#slots[at]!
      if (code === 0 || (this.#hashes[code] === hash && this.#equals(code, bytes, start, end))) return code
    }
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#offsets[code]!
    if (this.#offsets[code + 1]! - from !== end - start) return false
    for (let at = start, known = from; at < end; at++, known++) if (bytes[at] !== this.#arena[known]) return false
    return true
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, at: number): number {
    const code = this.#count++
    if (code + 1 >= this.#offsets.length) {
      this.#offsets = moved(this.#offsets, zeroWords((this.#offsets.length - 1) * 2 + 1))
      this.#hashes = moved(this.#hashes, zeroWords(this.#hashes.length * 2))
    }
    const from = this.#offsets[code]!
    const to = from + end - start
    if (to > this.#arena.length) {
      this.#arena = moved(this.#arena, zeroBytes(Math.max(to, this.#arena.length * 2)))
    }
    this.#arena.set(bytes.subarray(start, end), from)
    this.#offsets[code + 1] = to
    this.#hashes[code] = hash
    this.#slots[at] = code
    if (this.#count * 2 > this.#slots.length) this.#rehash()
    return code
  }

  #rehash(): void {
    const slots = zeroWords(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let code = 1; code < this.#count; code++) {
      let at = this.#hashes[code]! & mask
      while (slots[at] !== 0) at = (at + 1) & mask
      slots[at] = code
    }
    giveUp(this.#slots)
    this.#slots = slots
  }

  /** Nobody asks it any more. */
  release(): void {
    for (const table of [this.#arena, this.#offsets, this.#hashes, this.#slots]) giveUp(table)
  }

  textOf(code: number): string {
    return textAt(this.#arena, this.#offsets, code)
  }
}

function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = (end - start) | 0
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
