/**
 * One query over events as they pass, without a store: what a pipe needs of the engine and no more, so that the command line loads no
 * more either. What every query is asked with stands here as well; `engine.ts` is the rest.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from './compiler/catalog.ts'
import { UnseenFields } from './compiler/hints/unseen-fields.ts'
import { compile } from './compiler/index.ts'
import { requestRange } from './compiler/resolve/request-range.ts'
import type { CompileOptions } from './compiler/types.ts'
import { type QueryRun, queryRun } from './query-run.ts'
import { execute } from './runtime/execute.ts'
import type { LineFile } from './runtime/operators/operator.ts'
import { type ArrivingEvents, type PipeDemand, type PipeReader, pipeSource } from './runtime/pipe-source.ts'
import { type ScanSpec, scansOf } from './runtime/program.ts'
import { QueryTables } from './runtime/query-tables.ts'
import { SpillSpace } from './runtime/spill/space.ts'
import type { IncomingEvent, Snapshot } from './storage/index.ts'
import { LookupTables } from './storage/lookups/tables.ts'
import { fragmentsOf } from './storage/saved-queries.ts'
import { DateTime, type Value } from './storage/value.ts'

export { CompileError } from './grammar/diagnostics.ts'
export type { QueryRun } from './query-run.ts'

export interface QueryOptions {
  /** Relative (`-1h`, `now`, `@d`) or ISO 8601; no bound when absent. */
  readonly from?: string
  readonly to?: string
  readonly variables?: Readonly<Record<string, Value>>
  readonly signal?: AbortSignal
  /** Injected by tests; the clock otherwise. */
  readonly now?: DateTime
  /** Optimiser rules to leave out (`all`: every one; `pushdown`: storage is told nothing). */
  readonly without?: readonly string[]
  /** Bytes the query may hold in memory; what is more goes to temporary files. Default 512 MiB. */
  readonly memoryBytes?: number
  /** Bytes of temporary files it may have besides, before it fails with QueryMemoryError; 0: none. Default 10 GiB. */
  readonly diskBytes?: number
  /** Lets stages write files (`tee`): the command line does, a server does not. */
  readonly openFile?: (path: string) => LineFile
  /** What to ask instead of everything there is now: that of a subscription. It stays the caller's to release. */
  readonly snapshot?: Snapshot
}

export interface StreamOptions extends QueryOptions {
  /** Where a query writes what does not fit in its memory. Default: `quern-spill-<user>` in the system's directory for temporary files. */
  readonly spillDirectory?: string
  /** Lookup tables: files (CSV, NDJSON) by name. */
  readonly lookups?: Readonly<Record<string, string>>
  /** Stages by name, for `use`. */
  readonly fragments?: Readonly<Record<string, string>>
  /** Some of the events, where they are known beforehand: a query with mistakes is then told which fields it misspells. */
  readonly sample?: readonly IncomingEvent[]
}

/**
 * One query over events as they arrive, in constant memory where its stages allow: a pipe. Each batch of events is columnar for as
 * long as it is looked at; a `head` that has enough stops the reading.
 *
 * @throws {CompileError} with every diagnostic when the text is wrong
 */
export function queryStream(text: string, events: ArrivingEvents, options: StreamOptions = {}): QueryRun {
  const now = options.now ?? new DateTime(Date.now() * 1000)
  const tables = new QueryTables(new LookupTables(null, options.lookups))
  const asked = compileOptionsOf(text, options, now, unreadCatalog(tables, options.sample), {
    fragments: fragmentsOf(options.fragments, null),
  })
  const compiled = compile(text, asked)
  const scans = scansOf(compiled.program.root).filter(scan => scan.lookup === null)
  const unseen = new UnseenFields(compiled.namedFields)
  let isDone = false
  const reader: PipeReader = { see: fields => unseen.see(fields), end: () => (isDone = true) }
  const source = tables.before(pipeSource(events, demandOf(compiled.fieldsRead, scans), reader))
  const spill = new SpillSpace(options.spillDirectory ?? sharedSpillDirectory())
  const result = execute(compiled.program, source, { ...executeOptions(options, now), spill })
  // Of a pipe that was left before its end nobody knows what it would have had.
  return queryRun(
    compiled,
    result,
    () => (isDone ? unseen.hints() : []),
    () => null,
  )
}

/** Nothing is known of a pipe before it is read, but for what its caller has seen of it. */
function unreadCatalog(tables: QueryTables, sample: readonly IncomingEvent[] | undefined): Catalog {
  const fields =
    sample && new Map(sample.flatMap(event => [...event.fields.keys()].map(name => [name, 'any'] as const)))
  return {
    indexes: ['main'],
    sources: [],
    fields: () => fields ?? null,
    ...(sample && { sampledEvents: sample.length }),
    get lookups() {
      return tables.names
    },
    lookup: name => tables.lookup(name),
  }
}

/** Fields the query reads, null being all of them; and whether it makes a difference when events happened. */
function demandOf(fieldsRead: readonly string[] | null, scans: readonly ScanSpec[]): PipeDemand {
  const hasRange = ({ time }: ScanSpec): boolean => time.fromMicros !== null || time.toMicros !== null
  const time = fieldsRead === null || fieldsRead.includes('_time') || scans.some(hasRange)
  return { fields: fieldsRead && new Set(fieldsRead), time, scans: scans.length }
}

/** Of engines without a data directory, and of pipes. Per user: nobody else may read what lies there, nor would be let to write. */
export function sharedSpillDirectory(): string {
  return join(tmpdir(), `quern-spill-${process.getuid?.() ?? 'user'}`)
}

/** What the compiler is told of a query: all of it and nothing else, so that plans may be kept by it. @throws {CompileError} for a bad range */
export function compileOptionsOf(
  text: string,
  options: QueryOptions,
  now: DateTime,
  catalog: Catalog,
  more: Pick<CompileOptions, 'trace' | 'muchDataRows' | 'fragments'>,
): CompileOptions {
  const time = requestRange(text, options, now)
  return {
    catalog,
    now,
    ...more,
    ...(time !== null && { time }),
    ...(options.variables && { variables: options.variables }),
    ...(options.without && { without: options.without }),
    ...(options.openFile && { writesFiles: true }),
  }
}

export function executeOptions(options: QueryOptions, now: DateTime): Parameters<typeof execute>[2] {
  return {
    nowMicros: now.micros,
    ...(options.signal && { signal: options.signal }),
    ...(options.memoryBytes !== undefined && { memoryBytes: options.memoryBytes }),
    ...(options.diskBytes !== undefined && { diskBytes: options.diskBytes }),
    ...(options.openFile && { openFile: options.openFile }),
  }
}
