/**
 * V8 collects when it allocates: a server that has taken two million events and is then left alone would hold on to what they left for as
 * long as nobody asks it anything. Once its event loop has had next to nothing to do for a while it collects, if that may be worth it; who
 * comes at that moment waits for it, about 50 ms. And what the allocator keeps goes back to the system (`storage/malloc.ts`).
 *
 * It collects twice: V8 makes the room for what is young smaller only if little was made since the collection before, and at the first that is
 * what the events left. Without the second it kept 36 MiB of it in one run of ten, and 8 in three, for as long as nobody asked anything.
 */
import { performance } from 'node:perf_hooks'
import { malloc } from '../storage/malloc.ts'
import { collectForRest } from '../storage/nice.ts'

const LOOK_EVERY_MS = 10_000
/** Of the time between two looks. */
const BUSY_MIN = 0.02
const WORTH_BYTES = 8 * 2 ** 20

/** What it looks at, so that a test can say what it sees. */
export interface IdleView {
  /** 0 to 1, since the last time it was asked for. */
  busy(): number
  /** Bytes in the heap, and those that it holds on to outside. */
  held(): number
  collect(): void
  /** Of what was freed, whoever freed it. */
  giveBack(): void
}

export class IdleCollector {
  readonly #view: IdleView
  #heldBefore = 0
  #isAgain = false

  constructor(view: IdleView) {
    this.#view = view
  }

  look(): void {
    if (this.#view.busy() > BUSY_MIN) return
    this.#collect()
    // Each time, as threads that were left alone end when they will; where there is nothing it takes half a millisecond of a thread of the pool.
    this.#view.giveBack()
  }

  #collect(): void {
    const isWorth = this.#view.held() >= this.#heldBefore + WORTH_BYTES
    if (!isWorth && !this.#isAgain) return
    this.#view.collect()
    this.#heldBefore = this.#view.held()
    this.#isAgain = isWorth
  }
}

/** From now on; the result ends it. */
export function collectWhenIdle(): () => void {
  const collector = new IdleCollector(processView())
  const timer = setInterval(() => collector.look(), LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

function processView(): IdleView {
  const allocator = malloc()
  let last = performance.eventLoopUtilization()
  return {
    busy() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    held() {
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    },
    collect: collectForRest,
    giveBack: () => void allocator.trim(),
  }
}
