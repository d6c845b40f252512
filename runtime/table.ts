/**
 * Stages with an operator of their own: what each is told by the compiler, by name. An operator whose loop is no kernel but an
 * algorithm over whole columns (`runtime/operators/table/`) needs no op, no rule and no spec of its own: `TableOp` and `TableSpec`
 * carry one of these.
 */

/** Options by operator: constants, checked by the compiler. What varies by row arrives as columns (`TableSpec.inputs`). */
export interface TableOptions {
  /** Either a number of rows or a share of them. */
  readonly sample: { readonly count: number | null; readonly share: number | null; readonly seed: number }
  /** Its input is `text`. */
  readonly patterns: { readonly limit: number }
}

/** Columns patterns gives, in order. */
export const PATTERN_COLUMNS = ['pattern', 'count', 'share', 'first_seen', 'last_seen', 'sample'] as const

export type TableOperatorName = keyof TableOptions

export type TableCall = {
  readonly [N in TableOperatorName]: { readonly name: N; readonly options: TableOptions[N] }
}[TableOperatorName]
