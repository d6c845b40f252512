import { giveUp, moved, zeroInts, zeroNumbers } from './table/spare-memory.ts'

/** Whole numbers below 2^53, numbered from 0 in the order they are first seen: an open hash table in typed arrays. */
export class NumberedKeys {
  /** By number. */
  keys = new Float64Array(1024)
  count = 0
  #slots = new Int32Array(2048).fill(-1)

  /** The number of the key: `count` as it was before, when the key is new. */
  numberOf(key: number): number {
    const mask = this.#slots.length - 1
    for (let at = hashOf(key) & mask; ; at = (at + 1) & mask) {
      const number = this.#slots[at]!
      if (number < 0) return this.#add(key, at)
      if (this.keys[number] === key) return number
    }
  }

  #add(key: number, at: number): number {
    const number = this.count++
    if (number === this.keys.length) {
      this.keys = moved(this.keys, zeroNumbers(number * 2))
    }
    this.keys[number] = key
    this.#slots[at] = number
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return number
  }

  #rehash(): void {
    const slots = zeroInts(this.#slots.length * 2).fill(-1)
    const mask = slots.length - 1
    for (let number = 0; number < this.count; number++) {
      let at = hashOf(this.keys[number]!) & mask
      while (slots[at]! >= 0) at = (at + 1) & mask
      slots[at] = number
    }
    giveUp(this.#slots)
    this.#slots = slots
  }

  /** Nobody asks it any more. */
  release(): void {
    giveUp(this.keys)
    giveUp(this.#slots)
  }
}

const TWO_TO_32 = 4294967296

/** Without `%`, which for doubles is a call. */
function hashOf(key: number): number {
  const high = (key / TWO_TO_32) | 0
  const low = key - high * TWO_TO_32
  const mixed = Math.imul((low | 0) ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
