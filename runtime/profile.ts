/** What a run measured. Plain data, so that threads can tell each other; filled in place by the operators; read by explain, `meta` and tests. */

export interface OperatorProfile {
  readonly op: string
  readonly label: string
  rowsIn: number
  rowsOut: number
  /** Its own time: what it asked others to compute or to decode is theirs. */
  durationNs: number
  /** Of a scan, the part of it that was reading and decoding columns. */
  decodeNs: number
  /** The most it held at once, of what is charged to the query's budget. */
  memoryBytes: number
  /** Written to temporary files because it held more than it may, and how many files that took. */
  spilledBytes: number
  spilledFiles: number
  readonly children: readonly OperatorProfile[]
}

export interface KernelProfile {
  readonly name: string
  readonly shapes: string
  readonly text: string
  calls: number
  rows: number
  durationNs: number
  /** Calls that met an integer beyond 2^53 and were made again by the exact specialisation. */
  gaveUp: number
  /** Was the compiled function found in the cache? */
  readonly cached: boolean
}

/** An expression that was computed once per distinct value of a field instead of once per row. */
export interface TableProfile {
  readonly site: string
  readonly expression: string
  readonly field: string
  /** Values it was computed for, over all dictionaries. */
  values: number
}

export interface ScanProfile {
  partsTotal: number
  partsRead: number
  partsSkippedByTime: number
  partsSkippedByIndex: number
  /** Nothing could come of them, as the plan alone shows. */
  partsSkippedByPlan: number
  blocksTotal: number
  blocksRead: number
  blocksSkippedByTime: number
  blocksSkippedByZoneMap: number
  blocksSkippedByTokenFilter: number
  /** The other side of a join has no key in them. */
  blocksSkippedByJoin: number
  /** Older than the k-th row a top-k by time already had. */
  blocksSkippedBySortBoundary: number
  /** Not looked at, because there were rows enough. */
  blocksSkippedByLimit: number
  /** Blocks that were not read because their statistics told all there was to know, and their rows. */
  blocksAnswered: number
  rowsAnswered: number
  /** Blocks whose verdict was `all`, so that a predicate was not evaluated. */
  predicatesSkipped: number
  rows: number
  /** On disk, of the columns that were wanted. */
  bytes: number
  /** Columns of blocks that were decoded, and those the cache had. */
  columnsDecoded: number
  columnsCached: number
  /** Of the decoded ones: on disk, and in memory. */
  bytesRead: number
  bytesDecoded: number
  /** Reading and decoding them; part of the scans' own time. */
  decodeNs: number
}

export interface Profile {
  root: OperatorProfile | null
  readonly kernels: KernelProfile[]
  readonly tables: TableProfile[]
  readonly scan: ScanProfile
  /** Conditions of a scan in the order measuring led to, for each scan where that is not the order of the plan. */
  readonly conditionOrders: (readonly string[])[]
  /** Making a program of the text, or finding one that was made before. */
  plan: { readonly cached: boolean; readonly durationNs: number } | null
  /** Making functions of kernels. */
  readonly compile: { kernels: number; cached: number; durationNs: number }
  /** Computing what only the reader of the result asked for. */
  readonly result: { durationNs: number }
  /** The most the whole query held at once. */
  memoryBytes: number
  /** All that was written to temporary files. */
  spilledBytes: number
  /** Values that went wrong row by row, by reason: `overflow`, `coerced:status`, `parse:json`. */
  readonly counters: Map<string, number>
  /** Parts that could not be read and are missing from the answer; non-empty means `complete: false`. */
  readonly damaged: string[]
}

export function emptyProfile(): Profile {
  return {
    root: null,
    kernels: [],
    tables: [],
    scan: {
      partsTotal: 0,
      partsRead: 0,
      partsSkippedByTime: 0,
      partsSkippedByIndex: 0,
      partsSkippedByPlan: 0,
      blocksTotal: 0,
      blocksRead: 0,
      blocksSkippedByTime: 0,
      blocksSkippedByZoneMap: 0,
      blocksSkippedByTokenFilter: 0,
      blocksSkippedByJoin: 0,
      blocksSkippedBySortBoundary: 0,
      blocksSkippedByLimit: 0,
      blocksAnswered: 0,
      rowsAnswered: 0,
      predicatesSkipped: 0,
      rows: 0,
      bytes: 0,
      columnsDecoded: 0,
      columnsCached: 0,
      bytesRead: 0,
      bytesDecoded: 0,
      decodeNs: 0,
    },
    conditionOrders: [],
    plan: null,
    compile: { kernels: 0, cached: 0, durationNs: 0 },
    result: { durationNs: 0 },
    memoryBytes: 0,
    spilledBytes: 0,
    counters: new Map(),
    damaged: [],
  }
}
