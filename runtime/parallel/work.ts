/**
 * What aggregations took when they were last run, alone and shared by threads, so that each goes the way that was quicker. Waking a thread,
 * and being woken by it, takes between a tenth of a millisecond and three where cores are virtual and the system's own threads want them too,
 * and two threads that wait for memory are no quicker than one: over 2 M events `status >= 500` by path took 4.7 ms alone and 8.0 (3 to 15)
 * shared, host and status 7.0 and 10.8, p95 11.1 and 9.5, a phrase 70 and 36.
 */
import { Lru } from '../helpers/lru.ts'

/**
 * By the clock, less than this alone is not worth waking others. Where there is one other it is half of it at best, and not each time: over 2 M events
 * `status >= 500` took 4 to 5 ms alone, and 4 to 15 in the runs in which sharing it was tried.
 */
export const SHARED_MS_MIN = 4
export const SHARED_BY_TWO_MS_MIN = 8
/** What takes longer shared than this would take longer alone. */
const ALONE_MS_MAX = 25
/** The first runs read columns that the caller, or a thread, has not in its cache yet. */
const TRIES = 3
/** A thread's code is compiled later: it is run less often than the caller's. */
const SHARED_TRIES = 5
/** A way that was slower may not be for ever: so many runs later it is tried again, and then after twice as many each time. */
const TRY_AGAIN_FIRST = 12
const TRY_AGAIN_MAX = 96
/** One run after a long time is a slow one, and two do not make up for first ones that were: a phrase over wide events stayed at 26 ms alone, in some processes, where it takes 17 shared. */
const TRIED_AGAIN = 3
const PLANS_MAX = 1000
/** What takes longer of what it takes alone is done alone: it leaves the other cores to others, and takes the same time each time. */
const SHARED_PART_MAX = 0.85

/**
 * What the last runs took, as it is with the machine left alone: sooner less than more, and one slow run is half forgiven. Not the quickest of them:
 * p95 takes 6.5 ms shared at best, and 17 to 25 each fourth time, when V8's own threads collect or compile and want both cores; alone it takes 9.5.
 */
class Way {
  tries = 0
  #msPerRow = 0

  note(msPerRow: number): void {
    const before = this.#msPerRow
    if (this.tries === 0) this.#msPerRow = msPerRow
    else if (msPerRow < before) this.#msPerRow = (before + msPerRow) / 2
    else this.#msPerRow += (Math.min(msPerRow, 2 * before) - before) / 4
    this.tries++
  }

  ms(rows: number): number {
    return this.#msPerRow * rows
  }
}

interface Known {
  readonly alone: Way
  readonly shared: Way
  /** From this run on the other way is tried, and how many runs after that again. */
  tryAt: number
  wait: number
}

export class WorkLedger {
  readonly #known = new Lru<string, Known>(PLANS_MAX)
  readonly #worthMs: number

  /** @param others  threads besides the caller's */
  constructor(others: number) {
    this.#worthMs = others > 1 ? SHARED_MS_MIN : SHARED_BY_TWO_MS_MIN
  }

  /** Should threads share it? `otherwise`: what to do when nothing is known of the plan. */
  isShared(plan: string, rows: number, otherwise: boolean): boolean {
    const known = this.#of(plan)
    const { alone, shared } = known
    if (alone.tries === 0 && shared.tries === 0) return otherwise
    if (shared.tries === 0) return alone.ms(rows) >= this.#worthMs
    if (alone.tries < TRIES && shared.ms(rows) <= ALONE_MS_MAX) return false
    if (alone.tries === 0) return true
    if (shared.tries < SHARED_TRIES && alone.ms(rows) >= this.#worthMs) return true
    const isQuicker = shared.ms(rows) < SHARED_PART_MAX * alone.ms(rows)
    // What takes next to nothing alone is not worth waking anybody for.
    const runs = alone.tries + shared.tries
    if (runs < known.tryAt || (!isQuicker && alone.ms(rows) < this.#worthMs)) return isQuicker
    if (runs >= known.tryAt + TRIED_AGAIN - 1) {
      known.wait = Math.min(2 * known.wait, TRY_AGAIN_MAX)
      known.tryAt = runs + 1 + known.wait
    }
    return !isQuicker
  }

  /** @param ms  by the clock */
  note(plan: string, rows: number, way: 'alone' | 'shared', ms: number): void {
    if (rows === 0) return
    this.#of(plan)[way].note(ms / rows)
  }

  #of(plan: string): Known {
    return this.#known.getOrMake(plan, () => ({
      alone: new Way(),
      shared: new Way(),
      tryAt: TRY_AGAIN_FIRST + TRIES + SHARED_TRIES,
      wait: TRY_AGAIN_FIRST,
    }))
  }
}
