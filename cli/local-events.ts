/** Events from files and pipes, batch by batch, as an embedded query wants them. */
import type { IncomingEvent } from '../storage/index.ts'
import { createEventReader, TIMESTAMP_FIELDS } from '../storage/ingest/read-event.ts'
import { parseTime } from '../storage/ingest/timestamp.ts'
import { DateTime } from '../storage/value.ts'
import { lineBatches, openFile } from './lines.ts'
import { megabytes, type Progress } from './progress.ts'

/** `--time-field` before the names every route looks at. */
export function timestampFields(timeField: string | undefined): readonly string[] {
  return timeField === undefined ? TIMESTAMP_FIELDS : [timeField, ...TIMESTAMP_FIELDS]
}

export interface LocalInput {
  /** Null: stdin. */
  readonly file: string | null
}

/** What could not be read as an event, for the summary on stderr. */
export interface ReadTally {
  events: number
  failed: number
  firstProblem: string | null
  /** Events that do not say when they happened, so that they have the time they were read. */
  untimed: number
  /** A field of such an event that holds a time, under a name nobody looks at by itself. */
  timeCandidate: string | null
}

export function createTally(): ReadTally {
  return { events: 0, failed: 0, firstProblem: null, untimed: 0, timeCandidate: null }
}

export interface LocalReading {
  /** The field that holds an event's time, before all names that are looked at anyway. */
  readonly timeField?: string | undefined
  /** The time of events that state none, and the year of times without one. Default: the clock. */
  readonly receivedAt?: DateTime
}

export async function* localEvents(
  inputs: readonly LocalInput[],
  tally: ReadTally,
  progress: Progress,
  { timeField, receivedAt }: LocalReading = {},
): AsyncGenerator<readonly IncomingEvent[]> {
  const reader = createEventReader()
  let bytesRead = 0
  for (const { file } of inputs) {
    const name = file ?? 'stdin'
    const defaults = {
      index: 'main',
      source: file === null ? null : file.replace(/^.*\//, ''),
      sourcetype: null,
      host: null,
      receivedAt: receivedAt ?? new DateTime(Date.now() * 1000),
      timestampFields: timestampFields(timeField),
    }
    for await (const { lines, bytes } of lineBatches(file === null ? process.stdin : openFile(file), name)) {
      const events: IncomingEvent[] = []
      for (const line of lines) {
        const read = reader.fromLine(line, defaults)
        if ('event' in read) {
          events.push(read.event)
          // The very object: nothing that was read from the event is that.
          if (read.event.time === defaults.receivedAt && tally.untimed++ === 0) {
            tally.timeCandidate = timeCandidateOf(read.event, defaults.receivedAt)
          }
        } else {
          tally.failed++
          tally.firstProblem ??= `${name}: ${read.problem.message}`
        }
      }
      tally.events += events.length
      bytesRead += bytes
      progress.update(`${tally.events.toLocaleString('en')} events, ${megabytes(bytesRead)} read`)
      if (events.length > 0) yield events
    }
  }
}

function timeCandidateOf({ fields }: IncomingEvent, receivedAt: DateTime): string | null {
  for (const [name, value] of fields) {
    if (/time|date|when/i.test(name) && parseTime(value, receivedAt) !== null) return name
  }
  return null
}
