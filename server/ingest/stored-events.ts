/** How many events a request brought, whatever protocol it spoke: counted where events are stored, read where the request ends. */
import { AsyncLocalStorage } from 'node:async_hooks'

const tally = new AsyncLocalStorage<{ events: number }>()

/** Runs the handler of a request; afterwards `holder.events` is what it stored. */
export function countingStored<T>(holder: { events: number }, handle: () => T): T {
  return tally.run(holder, handle)
}

export function countStored(events: number): void {
  const holder = tally.getStore()
  if (holder !== undefined) holder.events += events
}
