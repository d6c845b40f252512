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
  const { profile, shape } = result
  let { hints } = compiled
  async function* batches(): AsyncGenerator<Batch> {
    yield* result.batches()
    hints = [...withDataHints(compiled, profile), ...later()]
  }
  return {
    query: compiled.canonical,
    shape,
    rewrites: compiled.rewrites,
    fieldsRead: compiled.fieldsRead,
    get hints() {
      return hints
    },
    profile,
    batches,
    async *rows() {
      for await (const batch of batches()) {
        const { names } = batch
        for (const values of rowsOf(batch)) {
          const row: Record<string, Value> = {}
          for (const [index, name] of names.entries()) if (values[index] !== undefined) row[name] = values[index]
          yield row
        }
      }
    },
    collect: page => collect(batches(), shape, profile, page),
    cancel: () => result.cancel(),
    get identity() {
      return identity()
    },
    preview: limit => previewRows(result.preview(), limit),
  }
}
