/** The bytes a query may hold. Operators that keep rows charge what they keep; beyond the budget the query fails by name. */

export class QueryMemoryError extends Error {
  constructor(what: string, budgetBytes: number) {
    const budget = Math.round(budgetBytes / (1024 * 1024))
    super(
      `${what} needs more than the ${budget} MB a query may use; narrow the time range, filter or group earlier, keep fewer fields, or raise query.memory`,
    )
    this.name = 'QueryMemoryError'
  }
}

export interface Memory {
  /** @throws {QueryMemoryError} naming the stage that asked */
  charge(bytes: number, what: string): void
  release(bytes: number): void
}

export class MemoryBudget implements Memory {
  readonly #budgetBytes: number
  #usedBytes = 0
  peakBytes = 0

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes
  }

  charge(bytes: number, what: string): void {
    this.#usedBytes += bytes
    if (this.#usedBytes > this.peakBytes) this.peakBytes = this.#usedBytes
    if (this.#usedBytes > this.#budgetBytes) throw new QueryMemoryError(what, this.#budgetBytes)
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }

  /** The same budget, as one operator charges it: the most it held at once is told to `holder`. */
  of(holder: { memoryBytes: number }): Memory {
    let used = 0
    return {
      charge: (bytes, what) => {
        used += bytes
        if (used > holder.memoryBytes) holder.memoryBytes = used
        this.charge(bytes, what)
      },
      release: bytes => {
        used -= bytes
        this.release(bytes)
      },
    }
  }
}
