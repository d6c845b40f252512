/** Typed arrays that grow: one value per row that went by. */
import { giveUp, moved, zeroInts, zeroNumbers } from './spare-memory.ts'

const START = 1024

export class Floats {
  values = new Float64Array(START)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      this.values = moved(this.values, zeroNumbers(this.length * 2))
    }
    this.values[this.length++] = value
  }
}

export class Ints {
  values = new Int32Array(START)
  length = 0

  push(value: number): void {
    this.reserve(1)
    this.values[this.length++] = value
  }

  /** Room for so many more. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.values.length) return
    this.values = moved(this.values, zeroInts(Math.max(needed, this.values.length * 2)))
  }

  /** None are held any more, by anybody. */
  release(): void {
    giveUp(this.values)
    this.values = new Int32Array(START)
    this.length = 0
  }
}
