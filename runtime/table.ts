/**
 * Stages with an operator of their own: what each is told by the compiler, by name. An operator whose loop is no kernel but an
 * algorithm over whole columns (`runtime/operators/table/`) needs no op, no rule and no spec of its own: `TableOp` and `TableSpec`
 * carry one of these.
 */
import type { Value } from '../storage/value.ts'

/** Options by operator: constants, checked by the compiler. What varies by row arrives as columns (`TableSpec.inputs`). */
export interface TableOptions {
  /** Input `array`: a row for each element, which the column `as` then holds. */
  readonly explode: { readonly as: string }
  /** Every row to a file; `path` is absolute. */
  readonly tee: { readonly path: string }
  /** A regular series, of each combination of `keys`. `time`, `keys` and `columns` are names of columns. */
  readonly fill: {
    readonly time: string
    readonly widthMicros: number
    readonly keys: readonly string[]
    /** The first bin and the end of the last one; null: of the rows there are. */
    readonly fromMicros: number | null
    readonly toMicros: number | null
    /** The last bin is not before this one, where rows go no further. */
    readonly nowMicros: number | null
    /** What a made row has in the columns that are neither time nor keys, in the order of the output. */
    readonly columns: readonly { readonly name: string; readonly value: Value }[]
  }
  /** Inputs x, y and value; `name` is the column of x. */
  readonly xyseries: { readonly name: string; readonly limit: number }
  /** Each row once for each width: with its bin in the column `bin`, and the width in the column `width`. */
  readonly rollup: { readonly widthsMicros: readonly number[]; readonly bin: string; readonly width: string }
  /** Either a number of rows or a share of them. */
  readonly sample: { readonly count: number | null; readonly share: number | null; readonly seed: number }
  readonly sessionize: { readonly maxPauseNs: number; readonly maxSpanNs: number | null }
  readonly transaction: {
    /** Columns that hold the keys, and how they are called in the output. */
    readonly keys: readonly string[]
    readonly maxSpanNs: number | null
    readonly maxPauseNs: number | null
    readonly maxEvents: number | null
  }
  /** Its input is `text`. */
  readonly patterns: { readonly limit: number }
  readonly trace: Record<never, never>
  readonly topology: Record<never, never>
  readonly correlate: { readonly names: readonly string[]; readonly method: CorrelateMethod | null }
  readonly outliers: { readonly method: OutlierMethod; readonly threshold: number; readonly mark: boolean }
  readonly context: { readonly before: number; readonly after: number }
  readonly diff: {
    readonly limit: number
    readonly distinct: number
    /** Fields that are left out: those the condition reads. */
    readonly without: readonly string[]
  }
  readonly changepoint: {
    readonly keys: readonly string[]
    readonly model: 'level' | 'trend'
    readonly penalty: number
  }
  readonly forecast: {
    readonly keys: readonly string[]
    /** The column of the series. */
    readonly value: string
    readonly count: number
    readonly seasonNs: number | null
    readonly confidence: number
  }
}

export type CorrelateMethod = 'pearson' | 'spearman' | 'cramers_v' | 'eta'
export type OutlierMethod = 'iqr' | 'zscore' | 'mad'

export type TableOperatorName = keyof TableOptions

export type TableCall = {
  readonly [N in TableOperatorName]: { readonly name: N; readonly options: TableOptions[N] }
}[TableOperatorName]

// What the stages make is part of the language: completion offers it.
export {
  CHANGE_COLUMNS,
  CONTEXT_COLUMNS,
  CORRELATE_COLUMNS,
  DIFF_COLUMNS,
  FORECAST_COLUMNS,
  OUTLIER_COLUMNS,
  PATTERN_COLUMNS,
  SESSION_COLUMNS,
  TOPOLOGY_COLUMNS,
  TRACE_COLUMNS,
  TRANSACTION_COLUMNS,
} from '../grammar/made-columns.ts'
