/**
 * How the rows of a merged part lie in it. A merge is where expensive work belongs: it happens once, in the background, and what it
 * saves is saved for as long as the part lives.
 */
import { type Compression, THOROUGH_COMPRESSION } from '../part/chunk.ts'
import type { BlockColumns } from '../part/columns.ts'

export interface MergeLayout {
  /** Rows of a block. */
  readonly blockRows: number
  readonly compression: Compression
  /**
   * The order in which the rows of one block are stored, as row numbers of `block`, whose rows come in order of time wherever that
   * could be had; null leaves them so. Must be a permutation, or the merge fails.
   */
  order(block: BlockColumns): Uint32Array | null
}

export const TIME_LAYOUT: MergeLayout = {
  blockRows: 65_536,
  compression: THOROUGH_COMPRESSION,
  order: () => null,
}

/** What compaction uses. */
export const MERGE_LAYOUT: MergeLayout = TIME_LAYOUT
