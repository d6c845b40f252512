/**
 * Membership of a number among many, in a few nanoseconds: a bit per value where they lie close together, otherwise open addressing over the
 * numbers themselves. A JavaScript Set would hash a boxed double.
 */

/** A table of this many bits stays in the cache. */
const DENSE_BITS_MAX = 1 << 18

export class NumberSet {
  readonly #low: number
  /** A byte per value from `low` on; null: they lie too far apart. */
  readonly #dense: Uint8Array | null
  readonly #slots: Float64Array
  readonly #mask: number

  constructor(values: readonly number[]) {
    let low = Number.POSITIVE_INFINITY
    let high = Number.NEGATIVE_INFINITY
    let areWhole = true
    for (const value of values) {
      if (value < low) low = value
      if (value > high) high = value
      areWhole &&= Number.isInteger(value)
    }
    const isDense = areWhole && high - low < DENSE_BITS_MAX
    this.#low = isDense ? low : 0
    this.#dense = isDense ? new Uint8Array(high - low + 1) : null
    if (this.#dense !== null) for (const value of values) this.#dense[value - low] = 1
    const size = isDense ? 1 : 2 ** Math.ceil(Math.log2(Math.max(2, values.length * 2)))
    this.#mask = size - 1
    // NaN is no value: an empty slot.
    this.#slots = new Float64Array(size).fill(Number.NaN)
    if (!isDense) for (const value of values) this.#add(value)
  }

  has(value: number): boolean {
    const dense = this.#dense
    if (dense !== null) {
      const at = value - this.#low
      return (at | 0) === at && at >= 0 && at < dense.length && dense[at] === 1
    }
    for (let at = hashOf(value) & this.#mask; ; at = (at + 1) & this.#mask) {
      const held = this.#slots[at]!
      if (held === value) return true
      if (Number.isNaN(held)) return false
    }
  }

  #add(value: number): void {
    let at = hashOf(value) & this.#mask
    while (!Number.isNaN(this.#slots[at]) && this.#slots[at] !== value) at = (at + 1) & this.#mask
    this.#slots[at] = value
  }
}

const bits = new Float64Array(1)
const halves = new Uint32Array(bits.buffer)

function hashOf(value: number): number {
  // 0 and -0 are one number.
  bits[0] = value + 0
  const mixed = Math.imul(halves[0]! ^ Math.imul(halves[1]!, 0x9e3779b1), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

export const NUMBER_SET_HELPERS = {
  numberSet: (values: readonly number[]): NumberSet => new NumberSet(values),
}
