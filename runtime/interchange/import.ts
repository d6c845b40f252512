/**
 * Events from a file that `export.ts` wrote, as they were; and from Parquet, Arrow and NDJSON files of others, whose time is found as in
 * any document that is sent.
 */
import * as fs from 'node:fs'
import { createInterface } from 'node:readline'
import { BackpressureError } from '../../storage/errors.ts'
import type { IncomingEvent, Store } from '../../storage/index.ts'
import { parseExactJson } from '../../storage/ingest/json.ts'
import { createEventReader, type EventDefaults, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import { openArrow } from './arrow.ts'
import type { ExportFormat } from './export.ts'
import { openParquet } from './parquet.ts'
import { valueOfCell } from './plan.ts'
import { TableFileError } from './table-file.ts'

export interface ImportOptions {
  /** Of events that name none. Default `main`. */
  readonly index?: string
}

const BATCH_EVENTS = 4096

/** By what its first bytes are: the format of the file at `path`. @throws {TableFileError} when it cannot be read */
export function formatOf(path: string): ExportFormat {
  const head = Buffer.alloc(8)
  try {
    const fd = fs.openSync(path, 'r')
    try {
      fs.readSync(fd, head, 0, 8, 0)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    throw new TableFileError(path, `it cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet'
  if (head.toString('latin1', 0, 6) === 'ARROW1') return 'arrow'
  return 'ndjson'
}

/** @throws {TableFileError} when the file is damaged, or is none of the formats */
function importFile(path: string, options: ImportOptions = {}): AsyncIterable<readonly IncomingEvent[]> {
  const format = formatOf(path)
  return format === 'ndjson' ? fromNdjson(path, options) : fromTable(path, format, options)
}

/** Appends the events of the file, waiting where there is no room, and settles when they are published. How many there were. */
export async function importInto(
  store: Pick<Store, 'append' | 'flush'>,
  path: string,
  options: ImportOptions,
): Promise<number> {
  let count = 0
  for await (const events of importFile(path, options)) {
    try {
      store.append(events)
    } catch (error) {
      if (!(error instanceof BackpressureError)) throw error
      await store.flush()
      store.append(events)
    }
    count += events.length
  }
  await store.flush()
  return count
}

function defaultsOf(options: ImportOptions): EventDefaults {
  return {
    index: options.index ?? 'main',
    source: null,
    sourcetype: null,
    host: null,
    receivedAt: new DateTime(Date.now() * 1000),
    // What an export says of the event's time goes before what a field of it says.
    timestampFields: ['_time', ...TIMESTAMP_FIELDS],
  }
}

async function* fromNdjson(path: string, options: ImportOptions): AsyncGenerator<IncomingEvent[]> {
  const reader = createEventReader()
  const defaults = defaultsOf(options)
  let events: IncomingEvent[] = []
  let number = 0
  for await (const line of createInterface({ input: fs.createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (line.trim() === '') continue
    events.push(eventOfLine(path, number, line, reader, defaults))
    if (events.length < BATCH_EVENTS) continue
    yield events
    events = []
  }
  if (events.length > 0) yield events
}

function eventOfLine(
  path: string,
  number: number,
  line: string,
  reader: ReturnType<typeof createEventReader>,
  defaults: EventDefaults,
): IncomingEvent {
  let document: unknown
  try {
    document = parseExactJson(line)
  } catch {
    throw new TableFileError(path, `line ${number} is no JSON; quern ingest takes text of any kind`)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new TableFileError(path, `line ${number} is no JSON object; quern ingest takes text of any kind`)
  const { index, ...fields } = document as Record<string, unknown>
  const named = typeof index === 'string' ? { ...defaults, index } : defaults
  const read = reader.fromFields(typeof index === 'string' ? fields : { ...fields, index }, null, named)
  if ('problem' in read) throw new TableFileError(path, `line ${number}: ${read.problem.message}`)
  return read.event
}

async function* fromTable(
  path: string,
  format: 'parquet' | 'arrow',
  options: ImportOptions,
): AsyncGenerator<IncomingEvent[]> {
  const { columns, groups } = await (format === 'parquet' ? openParquet : openArrow)(path)
  const reader = createEventReader()
  const defaults = defaultsOf(options)
  for await (const group of groups()) {
    const rowCount = group[0]?.length ?? 0
    let events: IncomingEvent[] = []
    for (let row = 0; row < rowCount; row++) {
      const values = new Map<string, Value>()
      for (const [at, column] of columns.entries()) {
        const value = valueOfCell(group[at]![row], column)
        if (value !== undefined) values.set(column.name, value)
      }
      events.push(eventOf(values, defaults) ?? foreignEvent(path, values, reader, defaults))
      if (events.length < BATCH_EVENTS) continue
      yield events
      events = []
    }
    if (events.length > 0) yield events
  }
}

/** Null when the row does not say its time as an export does. */
function eventOf(values: Map<string, Value>, defaults: EventDefaults): IncomingEvent | null {
  const time = values.get('_time')
  const raw = values.get('_raw') ?? null
  const index = values.get('index') ?? defaults.index
  if (!(time instanceof DateTime) || (raw !== null && typeof raw !== 'string') || typeof index !== 'string') return null
  for (const name of ['_time', '_raw', 'index']) values.delete(name)
  return { index, time, raw, fields: values }
}

function foreignEvent(
  path: string,
  values: ReadonlyMap<string, Value>,
  reader: ReturnType<typeof createEventReader>,
  defaults: EventDefaults,
): IncomingEvent {
  const read = reader.fromFields(Object.fromEntries(values), null, defaults)
  if ('problem' in read) throw new TableFileError(path, read.problem.message)
  return read.event
}
