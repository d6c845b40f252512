/** Events that pass through: parts in memory which nobody keeps, for queries over pipes. No directory, no publishing, no catalog. */
import type { IncomingEvent, PartReader } from '../index.ts'
import { Generation, MAX_BLOCK_ROWS, sizeOfEvent } from './buffer.ts'
import { PartIds } from './part-id.ts'
import { TextSizes } from './text-sizes.ts'

/** @param firstSequence  of the first event; the others follow it */
export function passingParts(events: Iterable<IncomingEvent>, firstSequence: number): readonly PartReader[] {
  const ids = new PartIds(Date.now, null)
  const generation = new Generation(MAX_BLOCK_ROWS, () => ids.next(), new TextSizes())
  let sequence = firstSequence
  for (const event of events) generation.append(event, sizeOfEvent(event), sequence++, 0)
  return generation.snapshot()
}
