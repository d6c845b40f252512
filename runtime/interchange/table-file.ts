/** What a writer and a reader of column files look like, whichever format it is. Libraries are loaded when one is made. */
import type { Cell, ColumnPlan } from './plan.ts'

export type TableFormat = 'parquet' | 'arrow'

export interface TableWriter {
  /** Columns in the order of the plans, all of one length. */
  write(columns: readonly (readonly Cell[])[]): Promise<void>
  /** The file is complete and closed when this settles. */
  finish(): Promise<void>
}

/** Rows that one write takes, and one read gives, at most: what is held in memory. */
export const GROUP_ROWS = 65_536

export interface TableReader {
  readonly rowCount: number
  /** From the metadata, or as the types of the file suggest. */
  readonly columns: readonly ColumnPlan[]
  /** Columns in the order of `columns`. */
  groups(): AsyncIterable<readonly (readonly Cell[])[]>
}

/** A file that is not what it should be. */
export class TableFileError extends Error {
  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`)
    this.name = 'TableFileError'
  }
}
