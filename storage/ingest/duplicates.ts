/**
 * Remembers the events seen last, so that what a client sends again is not stored again. An event is the same when all of it is: index,
 * time, text and every field. One that brings no time of its own is never taken for another: two equal lines may well be two events.
 *
 * Events are remembered by XXH64. Two different ones of 100,000 share a hash with a probability of about 3 in ten billion.
 */
import xxhash from 'xxhash-wasm'
import type { IncomingEvent } from '../index.ts'
import { ByteSink } from '../part/bytes.ts'
import { writeValue } from '../part/encodings/any.ts'
import { ReceiveTime } from './receive-time.ts'

// Awaited once at load: appending is synchronous.
const { h64Raw } = await xxhash()

export class Duplicates {
  private readonly capacity: number
  /** In order of insertion: the first is the oldest. */
  private readonly seen = new Set<bigint>()

  /** `capacity`: events remembered. */
  constructor(capacity: number) {
    this.capacity = capacity
  }

  /**
   * The events that were not seen before, and a function that has them remembered: called once they are stored, for a refused event is
   * one to be sent again. Repeats among `events` count too.
   */
  without(events: readonly IncomingEvent[]): { readonly fresh: readonly IncomingEvent[]; remember(): void } {
    const hashes = new Set<bigint>()
    const fresh = events.filter(event => {
      if (event.time instanceof ReceiveTime) return true
      const hash = hashOf(event)
      if (this.seen.has(hash) || hashes.has(hash)) return false
      hashes.add(hash)
      return true
    })
    return { fresh, remember: () => this.add(hashes) }
  }

  private add(hashes: ReadonlySet<bigint>): void {
    for (const hash of hashes) this.seen.add(hash)
    for (const oldest of this.seen) {
      if (this.seen.size <= this.capacity) break
      this.seen.delete(oldest)
    }
  }
}

function hashOf(event: IncomingEvent): bigint {
  const sink = new ByteSink()
  writeValue(sink, event.index)
  writeValue(sink, event.time)
  writeValue(sink, event.raw)
  // By name: two senders may name the same fields in another order.
  for (const name of [...event.fields.keys()].sort()) {
    const value = event.fields.get(name)
    if (value === undefined) continue
    writeValue(sink, name)
    writeValue(sink, value)
  }
  return h64Raw(sink.finish())
}
