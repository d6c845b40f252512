/**
 * The embedded library and composition root: grammar, compiler, runtime and storage behind one face.
 * No HTTP, no process globals; several engines may live in one process. `server/` and `cli/` are callers of this file.
 */
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from './compiler/catalog.ts'
import { explanationOf, invalidExplanation } from './compiler/explain/index.ts'
import { withDataHints } from './compiler/hints/data-hints.ts'
import { languageCatalog } from './compiler/index.ts'
import { liveForm } from './compiler/live.ts'
import { PlanCache, type PlanCacheStatus, type Planned } from './compiler/plan-cache.ts'
import type { Compiled, CompileOptions } from './compiler/types.ts'
import { CompileError } from './grammar/diagnostics.ts'
import {
  type Completion,
  complete,
  type Description,
  describeAt,
  type Knowledge,
  type Signature,
  signatureAt,
} from './grammar/index.ts'
import { type QueryRun, queryRun } from './query-run.ts'
import { compileOptionsOf, executeOptions, type QueryOptions, sharedSpillDirectory } from './query-stream.ts'
import { estimateScans } from './runtime/estimate.ts'
import { execute } from './runtime/execute.ts'
import { knownFields } from './runtime/field-samples.ts'

import { queryIdentity } from './runtime/identity.ts'
import { type ExportFormat, type ExportReport, exportRows, type LineSink } from './runtime/interchange/export.ts'
import { type ImportOptions, importInto } from './runtime/interchange/import.ts'
import { type LiveQuery, type LiveRunOptions, liveQuery, type NowCompiled } from './runtime/live.ts'
import { MemoryPool } from './runtime/memory.ts'
import { Crowd } from './runtime/parallel/crowd.ts'
import type { WholeThread } from './runtime/parallel/elsewhere.ts'
import type { Lanes } from './runtime/parallel/lanes.ts'
import { ThreadPool } from './runtime/parallel/pool.ts'
import type { Profile } from './runtime/profile.ts'
import { QueryTables } from './runtime/query-tables.ts'
import type { QueryResult } from './runtime/result.ts'
import { catalogOf } from './runtime/snapshot-catalog.ts'
import type { SpillDisk } from './runtime/spill/disk.ts'
import { SpillSpace } from './runtime/spill/space.ts'
import { entry } from './storage/entry.ts'
import type {
  AppendReceipt,
  DocumentStore,
  Snapshot,
  Store,
  StoreOptions,
  StoreStatus,
  SubscribeOptions,
  Subscription,
} from './storage/index.ts'
import type { EventBatch } from './storage/ingest/event-batch.ts'
import { type EventLike, type IngestDefaults, readEventLikes } from './storage/ingest/event-like.ts'
import { LookupTables } from './storage/lookups/tables.ts'
import { malloc } from './storage/malloc.ts'
import { CacheBudget, type CacheStatus } from './storage/part/cache-budget.ts'
import { fragmentsOf } from './storage/saved-queries.ts'
import { openStore } from './storage/store.ts'
import { BackupError, type BackupReport, backupDirectory } from './storage/tools/index.ts'
import { DateTime } from './storage/value.ts'

export { UnsupportedStageError } from './compiler/live.ts'
export { CompileError } from './grammar/diagnostics.ts'
export type { Completion, CompletionItem, Description, Knowledge, Signature } from './grammar/index.ts'
export type { QueryRun } from './query-run.ts'
export { type QueryOptions, queryStream, type StreamOptions } from './query-stream.ts'
export { CanceledError } from './runtime/canceled.ts'
export type { Collected } from './runtime/collect.ts'
export type { ExportFormat, ExportReport } from './runtime/interchange/export.ts'
export { EXPORT_FORMATS } from './runtime/interchange/export.ts'
export { TableFileError } from './runtime/interchange/table-file.ts'
export type { LiveQuery } from './runtime/live.ts'
export { QueryMemoryError } from './runtime/memory.ts'
export { BackpressureError, InvalidEventError } from './storage/errors.ts'
export type { EventLike, IngestDefaults } from './storage/ingest/event-like.ts'
export { SAVED_QUERIES } from './storage/saved-queries.ts'
export * from './storage/tools/index.ts'

export interface EngineOptions extends Omit<StoreOptions, 'directory'> {
  /** Lookup tables: files (CSV, NDJSON) by name. Those of `lookups/` in the data directory are there anyway. */
  readonly lookups?: Readonly<Record<string, string>>
  /** Stages by name, for `use`; saved queries are there anyway, by theirs. */
  readonly fragments?: Readonly<Record<string, string>>
  /** Bytes of decoded chunks kept in memory, all threads together. Default 512 MiB. */
  readonly cacheBytes?: number
  /** Bytes all queries together may hold in memory. Default: a quarter of the machine's. */
  readonly queryPoolBytes?: number
  /** Threads that share the work of large aggregations, besides the calling one. Default: one less than the machine has cores; at most 7. */
  readonly threads?: number
  /** Aggregations over fewer rows run in the calling thread alone. Default 200,000. */
  readonly parallelRowsMin?: number
  /**
   * Whole aggregations are left to a thread: `always`, `never`, or where the calling one has other things to do (`crowded`), which suits a
   * server: it answers meanwhile. Default `never`: all threads share one query.
   */
  readonly elsewhere?: 'always' | 'crowded' | 'never'
  /** From how many rows on a query without a time range gets a hint. Default 10 million. */
  readonly muchDataRows?: number
  /** Replaced by tests. */
  readonly lanes?: Lanes
  /** Replaced by tests. */
  readonly whole?: WholeThread
  /**
   * Where queries write what does not fit in their memory. Default: `tmp` in the data directory; without one, `quern-spill-<user>` in
   * the system's directory for temporary files. Made when first needed; its files go when their query ends.
   */
  readonly spillDirectory?: string
  /** Replaced by tests. */
  readonly spillDisk?: SpillDisk
}

export interface ExplainOptions extends QueryOptions {
  readonly analyze?: boolean
  readonly passes?: boolean
  readonly js?: boolean
}

/** The body of GET /query/explain (spec/decisions.md). */
export type Explanation = Readonly<Record<string, unknown>> & { readonly is_valid: boolean; readonly text?: string }

export type StorageControl = Pick<Store, 'compact' | 'compactions' | 'indexes' | 'setRetention' | 'setCut'>

export interface Engine {
  /**
   * Lines, objects, or events that were read already. Synchronous; queryable at once, kept once `flush()` or the next publish is through.
   * @throws {BackpressureError} when the buffer is full, {InvalidEventError} when one is no event; nothing of the batch is stored then
   */
  ingest(events: readonly EventLike[], defaults?: IngestDefaults): AppendReceipt
  /** Events that a `LineReader` has read into a batch: as `ingest`, for whoever has many. */
  ingestBatch(batch: EventBatch): AppendReceipt
  /** @throws {CompileError} with every diagnostic when the text is wrong. */
  query(text: string, options?: QueryOptions): QueryRun
  /**
   * The past and what comes after it, without a gap and without an event in both: query `subscription.snapshot` (`QueryOptions.snapshot`),
   * then iterate the subscription for the events appended from that very moment on; `queryStream` runs a query over them.
   */
  subscribe(options?: SubscribeOptions): Subscription
  /**
   * A query to be asked of the newest events there are and of those that come: a live tail.
   * @throws {CompileError} when the text is wrong, {UnsupportedStageError} when it needs all its input first
   */
  live(text: string, options?: QueryOptions): LiveQuery
  /** What there is now, to ask more than one query of (`QueryOptions.snapshot`). The caller's to release. */
  snapshot(): Snapshot
  /** Never throws for a wrong text: `is_valid` is false and `errors` says why. */
  explain(text: string, options?: ExplainOptions): Promise<Explanation>
  /** Every stage, function, aggregate and parse format with its documentation: GET /catalog. */
  languageCatalog(): unknown
  /** What could be written at the offset, with the fields and values of the data. Never throws for a wrong text. */
  complete(text: string, offset: number): Completion
  /** The function or stage being written at the offset. */
  signatureAt(text: string, offset: number): Signature | null
  /** What the word at the offset is. */
  describeAt(text: string, offset: number): Description | null
  /** All that completion knows, as data: an editor that has it needs no engine. */
  knowledge(): Knowledge
  status(): StoreStatus
  /** The data directory; null: everything is in memory and ends with the process. */
  readonly directory: string | null
  /** Small named documents that are kept: saved queries, keys. */
  readonly documents: DocumentStore
  /** Plans of queries that were asked before, and how often they served again. */
  readonly planCache: PlanCacheStatus
  /** Decoded chunks of all threads: bytes, and how often one was there. */
  readonly chunkCache: CacheStatus
  /** What a caller may have done to the parts and indexes, and learn of them. */
  readonly storage: StorageControl
  flush(): Promise<void>
  /** Writes what was buffered first: for who loads much, and goes on once there is room. */
  makeRoom(): Promise<void>
  /**
   * Writes the rows of a query to the file at `path`, all of one moment. What comes back from Parquet and Arrow is what went in.
   * @param text  `from *` for every event. @throws {CompileError}
   */
  exportTo(path: string | LineSink, format: ExportFormat, text: string, options?: QueryOptions): Promise<ExportReport>
  /** Events of a file that was exported, or of another NDJSON, Parquet or Arrow file. Published when it settles. @throws {TableFileError} */
  importFrom(path: string, options?: ImportOptions): Promise<{ readonly eventCount: number }>
  /** Everything there is now, into an empty directory, while the engine goes on. @throws {BackupError} also when it has no directory */
  backup(target: string, options?: { readonly copy?: boolean }): Promise<BackupReport>
  close(): Promise<void>
}

/**
 * Opens (and creates) a data directory; `null` keeps everything in memory.
 *
 * @throws {LockedError} when another process owns the directory
 */
export async function open(directory: string | null, options: EngineOptions = {}): Promise<Engine> {
  const threads = options.threads ?? Math.min(THREADS_MAX, availableParallelism() - 1)
  const budget = CacheBudget.of(options.cacheBytes ?? CACHE_BYTES, 1 + threads * SHARES_PER_THREAD)
  budget.whenDropped(GIVEN_BACK_AFTER_BYTES, () => void malloc().trim())
  const store = await openStore({ ...options, directory, cache: { budget, share: budget.take()! } })
  const memory = new MemoryPool(options.queryPoolBytes ?? totalmem() / 4)
  const pool = new ThreadPool({
    poolBytes: Math.ceil(memory.sizeBytes / (threads + 1)),
    stepsBack: (options.elsewhere ?? 'never') !== 'never',
    entry: entry('worker.js'),
    threads: directory === null ? 0 : threads,
    shares: Math.max(1, availableParallelism() - 1),
    budget,
    rowsMin: options.parallelRowsMin ?? 200_000,
  })
  const compiling = {
    ...(options.muchDataRows !== undefined && { muchDataRows: options.muchDataRows }),
    fragments: fragmentsOf(options.fragments, store.documents),
  }
  const lookups = new LookupTables(directory === null ? null : join(directory, 'lookups'), options.lookups)
  const ownSpill = directory === null ? sharedSpillDirectory() : join(directory, 'tmp')
  const spill = new SpillSpace(options.spillDirectory ?? ownSpill, options.spillDisk)
  // Nobody else uses the directory of a store that is locked.
  spill.sweep(directory !== null && options.spillDirectory === undefined)
  const clock = options.clock ?? Date.now
  const lanes = options.lanes ?? pool
  const crowd = new Crowd(options.elsewhere ?? 'never', () => options.whole ?? pool.whole())
  return new StoreEngine({ budget, crowd, directory, store, clock, pool, lanes, memory, spill, compiling, lookups })
}

/** A thread that ends still has its share when another begins. */
const SHARES_PER_THREAD = 2

const CACHE_BYTES = 512 * 1024 * 1024

/**
 * When so many bytes of chunks were dropped, what the allocator keeps of them goes back to the system. The questions of the bench over 20 M events:
 * 1,117 MiB resident at the end and 1,136 at the peak before; 800 to 873 and 937 to 948 with this, in the same time (20.6 s; 19.8 to 20.3).
 * With 64 MiB the peak was 937 to 1,022.
 */
const GIVEN_BACK_AFTER_BYTES = 32 * 1024 * 1024

/** More threads than this wait for memory rather than for work. */
export const THREADS_MAX = 7

interface EngineParts {
  readonly budget: CacheBudget
  readonly crowd: Crowd
  readonly directory: string | null
  readonly store: Store
  readonly clock: () => number
  readonly pool: ThreadPool
  readonly lanes: Lanes
  readonly memory: MemoryPool
  readonly spill: SpillSpace
  readonly compiling: Pick<CompileOptions, 'muchDataRows' | 'fragments'>
  readonly lookups: LookupTables
}

interface Started {
  readonly compiled: Compiled
  readonly result: QueryResult
  readonly identity: () => string | null
}

class StoreEngine implements Engine {
  readonly directory: string | null
  readonly storage: StorageControl
  readonly #store: Store
  readonly #clock: () => number
  readonly #pool: ThreadPool
  readonly #memory: MemoryPool
  readonly #lanes: Lanes
  readonly #compiling: Pick<CompileOptions, 'muchDataRows' | 'fragments'>
  readonly #lookups: LookupTables
  readonly #spill: SpillSpace
  readonly #crowd: Crowd
  readonly #plans = new PlanCache()
  readonly #budget: CacheBudget

  constructor({ budget, crowd, directory, store, clock, pool, lanes, memory, spill, compiling, lookups }: EngineParts) {
    this.#budget = budget
    this.#crowd = crowd
    this.directory = directory
    this.#store = store
    this.storage = store
    this.#clock = clock
    this.#pool = pool
    this.#memory = memory
    this.#lanes = lanes
    this.#compiling = compiling
    this.#lookups = lookups
    this.#spill = spill
  }

  get documents(): DocumentStore {
    return this.#store.documents
  }

  ingest(events: readonly EventLike[], defaults?: IngestDefaults): AppendReceipt {
    this.#crowd.noteIngest()
    return this.#store.append(readEventLikes(events, defaults))
  }

  ingestBatch(batch: EventBatch): AppendReceipt {
    this.#crowd.noteIngest()
    return this.#store.appendBatch(batch)
  }

  subscribe(options?: SubscribeOptions): Subscription {
    return this.#store.subscribe(options)
  }

  snapshot(): Snapshot {
    return this.#store.snapshot()
  }

  live(text: string, options: QueryOptions = {}): LiveQuery {
    const { from, to, ...unbounded } = options
    // The text as it was written first, so that what is wrong with it is told in its own places.
    const asked = this.#compileNow(text, options).program
    const form = liveForm(text)
    const past = form.head === null ? asked : this.#compileNow(form.text, options).program
    const running = (): LiveRunOptions => executeOptions(options, this.#now(options))
    return liveQuery(form.head, past, () => this.#compileNow(form.text, unbounded), running)
  }

  #compileNow(text: string, options: QueryOptions): NowCompiled {
    const snapshot = this.#store.snapshot()
    try {
      const catalog = catalogOf(snapshot, new QueryTables(this.#lookups))
      const { program } = this.#plan(text, options, this.#now(options), catalog).compiled
      return { program, indexes: new Set(catalog.indexes) }
    } finally {
      snapshot.release()
    }
  }

  query(text: string, options: QueryOptions = {}): QueryRun {
    const { compiled, result, identity } = this.#start(text, options, this.#crowd.mayLeave)
    return queryRun(compiled, result, () => [], identity)
  }

  #start(text: string, options: QueryOptions, mayGo = false): Started {
    this.#budget.noteQuery()
    const given = options.snapshot
    const snapshot = given === undefined ? this.#store.snapshot() : { ...given, release: () => {} }
    try {
      const now = this.#now(options)
      const tables = new QueryTables(this.#lookups)
      const startedAt = performance.now()
      const { compiled, cached } = this.#plan(text, options, now, catalogOf(snapshot, tables))
      const plan = { cached, durationNs: (performance.now() - startedAt) * 1e6 }
      const source = tables.before({ parts: () => [snapshot.parts], release: () => snapshot.release() })
      const run = { lanes: this.#lanes, pool: this.#memory, spill: this.#spill, ...executeOptions(options, now) }
      const { parts } = snapshot
      const result = mayGo ? this.#crowd.execute(compiled, source, run, parts) : execute(compiled.program, source, run)
      result.profile.plan = plan
      return {
        compiled,
        result,
        identity: () => queryIdentity(compiled, options.variables, parts, now),
      }
    } catch (error) {
      snapshot.release()
      throw error
    }
  }

  async exportTo(to: string | LineSink, format: ExportFormat, text: string, options: QueryOptions = {}) {
    const snapshot = this.#store.snapshot()
    try {
      const now = this.#now(options)
      const asked = { ...options, now, snapshot }
      const { shape } = this.query(text, asked)
      const rows = { isEvents: shape.kind === 'events', batches: () => this.query(text, asked).batches() }
      return await exportRows(rows, format, to)
    } finally {
      snapshot.release()
    }
  }

  async importFrom(path: string, options: ImportOptions = {}): Promise<{ readonly eventCount: number }> {
    return { eventCount: await importInto(this.#store, path, options) }
  }

  async backup(target: string, options: { readonly copy?: boolean } = {}): Promise<BackupReport> {
    if (this.directory === null) throw new BackupError('everything is in memory: export it instead')
    await this.#store.flush()
    return await backupDirectory(this.directory, target, options)
  }

  async explain(text: string, options: ExplainOptions = {}): Promise<Explanation> {
    const snapshot = this.#store.snapshot()
    try {
      const startedAt = performance.now()
      const catalog = catalogOf(snapshot, new QueryTables(this.#lookups))
      const { compiled, cached } = this.#plan(text, options, this.#now(options), catalog, options.passes === true)
      const compileNs = (performance.now() - startedAt) * 1e6
      const estimate = estimateScans(compiled.program.root, snapshot)
      // Kernels exist once data has shown its encodings, so their text needs a run too.
      const isRun = options.analyze === true || options.js === true
      const profile = isRun ? await this.#analyze(text, options) : null
      if (profile !== null) profile.plan = { cached, durationNs: compileNs }
      const hints = profile === null ? compiled.hints : withDataHints(compiled, profile)
      return explanationOf(
        { text },
        { ...compiled, hints },
        {
          estimate,
          compileNs,
          profile: options.analyze === true ? profile : null,
          passes: options.passes === true,
          js: options.js === true && profile !== null ? kernelsOf(profile) : null,
        },
      ) as Explanation
    } catch (error) {
      if (error instanceof CompileError) return invalidExplanation(error.source, error.diagnostics) as Explanation
      throw error
    } finally {
      snapshot.release()
    }
  }

  /** With `trace`, a plan that says how it came about. */
  #plan(text: string, options: QueryOptions, now: DateTime, catalog: Catalog, trace = false): Planned {
    return this.#plans.compile(text, compileOptionsOf(text, options, now, catalog, { trace, ...this.#compiling }))
  }

  get planCache(): PlanCacheStatus {
    return this.#plans.status
  }

  get chunkCache(): CacheStatus {
    return this.#budget.status
  }

  languageCatalog(): unknown {
    return languageCatalog()
  }

  complete(text: string, offset: number): Completion {
    return this.#withKnowledge(knowledge => complete(text, offset, knowledge))
  }

  signatureAt(text: string, offset: number): Signature | null {
    return this.#withKnowledge(knowledge => signatureAt(text, offset, knowledge))
  }

  describeAt(text: string, offset: number): Description | null {
    return this.#withKnowledge(knowledge => describeAt(text, offset, knowledge))
  }

  knowledge(): Knowledge {
    return this.#withKnowledge(({ fields, lookups = [], ...others }) => ({
      ...others,
      // Read now: the snapshot will be gone.
      fields: fields.map(field => ({ ...field })),
      lookups: lookups.map(table => ({ ...table })),
    }))
  }

  #withKnowledge<T>(use: (knowledge: Knowledge) => T): T {
    const snapshot = this.#store.snapshot()
    try {
      const tables = new QueryTables(this.#lookups)
      const { indexes } = catalogOf(snapshot, tables)
      return use({
        language: languageCatalog(),
        indexes,
        fields: knownFields(snapshot),
        lookups: tables.known(),
        saved: (this.#compiling.fragments?.names ?? []).map(name => ({ name })),
      })
    } finally {
      snapshot.release()
    }
  }

  status(): StoreStatus {
    return this.#store.status()
  }

  flush(): Promise<void> {
    return this.#store.flush()
  }

  makeRoom(): Promise<void> {
    return this.#store.makeRoom()
  }

  async close(): Promise<void> {
    await this.#pool.close()
    await this.#store.close()
  }

  #now(options: QueryOptions): DateTime {
    return options.now ?? new DateTime(this.#clock() * 1000)
  }

  /** Runs the query to its end and throws the rows away. */
  async #analyze(text: string, options: QueryOptions): Promise<Profile> {
    const { result } = this.#start(text, options)
    await result.drain()
    return result.profile
  }
}

/** Generated text, one entry per kernel and specialisation; those that V8 alone tells apart, by the widths of group codes, are one. */
function kernelsOf(profile: Profile): { readonly kernel: string; readonly source: string }[] {
  const all = new Map<string, { readonly kernel: string; readonly source: string }>()
  for (const { name, shapes, text } of profile.kernels) {
    const kernel = shapes === '' ? name : `${name}  (${shapes})`
    all.set(`${kernel}\n${text}`, { kernel, source: text })
  }
  return [...all.values()]
}
