/**
 * Where the buffer meets the part file: the columns of one block, ready to be encoded.
 * The buffer makes them (`storage/ingest/`), the part writer consumes them, and the buffer's own readers serve them as they are.
 */
import type { Vector } from '../vector.ts'

export interface BlockColumns {
  readonly rowCount: number
  /**
   * By field, in order of first appearance; a field that is not here is missing in every row of the block. Always has `_time`
   * (a `time` vector, never absent). Dict vectors of several blocks may share one Dictionary object: it is then written once.
   */
  readonly columns: ReadonlyMap<string, Vector>
}

/** What the catalog keeps of a part; `storage/part/write.ts` returns it and `describePart` reads it back from the footer. */
export interface PartDescription {
  readonly id: string
  readonly index: string
  readonly rowCount: number
  readonly blockCount: number
  readonly minMicros: number
  readonly maxMicros: number
  readonly sizeBytes: number
  /** Bytes of `_raw` as it was sent. */
  readonly rawBytes: number
}
