/**
 * Whole numbers that lie close together, as codes in the order in which they are first seen: a table over the window tells the code of a
 * number. HTTP statuses are a dozen in a window of three hundred, and it is the dozen that states by slot have to hold: 2 M rows by host and
 * status, a mean and a sum, 49 ms with the offset into the window for a code, 29 with these.
 */
import { PRESENT } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'

type Numbers = Float64Array | Int32Array

/** Wider ranges go through a hash table. */
export const WINDOW_MAX = 1 << 16
const FIRST_CAPACITY = 16

/** The token of its own codes: they keep their meaning for as long as it is used. */
export class WindowCodes {
  /** By code; code 0 is null. */
  values = new Float64Array(FIRST_CAPACITY)
  #low: number
  /** By offset from `#low`; 0: not seen yet. */
  #codeAt: Uint32Array
  #count = 1

  constructor(low: number, high: number) {
    this.#low = low
    this.#codeAt = new Uint32Array(high - low + 1)
  }

  /** A power of two, so that slots of several keys keep their meaning while codes are added. */
  get capacity(): number {
    return this.values.length
  }

  /** Makes room for such numbers; false when the window would be too wide. */
  cover(low: number, high: number): boolean {
    const last = this.#low + this.#codeAt.length - 1
    if (low >= this.#low && high <= last) return true
    const newLow = Math.min(low, this.#low)
    const width = Math.max(high, last) - newLow + 1
    if (width > WINDOW_MAX) return false
    const codeAt = new Uint32Array(width)
    codeAt.set(this.#codeAt, this.#low - newLow)
    this.#low = newLow
    this.#codeAt = codeAt
    return true
  }

  /** Every number must be covered: those selected, or all when most rows are. */
  encode(values: Numbers, presence: Uint8Array | null, batch: Batch, isSelected: boolean, codes: Uint32Array): void {
    const { rowCount, selection, selectedCount } = batch
    if (isSelected && selection !== null) {
      for (let n = 0; n < selectedCount; n++) {
        const row = selection[n]!
        codes[row] = presence !== null && presence[row] !== PRESENT ? 0 : this.#codeOf(values[row]!)
      }
    } else if (presence !== null) {
      for (let row = 0; row < rowCount; row++) codes[row] = presence[row] === PRESENT ? this.#codeOf(values[row]!) : 0
    } else if (values instanceof Int32Array) this.#encodeInt32(values, codes, rowCount)
    else this.#encodeFloat64(values, codes, rowCount)
  }

  #codeOf(value: number): number {
    const at = value - this.#low
    const code = this.#codeAt[at]!
    return code === 0 ? this.#add(at) : code
  }

  // One loop per element type: V8 keeps type feedback per function, and a loop that has seen both is twice as slow.

  #encodeInt32(values: Int32Array, codes: Uint32Array, rowCount: number): void {
    const codeAt = this.#codeAt
    const low = this.#low
    for (let row = 0; row < rowCount; row++) {
      const at = values[row]! - low
      const code = codeAt[at]!
      codes[row] = code === 0 ? this.#add(at) : code
    }
  }

  #encodeFloat64(values: Float64Array, codes: Uint32Array, rowCount: number): void {
    const codeAt = this.#codeAt
    const low = this.#low
    for (let row = 0; row < rowCount; row++) {
      const at = values[row]! - low
      const code = codeAt[at]!
      codes[row] = code === 0 ? this.#add(at) : code
    }
  }

  #add(at: number): number {
    const code = this.#count++
    if (code === this.values.length) {
      const values = new Float64Array(code * 2)
      values.set(this.values)
      this.values = values
    }
    this.values[code] = at + this.#low
    this.#codeAt[at] = code
    return code
  }
}
