/**
 * Answers of queries, by the identity of their runs: what has been asked of the same events is not computed again. Events that come
 * elsewhere change no identity, so they push nothing out; those that do make the old answer unreachable, and it ages away.
 */
import type { Meta, Pieces } from './query-answer.ts'

export interface CachedAnswer {
  /** The body as it is sent, or its `data` where an envelope stands around it. */
  readonly text: Pieces
  /** Null where there is no envelope. */
  readonly meta: Meta | null
}

interface Entry extends CachedAnswer {
  readonly bytes: number
  readonly expiresAt: number
}

interface Limits {
  readonly bytes: number
  readonly ttlMs: number
}

/** What an entry costs beside its text. */
const OVERHEAD_BYTES = 512

export class ResultCache {
  /** In order of use, the least recent first. */
  readonly #entries = new Map<string, Entry>()
  readonly #limits: () => Limits
  readonly #clock: () => number
  #bytes = 0
  #hits = 0
  #misses = 0
  #evictions = 0

  constructor(limits: () => Limits, clock: () => number = Date.now) {
    this.#limits = limits
    this.#clock = clock
  }

  get(key: string): CachedAnswer | null {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#drop(key, entry)
    if (entry === undefined || entry.expiresAt <= this.#clock()) {
      this.#misses++
      return null
    }
    this.#hits++
    this.#put(key, entry)
    return entry
  }

  set(key: string, answer: CachedAnswer): void {
    const { bytes: room, ttlMs } = this.#limits()
    const characters = answer.text.reduce((sum, piece) => sum + piece.length, 0)
    const bytes = characters * 2 + OVERHEAD_BYTES
    // One answer must not push out all others.
    if (bytes > room / 4) return
    const before = this.#entries.get(key)
    if (before !== undefined) this.#drop(key, before)
    this.#put(key, { bytes, expiresAt: this.#clock() + ttlMs, ...answer })
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= room) break
      this.#drop(oldest, entry)
      this.#evictions++
    }
  }

  /** How many entries went. */
  clear(): number {
    const { size } = this.#entries
    this.#entries.clear()
    this.#bytes = 0
    return size
  }

  stats() {
    const asked = this.#hits + this.#misses
    return {
      hits: this.#hits,
      misses: this.#misses,
      hit_rate: asked === 0 ? 0 : this.#hits / asked,
      entries: this.#entries.size,
      size_bytes: this.#bytes,
      max_bytes: this.#limits().bytes,
      evictions: this.#evictions,
    }
  }

  #put(key: string, entry: Entry): void {
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
