/**
 * What a thread that waits for parts to be written does meanwhile for the one that writes them: the token filters of blocks that are still to come. Reading
 * lines takes less than writing what they say, so a load waited for a quarter of its time.
 */
import type { MemoryBlock } from '../ingest/memory-block.ts'
import type { MemoryPart } from '../ingest/memory-part.ts'
import type { ReadyFilter } from '../part/ready-filter.ts'
import { TokenSet } from '../part/token-filter.ts'
import { Turn } from '../turns.ts'

/** What is to be written, first to last. */
export interface Waiting {
  /** Of which the writer may have some blocks. */
  readonly begun: readonly MemoryPart[]
  readonly next: readonly MemoryPart[]
}

export class FiltersAhead {
  readonly #waiting: () => Waiting
  readonly #isOwing: () => boolean
  readonly #tokens = new TokenSet()
  /** One at a time: the tokens are its own. It may have to wait for the next time that somebody waits. */
  #making: { readonly block: MemoryBlock; readonly steps: Generator<void, ReadyFilter> } | null = null
  #isBusy = false

  /** @param isOwing  does the writer wait for this thread? Then it does nothing else. */
  constructor(waiting: () => Waiting, isOwing: () => boolean) {
    this.#waiting = waiting
    this.#isOwing = isOwing
  }

  /** Settles as `writing` does, and at once. */
  async during(writing: Promise<void>): Promise<void> {
    if (this.#isBusy) return writing
    this.#isBusy = true
    let isWritten = false
    const ended = () => {
      isWritten = true
    }
    writing.then(ended, ended)
    try {
      const turn = new Turn()
      // The writer is asked first what it wants.
      for (await turn.next(); !isWritten; ) {
        const isOwing = this.#isOwing()
        if (!isOwing && !this.#step()) break
        if (isOwing || turn.isOver) await turn.next()
      }
    } finally {
      this.#isBusy = false
    }
    return writing
  }

  /** False: there is nothing left to do. */
  #step(): boolean {
    if (this.#making?.block.isHandedOver === true) {
      this.#making.steps.return(undefined as never)
      this.#making = null
    }
    this.#making ??= this.#next()
    if (this.#making === null) return false
    const { block, steps } = this.#making
    const step = steps.next()
    if (!step.done) return true
    block.filter = step.value
    this.#making = null
    return true
  }

  /** The last of what is being written, which is longest in coming, then the first of what follows. */
  #next(): { readonly block: MemoryBlock; readonly steps: Generator<void, ReadyFilter> } | null {
    const { begun, next } = this.#waiting()
    for (let index = begun.length - 1; index >= 0; index--) {
      const block = begun[index]!.blocksToCome(true).at(-1)
      if (block !== undefined) return { block, steps: begun[index]!.makeFilterSteps(block, this.#tokens) }
    }
    for (const part of next) {
      const block = part.blocksToCome(false)[0]
      if (block !== undefined) return { block, steps: part.makeFilterSteps(block, this.#tokens) }
    }
    return null
  }
}
