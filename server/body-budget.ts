/**
 * How many bytes of request bodies may be in memory at once. A request waits until there is room, which its sender feels as a slow
 * connection and nothing else: only when that takes too long is it told to come again.
 */
import { RequestError } from './errors.ts'

const WAIT_MS = 10_000
/** Bodies that are decoded at once: how large they become is known only then, so these few may go beyond the budget. */
const DECODING_MAX = 2

interface Waiting {
  readonly bytes: number
  admit(): void
}

export class BodyBudget {
  readonly #limit: () => number
  readonly #waiting = new Set<Waiting>()
  #held = 0
  #decoding = 0
  readonly #decodersWaiting: (() => void)[] = []

  constructor(limit: () => number) {
    this.#limit = limit
  }

  get held(): number {
    return this.#held
  }

  /** Begins with nothing. */
  open(): BodyShare {
    return new BodyShare(this)
  }

  /** Runs what makes a body larger, when it is its turn. */
  async decoding<T>(run: () => Promise<T>): Promise<T> {
    if (this.#decoding >= DECODING_MAX) await new Promise<void>(resolve => this.#decodersWaiting.push(resolve))
    else this.#decoding++
    try {
      return await run()
    } finally {
      const next = this.#decodersWaiting.shift()
      if (next === undefined) this.#decoding--
      else next()
    }
  }

  /** @throws {RequestError} BACKPRESSURE when there is no room for too long */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.size === 0 && this.#fits(bytes)) {
      this.#held += bytes
      return
    }
    await this.#wait(bytes)
  }

  give(bytes: number): void {
    this.#held -= bytes
    for (const next of this.#waiting) {
      if (!this.#fits(next.bytes)) return
      this.#held += next.bytes
      next.admit()
    }
  }

  /** What is larger than all of it comes in when nothing else is there; otherwise it never would. */
  #fits(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#limit()
  }

  #wait(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        admit: () => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        // Whoever stood behind it may fit.
        this.give(0)
        reject(new RequestError('BACKPRESSURE', 'too many requests are being read', { retryAfterSeconds: 1 }))
      }, WAIT_MS)
      this.#waiting.add(waiting)
    })
  }
}

/** What one request holds. */
export class BodyShare {
  readonly #budget: BodyBudget
  #bytes = 0
  #isClosed = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  decoding<T>(run: () => Promise<T>): Promise<T> {
    return this.#budget.decoding(run)
  }

  /** So much: more is taken, and less is given back. @throws {RequestError} BACKPRESSURE */
  async hold(bytes: number): Promise<void> {
    const more = bytes - this.#bytes
    if (more > 0) await this.#budget.take(more)
    else this.#budget.give(-more)
    this.#bytes = bytes
    if (this.#isClosed) this.#giveBack()
  }

  /** When the request is over; twice does no harm. */
  close(): void {
    this.#isClosed = true
    this.#giveBack()
  }

  #giveBack(): void {
    const bytes = this.#bytes
    this.#bytes = 0
    if (bytes > 0) this.#budget.give(bytes)
  }
}
