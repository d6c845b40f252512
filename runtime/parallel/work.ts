/**
 * What aggregations took when they were last run, so that a short one is not shared out. Waking a thread, and being woken by it, takes
 * between a tenth of a millisecond and three where cores are virtual and the system's own threads want them too: over 2 M events
 * `status >= 500` by path took 4.7 ms alone and 8.0 (3 to 15) shared, host and status 7.0 and 10.8, p95 11.1 and 9.5.
 */
import { Lru } from '../helpers/lru.ts'

/** Less than this, all threads together, one does as soon. */
export const SHARED_MS_MIN = 14
const PLANS_MAX = 1000

export class WorkLedger {
  readonly #last = new Lru<string, { msPerRow: number | null }>(PLANS_MAX)

  /** Milliseconds over so many rows, if it goes as the last time; null: it has not run yet. */
  expected(plan: string, rows: number): number | null {
    const { msPerRow } = this.#of(plan)
    return msPerRow === null ? null : msPerRow * rows
  }

  /** @param ms  of all threads together */
  note(plan: string, rows: number, ms: number): void {
    if (rows > 0) this.#of(plan).msPerRow = ms / rows
  }

  #of(plan: string): { msPerRow: number | null } {
    return this.#last.getOrMake(plan, () => ({ msPerRow: null }))
  }
}
