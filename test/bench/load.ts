/**
 * Events into both engines, once: loaded directories stay in the cache and are used again while what wrote them is the same,
 * so that tuning a query does not wait for a load.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chunksOf } from '../../cli/lines.ts'
import { open } from '../../engine.ts'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { LineReader, type Problem } from '../../storage/ingest/line-reader.ts'
import { createEventReader, type EventDefaults, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { DateTime } from '../../storage/value.ts'
import { type DuckDbFiles, type Loaded, loadDuckDb } from './duckdb.ts'
import type { Events } from './generate.ts'

export interface LoadedEngine extends Loaded {
  /** This run loaded it, or found it loaded. */
  readonly isFresh: boolean
}

const BATCH_EVENTS = 4096
const BUFFERED_MAX = 512 * 1024 * 1024

export function quernDirectory(events: Events): string {
  return `${events.file}.quern`
}

export function duckDbFiles(events: Events): DuckDbFiles {
  return { events: `${events.file}.duckdb`, texts: `${events.file}.texts.duckdb` }
}

export async function loadedQuern(events: Events, fresh: boolean): Promise<LoadedEngine> {
  const directory = quernDirectory(events)
  return await loaded(`${directory}.json`, hashOfWriter(), fresh, () => loadQuern(events, directory))
}

export async function loadedDuckDb(events: Events, fresh: boolean): Promise<LoadedEngine> {
  const files = duckDbFiles(events)
  const { version } = createRequire(import.meta.url)('@duckdb/node-api/package.json') as { version: string }
  return await loaded(`${files.events}.json`, version, fresh, () => loadDuckDb(events, files))
}

async function loaded(
  note: string,
  writer: string,
  fresh: boolean,
  load: () => Promise<Loaded>,
): Promise<LoadedEngine> {
  if (!fresh && existsSync(note)) {
    const known = JSON.parse(readFileSync(note, 'utf8')) as Loaded & { readonly writer: string }
    if (known.writer === writer) return { ms: known.ms, bytes: known.bytes, isFresh: false }
  }
  rmSync(note, { force: true })
  const figures = await load()
  writeFileSync(note, `${JSON.stringify({ ...figures, writer })}\n`)
  return { ...figures, isFresh: true }
}

/** From the first byte read to everything indexed, fsynced and searchable; merged afterwards, which is not in the time. */
export async function loadQuern(events: Pick<Events, 'file' | 'rows'>, directory: string): Promise<Loaded> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const engine = await open(directory)
  const startedAt = performance.now()
  for await (const batch of batchesOf(events.file)) {
    engine.ingestBatch(batch)
    // As `quern ingest` does.
    if (engine.status().bufferedBytes > BUFFERED_MAX) await engine.makeRoom()
  }
  await engine.flush()
  const ms = performance.now() - startedAt
  const { eventCount } = engine.status()
  if (eventCount !== events.rows) throw new Error(`${events.rows} events were loaded, ${eventCount} are there`)
  // Questions are put to a store at rest: merging in the background takes a core, and would be measured instead.
  await engine.storage.compact()
  await engine.close()
  return { ms, bytes: bytesUnder(directory) }
}

/** Events of a file of lines, of JSON unless its name says otherwise: one batch, filled again and again. */
export async function* batchesOf(file: string): AsyncGenerator<EventBatch> {
  const reader = new LineReader(createEventReader())
  const defaults: EventDefaults = {
    index: 'main',
    source: null,
    sourcetype: null,
    host: null,
    receivedAt: new DateTime(Date.now() * 1000),
    timestampFields: TIMESTAMP_FIELDS,
  }
  const isJson = file.endsWith('.ndjson')
  const batch = new EventBatch()
  const refused = ({ message }: Problem): void => {
    throw new Error(message)
  }
  for await (const { buffer, end } of chunksOf(file)) {
    for (let start = 0; start < end; ) {
      start = reader.readLines(batch, buffer, { start, end, isJson, defaults, rowsMax: BATCH_EVENTS, refused })
      if (batch.count < BATCH_EVENTS) continue
      yield batch
      batch.clear()
    }
    // The lines of a batch lie in one buffer.
    if (batch.count > 0) yield batch
    batch.clear()
  }
}

export function bytesUnder(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  return bytes
}

/** Of the code that decides what is written: another one, and the directory in the cache is not what it would write. */
function hashOfWriter(): string {
  const storage = join(import.meta.dirname, '../../storage')
  const hash = createHash('sha256')
  const files = readdirSync(storage, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.js'))
    .map(entry => join(entry.parentPath, entry.name))
  for (const file of files.sort()) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
