/**
 * The bytes that the chunk caches of all threads may hold together, told in shared memory. Who needs room drops what he himself has not used for
 * longest, unless another thread holds something that has lain there longer: that one is asked to give some up. It hears of it where it comes
 * to its cache next, or at once if it has nothing to do, and from then on the room counts as free.
 *
 * A fixed half each, which is what this replaces, leaves half of the memory to a thread that has nothing to do: over 20 M events the first 100 by
 * a number took 1,400 to 2,200 ms, as what one thread reads did not fit its half; 130 where it does.
 */

/** By `Int32Array` index from the start of a share. */
const IS_TAKEN = 0
const KIB = 1
/** KiB that its thread was asked to give up and has not yet. */
const ASKED_KIB = 2
/** When what it has not used for longest was used, in ticks. */
const OLDEST = 3
const HITS = 4
const MISSES = 5
/** KiB dropped since the start. */
const DROPPED_KIB = 6
/** Each a line of the processor's cache, which no other thread writes to. */
const SHARE_INTS = 16
/** The budget, as a float64; how many queries there were. */
const HEAD_INTS = 16
const QUERIES = 2

const TICK_MS = 32
/** Two threads at work on the same query do not take from each other. */
const OLDER_TICKS = Math.ceil(500 / TICK_MS)
/** What is asked over and over was read since: of who pauses by the last of these queries, of many at once in this time. */
const STALE_QUERIES = 4
const STALE_TICKS = Math.ceil(5000 / TICK_MS)
/** A little ahead, so that a thread is not asked for each chunk. */
const ASK_KIB_MIN = 1024

export interface CacheStatus {
  readonly bytes: number
  readonly maxBytes: number
  /** Since the start: chunks that were there, and chunks that had to be decoded. Modulo 2^32. */
  readonly hits: number
  readonly misses: number
}

const ticksOf = (nowMs: number): number => Math.floor(nowMs / TICK_MS) | 0

export class CacheBudget {
  /** For another thread's `CacheBudget.at`. */
  readonly memory: SharedArrayBuffer
  readonly maxBytes: number
  readonly #ints: Int32Array
  readonly #shares: number
  #looksAtDropped = (): void => {}

  private constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#ints = new Int32Array(memory)
    this.#shares = (this.#ints.length - HEAD_INTS) / SHARE_INTS
    this.maxBytes = new Float64Array(memory, 0, 1)[0]!
  }

  static of(maxBytes: number, shares: number): CacheBudget {
    const memory = new SharedArrayBuffer((HEAD_INTS + shares * SHARE_INTS) * Int32Array.BYTES_PER_ELEMENT)
    new Float64Array(memory, 0, 1)[0] = maxBytes
    return new CacheBudget(memory)
  }

  static at(memory: SharedArrayBuffer): CacheBudget {
    return new CacheBudget(memory)
  }

  get status(): CacheStatus {
    return {
      bytes: this.#sum(KIB) * 1024,
      maxBytes: this.maxBytes,
      hits: this.#sum(HITS) >>> 0,
      misses: this.#sum(MISSES) >>> 0,
    }
  }

  #sum(what: number): number {
    let total = 0
    for (let at = HEAD_INTS; at < this.#ints.length; at += SHARE_INTS)
      total += Atomics.load(this.#ints, at + what) >>> 0
    return total
  }

  /** Calls `dropped` each time so many more bytes were dropped to make room, as far as this thread notices: where it drops some, or a query begins. */
  whenDropped(everyBytes: number, dropped: () => void): void {
    const everyKib = everyBytes / 1024
    let toldKib = this.#sum(DROPPED_KIB)
    this.#looksAtDropped = () => {
      const kib = this.#sum(DROPPED_KIB)
      if (kib - toldKib < everyKib) return
      toldKib = kib
      dropped()
    }
  }

  /** So much of the share whose place is `at`. */
  noteDropped(at: number, bytes: number): void {
    Atomics.add(this.#ints, at + DROPPED_KIB, Math.ceil(bytes / 1024))
    this.#looksAtDropped()
  }

  /** A query begins. */
  noteQuery(): void {
    Atomics.add(this.#ints, QUERIES, 1)
    this.#looksAtDropped()
  }

  /** The number of a share that nobody has; null when all are taken. */
  take(): number | null {
    for (let share = 0; share < this.#shares; share++) {
      const at = HEAD_INTS + share * SHARE_INTS
      if (Atomics.compareExchange(this.#ints, at + IS_TAKEN, 0, 1) === 0) return share
    }
    return null
  }

  share(number: number, now?: () => number): CacheShare {
    return new CacheShare(this, this.#ints, HEAD_INTS + number * SHARE_INTS, now)
  }

  /** Of a thread that has ended: what it held is gone with it. */
  release(number: number): void {
    const at = HEAD_INTS + number * SHARE_INTS
    Atomics.store(this.#ints, at + KIB, 0)
    Atomics.store(this.#ints, at + ASKED_KIB, 0)
    Atomics.store(this.#ints, at + IS_TAKEN, 0)
    Atomics.notify(this.#ints, at + ASKED_KIB)
  }
}

/** What one thread holds of it. */
export class CacheShare {
  readonly maxBytes: number
  readonly #budget: CacheBudget
  readonly #ints: Int32Array
  readonly #at: number
  readonly #now: () => number
  #oldest = 0

  constructor(budget: CacheBudget, ints: Int32Array, at: number, now: () => number = Date.now) {
    this.maxBytes = budget.maxBytes
    this.#budget = budget
    this.#ints = ints
    this.#at = at
    this.#now = now
  }

  get tick(): number {
    return ticksOf(this.#now())
  }

  /** Of the query at hand, about. */
  get query(): number {
    return Atomics.load(this.#ints, QUERIES)
  }

  get isAsked(): boolean {
    return Atomics.load(this.#ints, this.#at + ASKED_KIB) !== 0
  }

  /** By how much a cache of `ownBytes` would have all together, without what threads are about to give up, go over the budget. */
  excess(ownBytes: number): number {
    let bytes = ownBytes - this.maxBytes
    for (let at = HEAD_INTS; at < this.#ints.length; at += SHARE_INTS)
      if (at !== this.#at) bytes += this.#kibOf(at) * 1024
    return bytes
  }

  /** What others hold that nobody misses, as far as can be told from here: half of all, where the oldest of it was not used lately. */
  get staleElsewhere(): number {
    let kib = 0
    for (let at = HEAD_INTS; at < this.#ints.length; at += SHARE_INTS)
      if (at !== this.#at && this.#isOld(Atomics.load(this.#ints, at + OLDEST))) kib += this.#kibOf(at) / 2
    return kib * 1024
  }

  /** Not used lately. @param usedAt  `tick` then. @param usedIn  `query` then */
  isStale(usedAt: number, usedIn: number): boolean {
    return this.query - usedIn >= STALE_QUERIES && this.#isOld(usedAt)
  }

  #isOld(usedAt: number): boolean {
    return ((this.tick - usedAt) | 0) > STALE_TICKS
  }

  /** Without what it was asked for. */
  #kibOf(at: number): number {
    return Math.max(0, Atomics.load(this.#ints, at + KIB) - Atomics.load(this.#ints, at + ASKED_KIB))
  }

  /**
   * Asks the thread that holds what nobody has used for longest, if that is longer ago than `oldest`, to give up so many bytes.
   * @param oldest  tick of what the caller could drop; null: it has nothing
   */
  askForOlder(bytes: number, oldest: number | null): boolean {
    let found = -1
    let foundOldest = 0
    for (let at = HEAD_INTS; at < this.#ints.length; at += SHARE_INTS) {
      if (at === this.#at || this.#kibOf(at) === 0) continue
      const theirs = Atomics.load(this.#ints, at + OLDEST)
      if (oldest !== null && ((oldest - theirs) | 0) < OLDER_TICKS) continue
      if (found === -1 || ((foundOldest - theirs) | 0) > 0) {
        found = at
        foundOldest = theirs
      }
    }
    if (found === -1) return false
    const kib = Math.min(this.#kibOf(found), Math.max(ASK_KIB_MIN, Math.ceil(bytes / 1024)))
    Atomics.add(this.#ints, found + ASKED_KIB, kib)
    Atomics.notify(this.#ints, found + ASKED_KIB)
    return true
  }

  /** Bytes to give up now; from here on they are the caller's to drop. */
  takeAsked(): number {
    return Atomics.exchange(this.#ints, this.#at + ASKED_KIB, 0) * 1024
  }

  note(bytes: number): void {
    Atomics.store(this.#ints, this.#at + KIB, Math.ceil(bytes / 1024))
  }

  /** That were let go of to make room. */
  noteDropped(bytes: number): void {
    this.#budget.noteDropped(this.#at, bytes)
  }

  noteOldest(tick: number): void {
    if (tick === this.#oldest) return
    this.#oldest = tick
    Atomics.store(this.#ints, this.#at + OLDEST, tick)
  }

  noteHit(): void {
    Atomics.add(this.#ints, this.#at + HITS, 1)
  }

  noteMiss(): void {
    Atomics.add(this.#ints, this.#at + MISSES, 1)
  }

  /** Calls `asked` whenever somebody asks while this thread has nothing else to do, until the share is let go of. */
  listen(asked: () => void): void {
    const isMine = (): boolean => Atomics.load(this.#ints, this.#at + IS_TAKEN) !== 0
    const listen = (): void => {
      if (!isMine()) return
      if (this.isAsked) asked()
      const waiting = waitAsync(this.#ints, this.#at + ASKED_KIB, 0)
      if (waiting.async) void waiting.value.then(listen)
      else setImmediate(listen).unref()
    }
    listen()
  }

  close(): void {
    this.#budget.release((this.#at - HEAD_INTS) / SHARE_INTS)
  }
}

/** Of ES2024, which Node has and TypeScript's library for our target has not. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(
    ints: Int32Array,
    at: number,
    value: number,
  ): { readonly async: true; readonly value: Promise<string> } | { readonly async: false; readonly value: string }
}
