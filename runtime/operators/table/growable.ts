/** Typed arrays that grow: one value per row that went by. */

const START = 1024

export class Floats {
  values = new Float64Array(START)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const values = new Float64Array(this.length * 2)
      values.set(this.values)
      this.values = values
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
    const values = new Int32Array(Math.max(needed, this.values.length * 2))
    values.set(this.values)
    this.values = values
  }
}
