/** What every operator of a running query is: it is pushed batches and pushes its own on. */
import type { Batch } from '../batch.ts'
import type { KernelContext } from '../instantiate.ts'
import type { MemoryBudget } from '../memory.ts'
import type { OperatorProfile, Profile } from '../profile.ts'

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
  readonly memory: MemoryBudget
  count(counter: string, by?: number): void
}

/** Counts and times what passes into an operator; nested pushes are the next operator's own time. */
export class Measured implements Operator {
  readonly #inner: Operator
  readonly #profile: OperatorProfile
  readonly #next: OperatorProfile | null

  constructor(inner: Operator, profile: OperatorProfile, next: OperatorProfile | null) {
    this.#inner = inner
    this.#profile = profile
    this.#next = next
  }

  get isDone(): boolean {
    return this.#inner.isDone
  }

  push(batch: Batch): void {
    this.#profile.rowsIn += batch.selectedCount
    this.#timed(() => this.#inner.push(batch))
  }

  finish(): void {
    this.#timed(() => this.#inner.finish())
  }

  #timed(work: () => void): void {
    const nestedBefore = totalNs(this.#next)
    const start = process.hrtime.bigint()
    work()
    const all = Number(process.hrtime.bigint() - start)
    this.#profile.durationNs += Math.max(0, all - (totalNs(this.#next) - nestedBefore))
  }
}

const totals = new WeakMap<OperatorProfile, () => number>()

/** Time of an operator and all it feeds. */
function totalNs(profile: OperatorProfile | null): number {
  if (profile === null) return 0
  return profile.durationNs + (totals.get(profile)?.() ?? 0)
}

export function linkTotals(profile: OperatorProfile, next: OperatorProfile | null): void {
  if (next !== null) totals.set(profile, () => totalNs(next))
}
