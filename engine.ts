/**
 * The embedded library and composition root: grammar, compiler, runtime and storage behind one face.
 * No HTTP, no process globals; several engines may live in one process. `server/` and `cli/` are callers of this file.
 */
import type { Rewrite } from './compiler/types.ts'
import type { Diagnostic } from './grammar/diagnostics.ts'
import type { Batch } from './runtime/batch.ts'
import type { Profile } from './runtime/profile.ts'
import type { ResultShape } from './runtime/program.ts'
import type { AppendReceipt, IncomingEvent, StoreOptions, StoreStatus } from './storage/index.ts'
import type { DateTime, Value } from './storage/value.ts'

export interface EngineOptions extends Omit<StoreOptions, 'directory'> {
  /** Bytes of decoded chunks kept in memory. Default 256 MiB. */
  readonly cacheBytes?: number
}

export interface QueryOptions {
  /** Relative (`-1h`, `now`, `@d`) or ISO 8601; no bound when absent. */
  readonly from?: string
  readonly to?: string
  readonly variables?: Readonly<Record<string, Value>>
  readonly signal?: AbortSignal
  /** Injected by tests; the clock otherwise. */
  readonly now?: DateTime
  /** Optimiser rules to leave out (`all`: every one). */
  readonly without?: readonly string[]
}

export interface ExplainOptions extends QueryOptions {
  readonly analyze?: boolean
  readonly passes?: boolean
  readonly js?: boolean
}

/** A compiled query, ready to be pulled once. */
export interface QueryRun {
  /** Canonical text. */
  readonly query: string
  readonly shape: ResultShape
  readonly rewrites: readonly Rewrite[]
  /** Known from compiling; hints about data (coercions) join them once the run has ended. */
  readonly hints: readonly Diagnostic[]
  readonly profile: Profile
  batches(): AsyncIterable<Batch>
  /** Rows as objects, missing fields left out. For programs; servers use `collect`. */
  rows(): AsyncIterable<Record<string, Value>>
  /** Everything, counted; keeps only `offset … offset + limit` rows. */
  collect(page?: { readonly limit?: number; readonly offset?: number }): Promise<Collected>
  cancel(): void
}

export interface Collected {
  readonly shape: ResultShape
  /** For events: every field name seen, `_time` and `_raw` first. Otherwise the columns in query order. */
  readonly columns: readonly string[]
  readonly types: readonly string[]
  /** Row-major, aligned with `columns`; missing is undefined. */
  readonly rows: readonly (readonly Value[])[]
  readonly total: number
  readonly hasMore: boolean
  /** False when something could not be read; `warnings` says what. */
  readonly complete: boolean
  readonly warnings: readonly string[]
}

/** The body of GET /query/explain (spec/decisions.md). */
export type Explanation = Readonly<Record<string, unknown>> & { readonly is_valid: boolean; readonly text?: string }

export interface Engine {
  /** Synchronous; queryable at once. @throws {BackpressureError} when the buffer is full. */
  ingest(events: readonly IncomingEvent[]): AppendReceipt
  /** @throws {CompileError} with every diagnostic when the text is wrong. */
  query(text: string, options?: QueryOptions): QueryRun
  /** Never throws for a wrong text: `is_valid` is false and `errors` says why. */
  explain(text: string, options?: ExplainOptions): Promise<Explanation>
  /** Every stage, function, aggregate and parse format with its documentation: GET /catalog. */
  languageCatalog(): unknown
  status(): StoreStatus
  flush(): Promise<void>
  close(): Promise<void>
}
