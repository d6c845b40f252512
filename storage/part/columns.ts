/**
 * Where the buffer meets the part file: the columns of one block, ready to be encoded.
 * The buffer makes them (`storage/ingest/`), the part writer consumes them, and the buffer's own readers serve them as they are.
 */
import type { TextVector, Vector } from '../vector.ts'
import type { ReadyFilter } from './ready-filter.ts'
import type { Template } from './rebuilt/template.ts'
import type { ThinColumn } from './thin.ts'

export interface BlockColumns {
  readonly rowCount: number
  /**
   * By field, in order of first appearance; a field that is not here is missing in every row of the block. Always has `_time`
   * (a `time` vector, never absent). Dict vectors of several blocks may share one Dictionary object: it is then written once.
   */
  readonly columns: ReadonlyMap<string, Vector>
  /** Columns of few values. Iterating `columns` leaves them out; asking it for one makes it whole. */
  readonly thin?: Iterable<readonly [string, ThinColumn]>
  /** Iterating `columns` leaves `_raw` out then; asking it for `_raw` makes it whole. */
  readonly raw?: KnownRaw | null
  /** Made ahead; absent: whoever writes the block makes it. */
  readonly filter?: ReadyFilter | null
}

/**
 * `_raw` of a block that was read from lines: whoever took a line apart has seen that its template and its fields give it again, byte for
 * byte, and nobody need put it together to find that out once more (1.5 µs an event, where appending takes 1.1).
 */
export interface KnownRaw {
  readonly templates: readonly Template[]
  /** By row: the number of its template, from 1; 0: it is in `rest`. */
  readonly chosen: Uint16Array
  /** Empty in the rows that have a template. Every row is present. */
  readonly rest: TextVector
  /** Of all rows. */
  readonly textBytes: number
  /** Has a text in a line with a template an escape? Then it has other tokens there than in its field. */
  readonly hasEscapes: boolean
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
  /** Its events have sequence numbers from `firstSequence` to `lastSequence`, both included, though perhaps not all of those between. 0: not known. */
  readonly firstSequence: number
  readonly lastSequence: number
  /** How many merges it took to make it; 0: straight from the buffer. */
  readonly level: number
  /**
   * Parts that serve no more since this one does: those whose events it holds, and others whose files were still there when it was
   * made. Where both are found, this one serves and those go.
   */
  readonly replaces: readonly string[]
}

/** What a part says of where its events come from; the rest of its description follows from its columns. */
export type PartLineage = Pick<PartDescription, 'firstSequence' | 'lastSequence' | 'level' | 'replaces'>

export const NO_LINEAGE: PartLineage = { firstSequence: 0, lastSequence: 0, level: 0, replaces: [] }
