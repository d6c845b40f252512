/** What a run measured. Filled in place by the operators; read by explain, `meta.scanned` and the tests. */

export interface OperatorProfile {
  readonly op: string
  readonly label: string
  rowsIn: number
  rowsOut: number
  durationNs: number
  memoryBytes: number
  readonly children: readonly OperatorProfile[]
}

export interface KernelProfile {
  readonly name: string
  readonly shapes: string
  readonly text: string
  calls: number
  rows: number
  durationNs: number
  /** Was the compiled function found in the cache? */
  readonly cached: boolean
}

export interface Profile {
  root: OperatorProfile | null
  readonly kernels: KernelProfile[]
  scan: {
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
    /** Blocks that were not read because their statistics told all there was to know, and their rows. */
    blocksAnswered: number
    rowsAnswered: number
    /** Blocks whose verdict was `all`, so that a predicate was not evaluated. */
    predicatesSkipped: number
    rows: number
    bytes: number
  }
  /** Values that went wrong row by row, by reason: `overflow`, `coerced:status`, `parse:json`. */
  readonly counters: Map<string, number>
  /** Parts that could not be read and are missing from the answer; non-empty means `complete: false`. */
  readonly damaged: string[]
}
