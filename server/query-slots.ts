/** Admission of queries: so many at once, so many waiting in turn, and a clear refusal beyond that. */
import { RequestError } from './errors.ts'

interface Waiting {
  readonly start: () => void
  readonly signal: AbortSignal
}

export class QuerySlots {
  /** Read each time: the settings may change while queries run. */
  readonly #limits: () => { readonly concurrent: number; readonly queued: number }
  readonly #waiting = new Set<Waiting>()
  #running = 0

  constructor(limits: () => { readonly concurrent: number; readonly queued: number }) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Settles when it is the caller's turn, with the function that ends it. @throws {RequestError} TOO_MANY_QUERIES */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#running >= this.#limits().concurrent) await this.#wait(signal)
    else this.#running++
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#limits().queued) {
      const message = `${this.#running} queries are running and ${this.#waiting.size} are waiting`
      throw new RequestError('TOO_MANY_QUERIES', message, { retryAfterSeconds: 1 })
    }
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.#waiting.delete(waiting)
        reject(signal.reason)
      }
      const start = () => {
        signal.removeEventListener('abort', abandon)
        resolve()
      }
      const waiting: Waiting = { start, signal }
      signal.addEventListener('abort', abandon, { once: true })
      this.#waiting.add(waiting)
    })
  }

  /** The slot goes straight to who waits longest, so that a newcomer cannot take it in between. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running--
      return
    }
    this.#waiting.delete(next)
    next.start()
  }
}
