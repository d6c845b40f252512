/** What the compiler may know about the data. Implemented by the engine over a snapshot, faked in tests. */
import type { ValueType } from '../storage/value.ts'

export interface Catalog {
  /** Names of existing indexes. */
  readonly indexes: readonly string[]
  /** Names of sources (`_source` values), for the hint when someone writes one after `from`; may be empty. */
  readonly sources: readonly string[]
  /** Fields seen in the given indexes, for did-you-mean and completion; null: unknown (a pipe that has not been read yet). */
  fields(indexes: readonly string[]): ReadonlyMap<string, ValueType> | null
  /** Those fields are of the first so many events; absent: of all. */
  readonly sampledEvents?: number
  /** While it is the same, so is all that is said of indexes, sources, fields, rows and statistics. Absent: nobody can say. */
  readonly version?: string
  /** Rows in the given indexes. */
  rowCount?(indexes: readonly string[]): number
  /** Has it so many rows? Asked rather than their number where that is enough: events that come do not change the answer. */
  hasRows?(indexes: readonly string[], rows: number): boolean
  /** What is known of a field's values without reading them; only ever a reason to do one thing before another. */
  statistics?(indexes: readonly string[], field: string): FieldStatistics | null
  /** Names of lookup tables. */
  readonly lookups: readonly string[]
  /** Null when there is none of that name. */
  lookup(name: string): LookupColumns | null
}

/** Columns of a lookup table, in its order, or why it cannot be used. */
export type LookupColumns =
  | { readonly columns: ReadonlyMap<string, ValueType> }
  | { readonly columns: null; readonly problem: string }

export interface FieldStatistics {
  /** Share of rows in which it is neither missing nor null. */
  readonly present: number
  /** About how many values there are; null: many, or nobody counted. Few of them are held as a dictionary. */
  readonly distinct: number | null
  /** Of numbers and times (as microseconds); null when there are none or types are mixed. */
  readonly min: number | null
  readonly max: number | null
}
