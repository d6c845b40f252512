/**
 * Who wants events as they are appended: live tail, views. A subscriber is handed the very arrays that were appended, after they became
 * visible to snapshots; one that is slow loses the oldest of what waits for it and is told how many, and nobody waits for it.
 */
import type { Delivery, IncomingEvent, Snapshot, SubscribeOptions, Subscription } from '../index.ts'

const WAITING_EVENTS_MAX = 20_000
const WAITING_BYTES_MAX = 32 * 1024 * 1024

interface Waiting {
  readonly first: number
  readonly events: readonly IncomingEvent[]
  readonly bytes: number
}

export class Subscriptions {
  private readonly open = new Set<Queue>()

  get count(): number {
    return this.open.size
  }

  /** `snapshot` and `first` must be of the same turn: the snapshot shows the events before `first` and no other. */
  add(snapshot: Snapshot, first: number, options: SubscribeOptions): Subscription {
    const queue = new Queue(snapshot, first, options, () => this.open.delete(queue))
    this.open.add(queue)
    return queue
  }

  /** `events` have the sequence numbers from `first` on. */
  appended(first: number, events: readonly IncomingEvent[], bytes: number): void {
    for (const queue of this.open) queue.push({ first, events, bytes })
  }

  close(): void {
    for (const queue of [...this.open]) queue.close()
  }
}

class Queue implements Subscription {
  readonly snapshot: Snapshot
  readonly first: number
  private readonly eventsMax: number
  private readonly bytesMax: number
  private readonly onClose: () => void
  private readonly waiting: Waiting[] = []
  private waitingEvents = 0
  private waitingBytes = 0
  private lost = 0
  private isClosed = false
  private isTaken = false
  private wake: (() => void) | null = null

  constructor(snapshot: Snapshot, first: number, options: SubscribeOptions, onClose: () => void) {
    this.snapshot = snapshot
    this.first = first
    this.eventsMax = options.waitingEventsMax ?? WAITING_EVENTS_MAX
    this.bytesMax = options.waitingBytesMax ?? WAITING_BYTES_MAX
    this.onClose = onClose
  }

  push(batch: Waiting): void {
    this.waiting.push(batch)
    this.waitingEvents += batch.events.length
    this.waitingBytes += batch.bytes
    // The newest batch stays, whatever its size: a subscriber that keeps up must see all of it.
    while (this.waiting.length > 1 && (this.waitingEvents > this.eventsMax || this.waitingBytes > this.bytesMax)) {
      this.lost += this.take()!.events.length
    }
    this.wake?.()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.waiting.length = 0
    this.snapshot.release()
    this.onClose()
    this.wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Delivery> {
    if (this.isTaken) throw new Error('a subscription is read once')
    this.isTaken = true
    try {
      while (!this.isClosed) {
        const batch = this.take()
        if (batch === null) {
          await new Promise<void>(resolve => {
            this.wake = resolve
          })
          this.wake = null
          continue
        }
        const { lost } = this
        this.lost = 0
        yield { first: batch.first, events: batch.events, lost }
      }
    } finally {
      this.close()
    }
  }

  private take(): Waiting | null {
    const batch = this.waiting.shift()
    if (batch === undefined) return null
    this.waitingEvents -= batch.events.length
    this.waitingBytes -= batch.bytes
    return batch
  }
}
