/**
 * Who works on which block, told in memory that all threads share: each takes the blocks dealt to it, and then what others have not come
 * to. Cores are not equally fast, least of all on a machine shared with others: a query takes as long as its slowest thread, and with blocks
 * left to it that none would have, no longer than one block more than the rest.
 */
export class Claims {
  readonly #owners: Int32Array

  constructor(memory: SharedArrayBuffer) {
    this.#owners = new Int32Array(memory)
  }

  static memoryFor(blocks: number): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * blocks)
  }

  /** True when nobody had block `number`, and `share` has it now. */
  take(number: number, share: number): boolean {
    return Atomics.compareExchange(this.#owners, number, 0, share + 1) === 0
  }

  isOf(number: number, share: number): boolean {
    return Atomics.load(this.#owners, number) === share + 1
  }
}

/** The order in which a share goes through the blocks: its own, then those of the others from their ends, where they come last. */
export function orderFor(dealt: readonly (readonly number[])[], share: number): number[] {
  const others = dealt.filter((_, other) => other !== share).map(numbers => [...numbers].reverse())
  const order = [...dealt[share]!]
  const longest = Math.max(0, ...others.map(numbers => numbers.length))
  for (let at = 0; at < longest; at++) {
    for (const numbers of others) if (at < numbers.length) order.push(numbers[at]!)
  }
  return order
}
