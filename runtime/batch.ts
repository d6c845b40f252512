/**
 * Columns in memory with a row count and a selection: what flows between operators.
 * Columns are decoded when first asked for, so a filter that rejects a block never touches the rest of it.
 */
import type { Vector } from '../storage/vector.ts'

export interface Batch {
  readonly rowCount: number
  /** Rows still alive, ascending; null: all of them. Only the first `selectedCount` entries count. */
  readonly selection: Uint32Array | null
  readonly selectedCount: number
  /** Position of row 0 in the whole input of the query, so that first/last and stable sorts are deterministic. */
  readonly rowOrderBase: number
  /** Names in output order. */
  readonly names: readonly string[]
  /** A field the batch does not have is a const vector of missing. */
  column(name: string): Vector
  /** These rows alone, in this order, all of them selected. When they are few, a column read from it is not decoded for the others. */
  at(rows: Uint32Array): Batch
  /** Bytes it keeps from being freed, whatever is read of it: rows of a pipe are nowhere else. Columns read from a store are not counted. */
  readonly pinnedBytes?: number
}

/**
 * The part of a vector's description kernels are specialised to. `key` is what caches compare:
 * `number:f64`, `number:i32?` (`?` means some rows are absent), `number:decimal`, `dict:u8`, `time`, `time+nanos?`, `text?`, `const`, `any`.
 */
export interface ColumnShape {
  readonly key: string
  readonly kind: Vector['kind']
  readonly hasPresence: boolean
  readonly hasNanos: boolean
}
