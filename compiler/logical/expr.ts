/** Typed expressions of the logical plan: names bound, functions are descriptor references, sugar gone. Plain readonly data. */
import type { Span } from '../../grammar/source.ts'
import type { Value, ValueType } from '../../storage/value.ts'
import type { ScalarFunction } from '../functions/descriptor.ts'

interface Node<K extends string> {
  readonly kind: K
  /** What can be said before seeing data: a field is `any` unless a stage before it computes it. */
  readonly type: ValueType
  readonly origin: Span
}

/** `why` says how a rule found it out, where that is not plain. */
export type LiteralExpr = Node<'literal'> & { readonly value: Value; readonly why?: string }
export type FieldExpr = Node<'field'> & { readonly name: string }
/** Functions and operators alike; `==` and `+` are descriptors too. */
export type CallExpr = Node<'call'> & {
  readonly function: ScalarFunction
  readonly args: readonly Expr[]
  readonly strict?: true
}
/** Three-valued; at least two operands, nested ones of the same kind flattened. */
export type AndExpr = Node<'and'> & { readonly operands: readonly Expr[] }
export type OrExpr = Node<'or'> & { readonly operands: readonly Expr[] }
export type NotExpr = Node<'not'> & { readonly operand: Expr }
/** `if` and `case`: the first branch whose `when` is true. Only that branch is evaluated. */
export type CaseExpr = Node<'case'> & {
  readonly branches: readonly { readonly when: Expr; readonly then: Expr }[]
  readonly otherwise: Expr
}
/** `coalesce` and `??`: the first operand that is neither null nor missing. */
export type CoalesceExpr = Node<'coalesce'> & { readonly operands: readonly Expr[] }
/** `x in [literals]`; null when x is. A list that is not constant is the call `in`. */
export type InSetExpr = Node<'in-set'> & { readonly operand: Expr; readonly values: readonly Value[] }

/**
 * `x -> body`, an argument of a function with a `loop`; its type is that of the body. Within a plan no field is called as its parameter
 * (`resolve` sees to it), so that the text of an expression says all of it, and expressions may be put into its body.
 */
export type LambdaExpr = Node<'lambda'> & { readonly parameter: string; readonly body: Expr }
/** The member at hand, inside the body. */
export type ParameterExpr = Node<'parameter'> & { readonly name: string }

export type Expr =
  | LiteralExpr
  | FieldExpr
  | ParameterExpr
  | CallExpr
  | LambdaExpr
  | AndExpr
  | OrExpr
  | NotExpr
  | CaseExpr
  | CoalesceExpr
  | InSetExpr
