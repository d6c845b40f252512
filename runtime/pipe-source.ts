/** A pipe as the source of a run, which may read it several times. */
import type { IncomingEvent, Snapshot } from '../storage/index.ts'
import { passingParts } from '../storage/ingest/passing.ts'
import type { Value } from '../storage/value.ts'
import type { PartSource } from './execute.ts'

/** Whoever wants to know what came through. */
export interface PipeReader {
  see(fields: ReadonlyMap<string, Value>): void
  /** The pipe has been read to its end. */
  end(): void
}

export interface PipeDemand {
  /** Fields the query reads; null: all of them. */
  readonly fields: ReadonlySet<string> | null
  /** How many scans will read it. */
  readonly scans: number
}

/**
 * A pipe can be read once. Where several scans read it, each finds the parts those before it have seen, and then reads on; what a later
 * scan will ask for again is kept.
 */
export function pipeSource(
  events: AsyncIterable<readonly IncomingEvent[]>,
  demand: PipeDemand,
  reader: PipeReader,
): PartSource {
  const arriving = partsOf(events, demand.fields, reader)
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

/** An event with no more than the query reads: of a wide document most fields never become columns. */
function project(event: IncomingEvent, demand: ReadonlySet<string>): IncomingEvent {
  const fields = new Map<string, Value>()
  for (const name of demand) {
    const value = event.fields.get(name)
    if (value !== undefined) fields.set(name, value)
    else {
      // `a` is read as the object its members `a.b` make.
      const prefix = `${name}.`
      for (const [member, memberValue] of event.fields) if (member.startsWith(prefix)) fields.set(member, memberValue)
    }
  }
  return { index: event.index, time: event.time, raw: demand.has('_raw') ? event.raw : null, fields }
}

async function* partsOf(
  events: AsyncIterable<readonly IncomingEvent[]>,
  demand: ReadonlySet<string> | null,
  reader: PipeReader,
): AsyncGenerator<Snapshot['parts']> {
  let sequence = 1
  for await (const batch of events) {
    for (const event of batch) reader.see(event.fields)
    yield passingParts(demand === null ? batch : batch.map(event => project(event, demand)), sequence)
    sequence += batch.length
  }
  reader.end()
}
