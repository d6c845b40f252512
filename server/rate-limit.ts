/** So many requests a second for each client, with a burst of as many: off unless `http.rate_limit` says otherwise. */
import { RequestError } from './errors.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

/** Clients remembered; who was idle long enough to be full again is forgotten first. */
const CLIENTS_MAX = 10_000

export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #clock: () => number

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /** `perSecond` 0: no limit. @throws {RequestError} RATE_LIMITED, with the seconds until there is room again */
  take(client: string, perSecond: number): void {
    if (perSecond === 0) return
    const now = this.#clock()
    let bucket = this.#buckets.get(client)
    if (bucket === undefined) {
      if (this.#buckets.size >= CLIENTS_MAX) this.#forget(now)
      bucket = { tokens: perSecond, filledAt: now }
      this.#buckets.set(client, bucket)
    }
    bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond)
    bucket.filledAt = now
    if (bucket.tokens < 1) {
      const message = `more than ${perSecond} requests a second from one client`
      throw new RequestError('RATE_LIMITED', message, { retryAfterSeconds: (1 - bucket.tokens) / perSecond })
    }
    bucket.tokens -= 1
  }

  #forget(now: number): void {
    for (const [client, { filledAt }] of this.#buckets) if (now - filledAt > 1000) this.#buckets.delete(client)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size >= CLIENTS_MAX && oldest !== undefined) this.#buckets.delete(oldest)
  }
}
