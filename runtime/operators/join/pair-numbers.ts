/** One number for two: so that any number of keys is one. Zero, the number of what matches nothing, makes zero. */

export class PairNumbers {
  #firsts = new Uint32Array(1024)
  #seconds = new Uint32Array(1024)
  #slots = new Uint32Array(2048)
  #count = 1
  #adds = true

  /** From now on pairs are only looked up. */
  close(): void {
    this.#adds = false
  }

  /** Into `first`. */
  combine(first: Uint32Array, second: Uint32Array, count: number): void {
    for (let n = 0; n < count; n++) {
      const a = first[n]!
      const b = second[n]!
      first[n] = a === 0 || b === 0 ? 0 : this.#numberOf(a, b)
    }
  }

  #numberOf(a: number, b: number): number {
    const mask = this.#slots.length - 1
    for (let at = hashOf(a, b) & mask; ; at = (at + 1) & mask) {
      const number = this.#slots[at]!
      if (number === 0) return this.#adds ? this.#add(a, b, at) : 0
      if (this.#firsts[number] === a && this.#seconds[number] === b) return number
    }
  }

  #add(a: number, b: number, at: number): number {
    const number = this.#count++
    if (number === this.#firsts.length) {
      this.#firsts = doubled(this.#firsts)
      this.#seconds = doubled(this.#seconds)
    }
    this.#firsts[number] = a
    this.#seconds[number] = b
    this.#slots[at] = number
    if (this.#count * 2 > this.#slots.length) this.#rehash()
    return number
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let number = 1; number < this.#count; number++) {
      let at = hashOf(this.#firsts[number]!, this.#seconds[number]!) & mask
      while (slots[at] !== 0) at = (at + 1) & mask
      slots[at] = number
    }
    this.#slots = slots
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

function hashOf(a: number, b: number): number {
  const mixed = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
