/**
 * All live tails of a server. Events are taken from the store once, equal filters are evaluated once for all tails that have them, and
 * the last events are remembered for a while, so that a client that comes back is told what it missed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, LiveQuery, QueryOptions } from '../../engine.ts'
import type { LiveRow } from '../../runtime/live.ts'
import type { Delivery, Snapshot, Subscription } from '../../storage/index.ts'
import { sizeOfEvent } from '../../storage/ingest/buffer.ts'
import { Turn } from '../../storage/turns.ts'
import { RequestError } from '../errors.ts'
import { Replays } from './replays.ts'

/** Who is told of results. */
export interface Listener {
  /** Rows of events from this sequence number on are its. */
  readonly first: number
  deliver(rows: readonly LiveRow[]): void
  /** Events nobody could look at in time. */
  lost(count: number): void
  fail(error: unknown): void
}

interface Group {
  readonly query: LiveQuery
  readonly listeners: Set<Listener>
}

export interface HubLimits {
  readonly most: number
  /** How long events are remembered once nobody listens. */
  readonly resumeMs: number
}

/** Events that come within this time are looked at together: it costs a tail nothing that anyone sees, and a busy server much less. */
const GATHER_MS = 10
/** What is remembered for clients that come back. */
const MEMORY_BYTES = 16 * 1024 * 1024
const WAITING = { waitingEventsMax: 500_000, waitingBytesMax: 128 * 1024 * 1024 }

export class TailHub {
  readonly #engine: Engine
  readonly #limits: () => HubLimits
  readonly #groups = new Map<string, Group>()
  #subscription: Subscription | null = null
  #memory: { readonly delivery: Delivery; readonly bytes: number }[] = []
  #memoryBytes = 0
  /** The last event that was taken from the store; 0: none since anybody listened. */
  #seen = 0
  #pending: Delivery[] = []
  #pump: Promise<void> | null = null
  #idle: NodeJS.Timeout | null = null
  /** Tails that are connected. */
  count = 0
  readonly replays: Replays

  constructor(engine: Engine, limits: () => HubLimits) {
    this.#engine = engine
    this.#limits = limits
    this.replays = new Replays(() => limits().resumeMs)
  }

  /** Filters being evaluated. */
  get groupCount(): number {
    return this.#groups.size
  }

  /** @throws {RequestError} when there are as many tails as there may be */
  enter(): () => void {
    const { most } = this.#limits()
    if (this.count >= most)
      throw new RequestError('TOO_MANY_QUERIES', `${most} live tails are open, which is as many as there may be`, {
        suggestion: 'tail.max_concurrent allows more',
        retryAfterSeconds: 5,
      })
    this.count++
    let isIn = true
    return () => {
      if (isIn) this.count--
      isIn = false
    }
  }

  /** What is there now; everything after it is heard by a listener added in the same turn with `first: snapshot.nextSequence`. */
  snapshot(): Snapshot {
    this.#listen()
    return this.#engine.snapshot()
  }

  add(query: LiveQuery, options: QueryOptions, listener: Listener): () => void {
    this.#listen()
    const key = keyOf(query, options)
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { query, listeners: new Set() }
      this.#groups.set(key, group)
    }
    const { listeners } = group
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#groups.get(key)?.listeners === listeners) this.#groups.delete(key)
      if (this.#groups.size === 0) this.#rest()
    }
  }

  /** Events after one a client has had, up to `before`; null: that is too long ago. */
  async since(sequence: number, before: number): Promise<readonly Delivery[] | null> {
    if (sequence >= before) return null
    if (sequence === before - 1) return []
    // What was appended a moment ago may still be on its way here.
    for (let tries = 0; tries < 100 && this.#seen < before - 1 && this.#seen > 0; tries++) await sleep(5)
    const [oldest] = this.#memory
    if (oldest === undefined || oldest.delivery.first > sequence + 1) return null
    const found: Delivery[] = []
    let next = sequence + 1
    for (const { delivery } of this.#memory) {
      const { first, events } = delivery
      if (first + events.length <= next || first >= before) continue
      if (first > next) return null
      const wanted = events.slice(next - first, before - first)
      found.push({ first: next, events: wanted, lost: 0 })
      next += wanted.length
    }
    return next === before ? found : null
  }

  stop(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#subscription?.close()
    this.#subscription = null
    this.#groups.clear()
    this.#memory = []
    this.replays.clear()
  }

  #listen(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
    if (this.#subscription !== null) return
    const subscription = this.#engine.subscribe(WAITING)
    // Only what comes is wanted of it.
    subscription.snapshot.release()
    this.#subscription = subscription
    void this.#take(subscription)
  }

  /** Nobody listens; whoever was cut off has some time to come back. */
  #rest(): void {
    if (this.#idle !== null || this.#subscription === null) return
    this.#idle = setTimeout(() => {
      this.#idle = null
      this.#subscription?.close()
      this.#subscription = null
      this.#memory = []
      this.#memoryBytes = 0
      this.#seen = 0
    }, this.#limits().resumeMs)
    this.#idle.unref()
  }

  async #take(subscription: Subscription): Promise<void> {
    for await (const delivery of subscription) {
      this.#remember(delivery)
      if (this.#groups.size === 0) continue
      this.#pending.push(delivery)
      this.#pump ??= this.#evaluate().finally(() => {
        this.#pump = null
      })
    }
  }

  #remember(delivery: Delivery): void {
    const bytes = delivery.events.reduce((sum, event) => sum + sizeOfEvent(event), 0)
    this.#memory.push({ delivery, bytes })
    this.#seen = delivery.first + delivery.events.length - 1
    this.#memoryBytes += bytes
    while (this.#memoryBytes > MEMORY_BYTES && this.#memory.length > 1) this.#memoryBytes -= this.#memory.shift()!.bytes
  }

  async #evaluate(): Promise<void> {
    await sleep(GATHER_MS)
    const turn = new Turn()
    while (this.#pending.length > 0) {
      const deliveries = this.#pending
      this.#pending = []
      const lost = deliveries.reduce((sum, delivery) => sum + delivery.lost, 0)
      for (const group of [...this.#groups.values()]) await this.#evaluateGroup(group, deliveries, lost, turn)
    }
  }

  async #evaluateGroup(
    { query, listeners }: Group,
    deliveries: readonly Delivery[],
    lost: number,
    turn: Turn,
  ): Promise<void> {
    try {
      const rows = await query.rowsOf(deliveries)
      // Who joins in between is told of what came after it joined, and of nothing twice: by sequence.
      for (const listener of listeners) {
        if (lost > 0) listener.lost(lost)
        const own = rows.length > 0 && rows[0]!.sequence < listener.first ? since(rows, listener.first) : rows
        if (own.length > 0) listener.deliver(own)
        if (turn.isOver) await turn.next()
      }
    } catch (error) {
      for (const listener of [...listeners]) listener.fail(error)
    }
  }
}

/** Tails of the same text and variables are told the same. */
export function keyOf(query: LiveQuery, { variables }: QueryOptions): string {
  const values = JSON.stringify(variables ?? null, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
  return `${query.text}\n${values}`
}

/** Events that were there already when the listener came were in its snapshot. */
function since(rows: readonly LiveRow[], first: number): readonly LiveRow[] {
  return rows.filter(row => row.sequence >= first)
}
