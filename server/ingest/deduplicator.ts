/**
 * Events that come a second time, because a sender did not hear that they were accepted. Off by default. The same text from the same place
 * at the same time is the same event; an event that brings no time of its own is never taken for another.
 */
import createHasher from 'xxhash-wasm'
import type { IncomingEvent } from '../../storage/index.ts'
import type { Value } from '../../storage/value.ts'
import { ReceiveTime } from './defaults.ts'

const { h64 } = await createHasher()

export class Deduplicator {
  readonly #capacity: number
  /** In order of arrival: the oldest is forgotten first. */
  readonly #known = new Set<bigint>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** @param store takes the events that are new, or throws: then none of them is remembered, and all may be sent again. */
  storeNew<T>(events: readonly IncomingEvent[], store: (events: readonly IncomingEvent[]) => T): T {
    const hashes = new Set<bigint>()
    const fresh = events.filter(event => {
      if (event.time instanceof ReceiveTime) return true
      const hash = h64(identityOf(event))
      if (this.#known.has(hash) || hashes.has(hash)) return false
      hashes.add(hash)
      return true
    })
    const stored = store(fresh)
    for (const hash of hashes) this.#remember(hash)
    return stored
  }

  #remember(hash: bigint): void {
    this.#known.add(hash)
    if (this.#known.size <= this.#capacity) return
    for (const oldest of this.#known) {
      this.#known.delete(oldest)
      return
    }
  }
}

function identityOf({ index, time, raw, fields }: IncomingEvent): string {
  const labels = [index, time.micros, time.nanos, fields.get('_source'), fields.get('host')]
  // Without a text the fields are all there is of it.
  return JSON.stringify([...labels, raw ?? [...fields]], writable)
}

function writable(_key: string, value: Value): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
