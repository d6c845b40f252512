/** A query on its way: what its callers hold while batches are pulled. */
import { withDataHints } from './compiler/hints/data-hints.ts'
import type { Compiled, Rewrite } from './compiler/types.ts'
import type { Diagnostic } from './grammar/diagnostics.ts'
import type { Batch } from './runtime/batch.ts'
import { type Collected, collect, previewRows } from './runtime/collect.ts'
import type { Profile } from './runtime/profile.ts'
import type { ResultShape } from './runtime/program.ts'
import type { QueryResult } from './runtime/result.ts'
import { rowsOf } from './runtime/rows.ts'
import type { Value } from './storage/value.ts'

/** A compiled query, ready to be pulled once. */
export interface QueryRun {
  /** Canonical text. */
  readonly query: string
  readonly shape: ResultShape
  readonly rewrites: readonly Rewrite[]
  /** Fields of the data that it reads; null: all of them. */
  readonly fieldsRead: readonly string[] | null
  /** Known from compiling; hints about data (coercions) join them once the run has ended. */
  readonly hints: readonly Diagnostic[]
  readonly profile: Profile
  batches(): AsyncIterable<Batch>
  /** Rows as objects, missing fields left out. For programs; servers use `collect`. */
  rows(): AsyncIterable<Record<string, Value>>
  /** Everything, counted; keeps only `offset … offset + limit` rows. */
  collect(page?: { readonly limit?: number; readonly offset?: number }): Promise<Collected>
  cancel(): void
  /**
   * Runs with the same identity give the same rows: it names the query, its variables and the data it may touch, so events that come
   * elsewhere (another index, outside the time range) leave it as it was. Null: the answer depends on more, on the clock for one.
   */
  readonly identity: string | null
  /** The first rows of an aggregation that is still at work: a glimpse. Null: none to show. */
  preview(limit: number): { readonly columns: readonly string[]; readonly rows: readonly (readonly Value[])[] } | null
}

/** @param later  hints that only the end of the reading tells */
export function queryRun(
  compiled: Compiled,
  result: QueryResult,
  later: () => readonly Diagnostic[],
  identity: () => string | null,
): QueryRun {
  return new RunOfQuery(compiled, result, later, identity)
}

class RunOfQuery implements QueryRun {
  readonly query: string
  readonly shape: ResultShape
  readonly rewrites: readonly Rewrite[]
  readonly fieldsRead: readonly string[] | null
  readonly profile: Profile
  readonly #compiled: Compiled
  readonly #result: QueryResult
  readonly #later: () => readonly Diagnostic[]
  readonly #identity: () => string | null
  #hints: readonly Diagnostic[]

  constructor(
    compiled: Compiled,
    result: QueryResult,
    later: () => readonly Diagnostic[],
    identity: () => string | null,
  ) {
    this.query = compiled.canonical
    this.shape = result.shape
    this.rewrites = compiled.rewrites
    this.fieldsRead = compiled.fieldsRead
    this.profile = result.profile
    this.#compiled = compiled
    this.#result = result
    this.#later = later
    this.#identity = identity
    this.#hints = compiled.hints
  }

  get hints(): readonly Diagnostic[] {
    return this.#hints
  }

  async *batches(): AsyncGenerator<Batch> {
    yield* this.#result.batches()
    this.#hints = [...withDataHints(this.#compiled, this.profile), ...this.#later()]
  }

  async *rows(): AsyncGenerator<Record<string, Value>> {
    for await (const batch of this.batches()) {
      const { names } = batch
      for (const values of rowsOf(batch)) {
        const row: Record<string, Value> = {}
        for (const [index, name] of names.entries()) if (values[index] !== undefined) row[name] = values[index]
        yield row
      }
    }
  }

  collect(page?: { readonly limit?: number; readonly offset?: number }): Promise<Collected> {
    return collect(this.batches(), this.shape, this.profile, page)
  }

  cancel(): void {
    this.#result.cancel()
  }

  get identity(): string | null {
    return this.#identity()
  }

  preview(limit: number): ReturnType<QueryRun['preview']> {
    return previewRows(this.#result.preview(), limit)
  }
}
