/** A pipe as the source of a run, which may read it several times. */
import type { IncomingEvent, Snapshot } from '../storage/index.ts'
import { passingParts } from '../storage/ingest/passing.ts'
import { project } from '../storage/ingest/project.ts'
import type { Wanted } from '../storage/ingest/projected-lines.ts'
import type { Value } from '../storage/value.ts'
import type { PartSource } from './execute.ts'

/**
 * Events as they arrive; or who makes them, once it is known what of them is read. Whoever is told may leave out the rest, and says by `see`
 * what fields there were.
 */
export type ArrivingEvents =
  | AsyncIterable<readonly IncomingEvent[]>
  | ((wanted: Wanted | null, reader: Pick<PipeReader, 'see'>) => AsyncIterable<readonly IncomingEvent[]>)

/** Whoever wants to know what came through. */
export interface PipeReader {
  see(fields: ReadonlyMap<string, Value>): void
  /** The pipe has been read to its end. */
  end(): void
}

export interface PipeDemand {
  /** Fields the query reads; null: all of them. */
  readonly fields: ReadonlySet<string> | null
  /** Does it matter when events happened? */
  readonly time: boolean
  /** How many scans will read it. */
  readonly scans: number
}

/**
 * A pipe can be read once. Where several scans read it, each finds the parts those before it have seen, and then reads on; what a later
 * scan will ask for again is kept.
 */
export function pipeSource(events: ArrivingEvents, demand: PipeDemand, reader: PipeReader): PartSource {
  const arriving = partsOf(events, demand, reader)
  const kept: Snapshot['parts'][] = []
  let scansLeft = demand.scans
  async function* read(charge: (bytes: number) => void): AsyncGenerator<Snapshot['parts']> {
    scansLeft--
    const isLast = scansLeft === 0
    if (isLast) while (kept.length > 0) yield kept.shift() as Snapshot['parts']
    else yield* kept
    for (;;) {
      const step = await arriving.next()
      if (step.done === true) return
      if (!isLast) {
        kept.push(step.value)
        charge(step.value.reduce((bytes, part) => bytes + part.sizeBytes, 0))
      }
      yield step.value
    }
  }
  return {
    parts: (_, charge) => read(charge),
    release: () => void arriving.return(undefined),
  }
}

async function* partsOf(
  events: ArrivingEvents,
  { fields, time }: PipeDemand,
  reader: PipeReader,
): AsyncGenerator<Snapshot['parts']> {
  const isMade = typeof events === 'function'
  const arriving = isMade ? events(fields && { fields, time }, reader) : events
  let sequence = 1
  for await (const batch of arriving) {
    if (!isMade) for (const event of batch) reader.see(event.fields)
    yield passingParts(fields === null || isMade ? batch : batch.map(event => project(event, fields)), sequence)
    sequence += batch.length
  }
  reader.end()
}
