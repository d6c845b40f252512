/** What every operator of a running query is: it is pushed batches and pushes its own on. */
import type { Batch } from '../batch.ts'
import type { KernelContext } from '../instantiate.ts'
import type { Memory } from '../memory.ts'
import type { OperatorProfile, Profile } from '../profile.ts'
import type { Spill } from '../spill/space.ts'
import type { Stopwatch } from '../stopwatch.ts'

export interface Operator {
  push(batch: Batch): void
  /** No more input: whatever was held back goes on now. Called once. */
  finish(): void
  /** It needs no more input: what feeds it may stop. */
  readonly isDone: boolean
}

/** Where a stage writes what passes it. */
export interface LineFile {
  write(text: string): void
  close(): void
}

export interface RunContext extends KernelContext {
  /** Null: stages write no files here. */
  readonly openFile: ((path: string) => LineFile) | null
  readonly profile: Profile
  readonly memory: Memory
  /** The operator itself: what it computes later, when a column is asked for, is still its time. */
  readonly operator: OperatorProfile
  /** Where to write what does not fit. */
  readonly spill: Spill
  /**
   * For an operator that gives back from disk what it wrote: called last thing in `finish`, instead of giving out everything there. The run
   * takes one step after the other, so that rows leave before more are read.
   */
  defer(steps: Generator<void>): void
  count(counter: string, by?: number): void
}

/** An operator of what it does. A class, as literals with getters are dictionaries to V8. */
export class Inlet implements Operator {
  readonly #isDone: () => boolean
  readonly push: Operator['push']
  readonly finish: Operator['finish']

  constructor(isDone: () => boolean, push: Operator['push'], finish: Operator['finish']) {
    this.#isDone = isDone
    this.push = push
    this.finish = finish
  }

  get isDone(): boolean {
    return this.#isDone()
  }
}

/** Done, and finished, as `next` is. */
export function inletOf(next: Operator, push: Operator['push'], finish = () => next.finish()): Operator {
  return new Inlet(() => next.isDone, push, finish)
}

/** Counts and times what passes into an operator. */
export class Measured implements Operator {
  readonly #inner: Operator
  readonly #profile: OperatorProfile
  readonly #stopwatch: Stopwatch

  constructor(inner: Operator, profile: OperatorProfile, stopwatch: Stopwatch) {
    this.#inner = inner
    this.#profile = profile
    this.#stopwatch = stopwatch
  }

  get isDone(): boolean {
    return this.#inner.isDone
  }

  push(batch: Batch): void {
    this.#profile.rowsIn += batch.selectedCount
    this.#stopwatch.time(this.#profile, () => this.#inner.push(batch))
  }

  finish(): void {
    this.#stopwatch.time(this.#profile, () => this.#inner.finish())
  }
}
