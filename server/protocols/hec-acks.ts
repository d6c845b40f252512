/**
 * Acknowledgements of the HTTP event collector: a client that names a channel gets a number for each request, and asks later which numbers
 * are on disk. A number that was told is forgotten; nobody asks twice. Bounded, because clients may never ask.
 */

/** More than any client leaves open on a channel; then it has to ask first. */
const OPEN_MAX = 10_000
/** On all channels together. */
const OPEN_TOTAL_MAX = 500_000
const CHANNELS_MAX = 10_000

interface Channel {
  next: number
  /** On disk and not asked for yet. */
  readonly published: Set<number>
  waiting: number
}

export class AckLedger {
  readonly #channels = new Map<string, Channel>()
  /** Waiting or published, on all channels. */
  #open = 0

  /** False: nothing more may be begun before the client has asked. */
  hasRoom(name: string): boolean {
    if (this.#open >= OPEN_TOTAL_MAX) return false
    const channel = this.#channels.get(name)
    if (channel !== undefined) return channel.waiting + channel.published.size < OPEN_MAX
    if (this.#channels.size < CHANNELS_MAX) return true
    return this.#dropIdle()
  }

  /** @param published settles when the request's events are on disk. @returns the number the client will ask for. */
  open(name: string, published: Promise<void>): number {
    let channel = this.#channels.get(name)
    if (channel === undefined) {
      channel = { next: 0, published: new Set(), waiting: 0 }
      this.#channels.set(name, channel)
    }
    const { next } = channel
    channel.next++
    channel.waiting++
    this.#open++
    void this.#settle(channel, next, published)
    return next
  }

  /** Is it on disk? Each yes is told once. */
  ask(name: string, acks: readonly number[]): Record<string, boolean> {
    const published = this.#channels.get(name)?.published
    return Object.fromEntries(
      acks.map(ack => {
        const isPublished = published?.delete(ack) ?? false
        if (isPublished) this.#open--
        return [String(ack), isPublished]
      }),
    )
  }

  async #settle(channel: Channel, ack: number, published: Promise<void>): Promise<void> {
    try {
      await published
      channel.published.add(ack)
    } catch {
      // Never published: the client asks, hears no, and sends again. The store reports what went wrong.
      this.#open--
    } finally {
      channel.waiting--
    }
  }

  /** The oldest channel on which nothing is open. */
  #dropIdle(): boolean {
    for (const [name, { waiting, published }] of this.#channels) {
      if (waiting > 0 || published.size > 0) continue
      this.#channels.delete(name)
      return true
    }
    return false
  }
}
