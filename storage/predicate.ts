/**
 * What a scan understands of a filter, in storage's own closed form (never an AST), and the verdicts it gives per block.
 * A verdict must be sound: `none` means no row can match, `all` means every row matches, anything else is `some`.
 */
import type { Scalar } from './value.ts'

export type Verdict = 'none' | 'some' | 'all'

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>='

/**
 * Semantics are the language's (`docs/language.md`): a comparison with null, missing or an incomparable type is not true;
 * a number against a numeric string compares as numbers; numbers compare exactly across int and float.
 */
export type ScanPredicate =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'and'; readonly of: readonly ScanPredicate[] }
  | { readonly kind: 'or'; readonly of: readonly ScanPredicate[] }
  | { readonly kind: 'compare'; readonly field: string; readonly operator: CompareOperator; readonly value: Scalar }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly Scalar[] }
  | { readonly kind: 'exists'; readonly field: string }
  /**
   * Every one of these lower-cased tokens (language.md, "Tokens") must occur in the text of `field`. Never answers `all`.
   */
  | { readonly kind: 'tokens'; readonly field: string; readonly tokens: readonly string[] }

/** Half-open range of event time in microseconds since the epoch: `from <= t < to`. Null: unbounded. */
export interface TimeRange {
  readonly fromMicros: number | null
  readonly toMicros: number | null
}
