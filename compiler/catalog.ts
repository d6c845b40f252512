/** What the compiler may know about the data. Implemented by the engine over a snapshot, faked in tests. */
import type { ValueType } from '../storage/value.ts'

export interface Catalog {
  /** Names of existing indexes. */
  readonly indexes: readonly string[]
  /** Names of sources (`_source` values), for the hint when someone writes one after `from`; may be empty. */
  readonly sources: readonly string[]
  /** Fields seen in the given indexes, for did-you-mean and completion; null: unknown (a pipe that has not been read yet). */
  fields(indexes: readonly string[]): ReadonlyMap<string, ValueType> | null
}
