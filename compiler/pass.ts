/** Passes and rules are values with names: run by one loop, recorded for explain, left out one by one by the tests. */
import type { DateTime, Value } from '../storage/value.ts'
import type { Expr } from './logical/expr.ts'
import type { LogicalOp } from './logical/ops.ts'

export interface PassContext {
  readonly now: DateTime
  /** The value of an expression that reads no field, by running its generated code; undefined when it cannot be known. */
  evaluate(expr: Expr): { readonly value: Value } | null
}

/** A logical rewrite. Returns null when it does not apply: "unchanged" is never guessed by comparing text. */
export interface Rule {
  readonly name: string
  readonly summary: string
  apply(plan: LogicalOp, cx: PassContext): LogicalOp | null
}
