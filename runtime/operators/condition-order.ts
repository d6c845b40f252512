/**
 * The order in which the conditions of a scan are asked: at first that of the plan, which was estimated; after some blocks that of what was
 * measured, decoding included. Which rows pass does not depend on it: conditions that may fail the query keep their places.
 */

interface Measured {
  rowsIn: number
  rowsOut: number
  ns: number
}

/** Blocks after which the order is looked at again: a new order means new kernels. */
const LOOKS = [2, 8, 32, 128]
/** Fewer rows than these say little about a condition. */
const ROWS_MIN = 4096
/** An order has to promise this much to be taken: measured times waver. */
const GAIN_MIN = 1.3

export class ConditionOrder {
  /** Positions of conditions in the plan, in the order they are asked. */
  order: readonly number[]
  isLearned = false
  readonly #isFixed: readonly boolean[]
  readonly #measured: readonly Measured[]
  #blocks = 0

  constructor(isFixed: readonly boolean[]) {
    this.order = isFixed.map((_, index) => index)
    this.#isFixed = isFixed
    this.#measured = isFixed.map(() => ({ rowsIn: 0, rowsOut: 0, ns: 0 }))
  }

  note(condition: number, rowsIn: number, rowsOut: number, ns: number): void {
    const measured = this.#measured[condition]!
    measured.rowsIn += rowsIn
    measured.rowsOut += rowsOut
    measured.ns += ns
  }

  /** A block is done. */
  next(): void {
    this.#blocks++
    if (this.order.length < 2 || !LOOKS.includes(this.#blocks)) return
    const better = this.#sorted()
    if (better.every((condition, index) => condition === this.order[index])) return
    if (this.#costOf(better) * GAIN_MIN > this.#costOf(this.order)) return
    this.order = better
    this.isLearned = true
  }

  #sorted(): readonly number[] {
    const sorted: number[] = []
    let run: number[] = []
    const settle = (): void => {
      // What nobody has measured stays behind what it stood behind.
      const known = run.filter(condition => this.#isKnown(condition)).sort((a, b) => this.#rankOf(a) - this.#rankOf(b))
      sorted.push(...run.map(condition => (this.#isKnown(condition) ? known.shift()! : condition)))
      run = []
    }
    for (const condition of this.order) {
      if (this.#isFixed[condition]) {
        settle()
        sorted.push(condition)
      } else run.push(condition)
    }
    settle()
    return sorted
  }

  #isKnown(condition: number): boolean {
    return this.#measured[condition]!.rowsIn >= ROWS_MIN
  }

  #passes(condition: number): number {
    const { rowsIn, rowsOut } = this.#measured[condition]!
    return rowsIn === 0 ? 1 : rowsOut / rowsIn
  }

  /** Time for each row dropped. */
  #rankOf(condition: number): number {
    const { ns, rowsIn } = this.#measured[condition]!
    return ns / rowsIn / Math.max(1e-6, 1 - this.#passes(condition))
  }

  /** Expected time of a row. */
  #costOf(order: readonly number[]): number {
    let reaching = 1
    let cost = 0
    for (const condition of order) {
      const { ns, rowsIn } = this.#measured[condition]!
      if (rowsIn > 0) cost += (reaching * ns) / rowsIn
      reaching *= this.#passes(condition)
    }
    return cost
  }
}
