/**
 * When buffered events become part files. One generation is written at a time; what arrives meanwhile is the next one, so that a hundred
 * callers waiting for `published` share one fsync. A write that fails keeps the generation readable and is tried again later.
 */
import { isOutOfRoom } from '../errors.ts'
import type { Generation } from './buffer.ts'
import type { MemoryPart } from './memory-part.ts'

export interface PublisherLimits {
  readonly flushAgeMs: number
  readonly flushRows: number
  readonly flushBytes: number
}

export interface PublisherTarget {
  /**
   * Writes the part and lets its file serve in its place; `replaced` is called in the turn in which it does.
   * @param isHurried  events come faster than parts are written
   * @throws when it is not on disk
   */
  publish(part: MemoryPart, isHurried: boolean, replaced: () => void): Promise<unknown>
  /** Tells the catalog. Failing to is no failure to publish: the catalog is derived. */
  record(): Promise<void>
  newGeneration(): Generation
  now(): number
}

/**
 * Callers that wait for their events to be published start a write at once, but not more often than this: those of the meantime share
 * one, and its fsyncs.
 */
const GROUP_MS = 50
/** A generation that became so many times as old as it should had to wait for the one before. */
const HURRIED_AGES = 1.5
/** Of one that is of full size: so fast that nobody need wait to see whether the next is, too. */
const FAST_AGES = 2
/** While the first generation of a load filled, the thread that builds parts had nothing to do: 0.8 of 7 s, of a quarter 0.25 of 5. */
const FIRST_SHARE = 0.125
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 30_000

/** A generation and the promise its callers wait for. */
export class Group {
  readonly generation: Generation
  /** Settles once the catalog is told of it, too. */
  readonly published: Promise<void>
  /** It is on disk. */
  isPublished = false
  /** Had it to wait for others to be written, or did it fill faster than that? Those that come now will have to wait for it. */
  isHurried = false
  private settle: { resolve: () => void; reject: (error: Error) => void } | null = null

  constructor(generation: Generation) {
    this.generation = generation
    this.published = new Promise((resolve, reject) => {
      this.settle = { resolve, reject }
    })
    // Most callers do not wait; a store that dies must not end the process for them.
    this.published.catch(() => {})
  }

  resolve(): void {
    this.settle?.resolve()
  }

  reject(error: Error): void {
    this.settle?.reject(error)
  }
}

export class Publisher {
  filling: Group
  /** Being written, or waiting to be tried again. */
  sealed: Group | null = null
  lastError: string | null = null
  /** The last write failed for want of room; the next one that succeeds takes it back. */
  isDiskFull = false
  private readonly limits: PublisherLimits
  private readonly target: PublisherTarget
  private timer: NodeJS.Timeout | null = null
  private inFlight: Promise<void> | null = null
  /** What was published before is told to the catalog. */
  private recorded: Promise<void> = Promise.resolve()
  private retryMs = 0
  /** When the last write began, and whether somebody waits for the next; by the machine's clock, whatever the store's says. */
  private lastWriteAt = Number.NEGATIVE_INFINITY
  private isWaitedFor = false
  private isStopped = false
  /** The generation sealed last was full before it was old. Should the next be so too, events come in a flood, and more will. */
  private wasFull = false
  private wasHurried = false
  private isRoomWanted = false
  /** Of the bytes of a generation, how many the next takes: those of a flood are small to begin with, so that writing begins with it. */
  private share = FIRST_SHARE

  constructor(limits: PublisherLimits, target: PublisherTarget) {
    this.limits = limits
    this.target = target
    this.filling = new Group(target.newGeneration())
  }

  /** Called after every append. */
  appended(): void {
    const isDue = this.isFull
    // A sealed group is on its way, or has a timer of its own.
    if (this.sealed === null && this.inFlight === null && (isDue || this.timer === null)) this.schedule()
  }

  /** Events that are not on disk. */
  get bufferedCount(): number {
    return this.filling.generation.rowCount + (this.sealed?.generation.rowCount ?? 0)
  }

  /** The group of the newest event that is not on disk; null when all are. */
  get newest(): Group | null {
    return this.filling.generation.rowCount > 0 ? this.filling : this.sealed
  }

  /** Settles when the group, and those before it, are on disk, and has it written soon. */
  waitFor(group: Group | null): Promise<void> {
    if (group === null) return Promise.resolve()
    if (group === this.filling && !this.isWaitedFor) {
      this.isWaitedFor = true
      if (this.sealed === null && this.inFlight === null) this.schedule()
    }
    return group.published
  }

  /** @throws what kept the events from being written; they stay buffered. */
  async flush(): Promise<void> {
    const last = this.newest
    while (last !== null && !last.isPublished) await this.publishNext()
    // The catalog is told of it.
    await last?.published
  }

  /** The same of what was buffered first: whoever wants room need not wait for the rest, nor for the catalog. */
  async flushOldest(): Promise<void> {
    // Something is being written and is waited for: what fills meanwhile will have waited.
    this.isRoomWanted ||= this.sealed !== null
    if (this.newest !== null) await this.publishNext()
  }

  /** No timer runs any more; groups that are not published never will be. */
  stop(reason: Error): void {
    this.isStopped = true
    this.clearTimer()
    this.sealed?.reject(reason)
    this.filling.reject(reason)
  }

  private get isFull(): boolean {
    const { rowCount, bytes } = this.filling.generation
    return rowCount >= this.limits.flushRows || bytes >= this.limits.flushBytes * this.share
  }

  private schedule(): void {
    this.clearTimer()
    if (this.isStopped) return
    if (this.sealed !== null) {
      this.startTimer(this.retryMs)
      return
    }
    const { startedAt } = this.filling.generation
    if (startedAt === null) return
    const isDue = this.isFull
    const age = this.target.now() - startedAt
    const untilOld = Math.min(this.limits.flushAgeMs, this.limits.flushAgeMs - age)
    const untilGroup = this.isWaitedFor ? this.lastWriteAt + GROUP_MS - performance.now() : untilOld
    const delay = isDue ? 0 : Math.min(untilOld, untilGroup)
    if (delay <= 0) this.publishInBackground()
    else this.startTimer(delay)
  }

  private startTimer(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.timer = null
      this.publishInBackground()
    }, delayMs)
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
  }

  private publishInBackground(): void {
    // What went wrong is in `lastError`, and the next try has a timer.
    this.publishNext().catch(() => {})
  }

  private publishNext(): Promise<void> {
    this.inFlight ??= this.write().finally(() => {
      this.inFlight = null
      this.schedule()
    })
    return this.inFlight
  }

  private async write(): Promise<void> {
    this.clearTimer()
    // Never inside the append that filled the buffer; and everything of this turn of the event loop goes along.
    await nextTurn()
    if (this.sealed === null) {
      if (this.filling.generation.rowCount === 0) return
      this.sealed = this.filling
      const age = this.target.now() - (this.filling.generation.startedAt ?? this.target.now())
      const { isFull, isRoomWanted } = this
      this.isRoomWanted = false
      // Whole generations would fill faster than they are woven. (The first of a load took a tenth of all its time so.)
      const isFast = isFull && age < FAST_AGES * this.limits.flushAgeMs * this.share
      const isFlood = age > HURRIED_AGES * this.limits.flushAgeMs || isRoomWanted || (isFull && this.wasFull) || isFast
      // What was left of a flood is merged with the rest of it, which is left undone.
      this.sealed.isHurried = isFlood || (this.wasHurried && age < this.limits.flushAgeMs)
      this.wasHurried = isFlood
      this.wasFull = isFlood || (isFull && age < this.limits.flushAgeMs)
      this.share = this.wasFull ? Math.min(1, this.share * 2) : FIRST_SHARE
      this.isWaitedFor = false
      this.lastWriteAt = performance.now()
      this.filling = new Group(this.target.newGeneration())
    }
    const group = this.sealed
    let publishedCount = 0
    try {
      for (const part of group.generation.parts) {
        await this.target.publish(part, group.isHurried, () => group.generation.drop(part))
        publishedCount++
      }
      this.sealed = null
      this.lastError = null
      this.isDiskFull = false
      this.retryMs = 0
    } catch (error) {
      this.lastError = messageOf(error)
      this.isDiskFull = isOutOfRoom(error)
      this.retryMs = Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, this.retryMs * 2))
      throw error
    } finally {
      if (this.sealed !== group) group.isPublished = true
      // Nobody who writes waits for the catalog, which took from 10 to 100 ms a part.
      if (publishedCount > 0) this.recorded = this.recorded.then(() => this.record())
      if (group.isPublished) void this.recorded.then(() => group.resolve())
    }
  }

  private async record(): Promise<void> {
    try {
      await this.target.record()
    } catch (error) {
      this.lastError ??= `catalog: ${messageOf(error)}`
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
