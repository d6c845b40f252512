/**
 * The past as it was sent to tails, for a while: a client that was cut off in the midst of it goes on where it was, rather than being sent the
 * whole of it again. What a client has had is in the id of its last event: `r<number>.<results>`.
 */
import { randomBytes } from 'node:crypto'

export interface Replay {
  /** Of the query and the variables: another query has another past. */
  readonly key: string
  readonly texts: readonly string[]
  /** Events from this sequence number on came after it. */
  readonly nextSequence: number
}

export interface ReplayPlace {
  readonly name: string
  /** Results of it that the client has had. */
  readonly count: number
}

const MEMORY_BYTES = 16 * 1024 * 1024

interface Kept extends Replay {
  readonly bytes: number
  readonly until: number
}

export class Replays {
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>()
  readonly #keptMs: () => number
  readonly #clock: () => number
  #bytes = 0

  constructor(keptMs: () => number, clock: () => number = Date.now) {
    this.#keptMs = keptMs
    this.#clock = clock
  }

  /** @returns its name */
  keep(replay: Replay): string {
    const name = `r${randomBytes(8).toString('hex')}`
    const bytes = replay.texts.reduce((sum, text) => sum + text.length * 2, 100)
    this.#kept.set(name, { ...replay, bytes, until: this.#clock() + this.#keptMs() })
    this.#bytes += bytes
    for (const [oldest, { until }] of this.#kept) {
      if (this.#bytes <= MEMORY_BYTES && until > this.#clock()) break
      this.#drop(oldest)
    }
    return name
  }

  /** Null: it is too long ago, was too large to be kept, or was of another query. */
  find(name: string, key: string): Replay | null {
    const kept = this.#kept.get(name)
    return kept === undefined || kept.until <= this.#clock() || kept.key !== key ? null : kept
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)!.bytes
    this.#kept.delete(name)
  }
}

/** Null: the id is not of an event of the past. */
export function placeOf(id: string): ReplayPlace | null {
  const match = /^(r[0-9a-f]{16})\.(\d{1,6})$/.exec(id)
  return match === null ? null : { name: match[1]!, count: Number(match[2]) }
}
