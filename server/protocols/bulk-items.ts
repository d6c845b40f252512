/**
 * The items of a bulk answer, as text: a thousand are cheaper to write than to build. Those that are decided are bytes outside the heap;
 * forty thousand short strings would be copied by every collection until the answer is sent.
 */
export class BulkItems {
  readonly #decided: Buffer[] = []
  #decidedCount = 0
  #open: string[] = []

  /** @returns its position */
  add(item: string): number {
    this.#open.push(item)
    return this.#decidedCount + this.#open.length - 1
  }

  /** One that is not yet decided. */
  at(position: number): string {
    return this.#open[position - this.#decidedCount]!
  }

  replace(position: number, item: string): void {
    this.#open[position - this.#decidedCount] = item
  }

  /** What has been added is not looked at again. */
  decide(): void {
    if (this.#open.length === 0) return
    const separator = this.#decidedCount === 0 ? '' : ','
    this.#decided.push(Buffer.from(separator + this.#open.join(',')))
    this.#decidedCount += this.#open.length
    this.#open = []
  }

  /** All of them between two texts. */
  between(before: string, after: string): Buffer {
    this.decide()
    return Buffer.concat([Buffer.from(before), ...this.#decided, Buffer.from(after)])
  }
}
