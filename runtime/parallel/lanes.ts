/**
 * What the main thread wants of other threads, without saying how they are had: the same operators over other blocks, and the state
 * they end up with. Blocks are dealt out by their place, always to the same lane, so that each thread's cache holds its own; who has done
 * its own helps the others.
 */
import type { Interner } from '../helpers/interner.ts'
import type { Profile } from '../profile.ts'
import type { PartialState } from './state.ts'
import type { WorkLedger } from './work.ts'

/** Where a block is found by a thread that does not share memory. */
export interface BlockPlace {
  readonly path: string
  readonly block: number
  readonly rowOrderBase: number
  /** In `LaneTask.claims`. */
  readonly number: number
}

export interface LaneTask {
  /** `SplitPlan.text` */
  readonly plan: string
  /** The query's text: what comments in kernels quote. */
  readonly query: string
  readonly hash: string
  /** Those dealt to the thread, then those of others. */
  readonly places: readonly BlockPlace[]
  readonly ownCount: number
  /** Who asks for blocks of `claims` (`claims.ts`). */
  readonly share: number
  readonly claims: SharedArrayBuffer
  readonly nowMicros: number
  readonly memoryBytes: number
}

export interface LaneResult {
  readonly partial: PartialState
  /** Of the lane's own run: counters, kernels, operators. */
  readonly profile: Profile
  /** Its interned numbers, translated. */
  readonly ids: Uint32Array
}

export interface Lanes {
  /** Threads ready besides the caller's; may be none, and may be more the next time. */
  ready(): number
  /** Those, and after them the threads that are only starting: what they are given waits for them. */
  expected(): number
  /** Fewer rows than this are done before another thread has answered, where nothing is known of how long they take. */
  readonly rowsMin: number
  /** What is known of that; null: it does not count. */
  readonly work: Pick<WorkLedger, 'isShared' | 'note'> | null
  /**
   * Runs the task in thread `lane` (0 … ready() - 1). Null when that failed, for whatever reason: the caller then does the work itself,
   * and meets the same error, or none.
   */
  run(lane: number, task: LaneTask, interner: Interner): LaneRun
}

export interface LaneRun {
  readonly result: Promise<LaneResult | null>
  cancel(): void
}

/** Of a task that nobody runs. */
export const NOT_RUN: LaneRun = { result: Promise.resolve(null), cancel: () => {} }
