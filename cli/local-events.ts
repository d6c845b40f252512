/** Events from files and pipes, batch by batch, as an embedded query wants them. */
import type { IncomingEvent } from '../storage/index.ts'
import { project } from '../storage/ingest/project.ts'
import { ProjectedLines, type Wanted } from '../storage/ingest/projected-lines.ts'
import {
  createEventReader,
  type EventDefaults,
  type EventReader,
  type ReadResult,
  TIMESTAMP_FIELDS,
} from '../storage/ingest/read-event.ts'
import { parseTime } from '../storage/ingest/timestamp.ts'
import { DateTime, type Value } from '../storage/value.ts'
import { lineChunks, openFile, splitLines } from './lines.ts'
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

/** What is read of events, and who wants to know what fields they had. */
export interface LocalDemand {
  readonly wanted: Wanted | null
  readonly see: (fields: ReadonlyMap<string, Value>) => void
}

export async function* localEvents(
  inputs: readonly LocalInput[],
  tally: ReadTally,
  progress: Progress,
  { timeField, receivedAt }: LocalReading = {},
  { wanted, see }: LocalDemand = { wanted: null, see: () => {} },
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
    const note = (read: ReadResult): void => {
      if ('event' in read) {
        see(read.event.fields)
        if (tally.untimed === 0 && isUntimed(read.event)) {
          tally.timeCandidate ??= timeCandidateOf(read.event, defaults.receivedAt)
        }
      } else {
        tally.failed++
        tally.firstProblem ??= `${name}: ${read.problem.message}`
      }
    }
    // The very object: nothing that was read from the event is that.
    const isUntimed = (event: IncomingEvent): boolean => event.time === defaults.receivedAt
    const fits = wanted !== null && ProjectedLines.fits(wanted, defaults)
    const projected = fits ? new ProjectedLines(reader, wanted, defaults) : null
    for await (const { buffer, end, bytes } of lineChunks(file === null ? process.stdin : openFile(file), name)) {
      const events = projected?.read(buffer, end, note) ?? allOf(reader, buffer, end, defaults, note)
      tally.events += events.length
      if (wanted?.time !== false) for (const event of events) if (isUntimed(event)) tally.untimed++
      bytesRead += bytes
      progress.update(`${tally.events.toLocaleString('en')} events, ${megabytes(bytesRead)} read`)
      if (events.length > 0) yield wanted === null || fits ? events : events.map(event => project(event, wanted.fields))
    }
  }
}

function allOf(
  reader: EventReader,
  buffer: Buffer,
  end: number,
  defaults: EventDefaults,
  note: (read: ReadResult) => void,
): IncomingEvent[] {
  const events: IncomingEvent[] = []
  for (const line of splitLines(buffer, end)) {
    const read = reader.fromLine(line, defaults)
    note(read)
    if ('event' in read) events.push(read.event)
  }
  return events
}

function timeCandidateOf({ fields }: IncomingEvent, receivedAt: DateTime): string | null {
  for (const [name, value] of fields) {
    if (/time|date|when/i.test(name) && parseTime(value, receivedAt) !== null) return name
  }
  return null
}
