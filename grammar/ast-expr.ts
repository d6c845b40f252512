/** Expressions of the syntax tree; `ast.ts` has the rest and exports these. */
import type { Span } from './source.ts'

export type BinaryOperator = 'or' | 'and' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '??' | '+' | '-' | '*' | '/' | '%'

export type AstExpr =
  | AstLiteral
  | AstFieldRef
  | AstVariable
  | AstBinary
  | AstNot
  | AstNegate
  | AstIn
  | AstBetween
  | AstCall
  | AstMember
  | AstIndex
  | AstArray
  | AstObject
  | AstLambda
  | AstBadExpr

interface Node<K extends string> {
  readonly kind: K
  readonly span: Span
}

/**
 * `int` keeps its exact value as a bigint; `duration` is nanoseconds; `datetime` is as written, RFC 3339.
 */
export type AstLiteral = Node<'literal'> & { readonly value: LiteralValue }

export type LiteralValue =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'string'; readonly value: string; readonly raw: boolean }
  | { readonly type: 'duration'; readonly ns: number; readonly text: string }
  | { readonly type: 'datetime'; readonly micros: number; readonly nanos: number; readonly text: string }

/** A bare or backticked field name; a dotted path is one name (`http.status`). Aggregate texts of `stats` arrive as calls. */
export interface AstFieldRef extends Node<'field'> {
  readonly name: string
}

/** `$name`, bound by the request's `variables`. */
export interface AstVariable extends Node<'variable'> {
  readonly name: string
}

export interface AstBinary extends Node<'binary'> {
  readonly operator: BinaryOperator
  readonly left: AstExpr
  readonly right: AstExpr
}

export interface AstNot extends Node<'not'> {
  readonly operand: AstExpr
}

export interface AstNegate extends Node<'negate'> {
  readonly operand: AstExpr
}

/** `x in [..]` or `x in arr`; `negated` for `not in`. */
export interface AstIn extends Node<'in'> {
  readonly operand: AstExpr
  readonly list: AstExpr
  readonly negated: boolean
}

export interface AstBetween extends Node<'between'> {
  readonly operand: AstExpr
  readonly low: AstExpr
  readonly high: AstExpr
  readonly negated: boolean
}

/** `strict` for the casts written `int!()`. `where` is an aggregate's trailing predicate, legal only in aggregates. */
export interface AstCall extends Node<'call'> {
  readonly name: string
  readonly nameSpan: Span
  readonly args: readonly AstExpr[]
  readonly where: AstExpr | null
  readonly strict: boolean
}

export interface AstMember extends Node<'member'> {
  readonly object: AstExpr
  readonly name: string
  readonly optional: boolean
}

export interface AstIndex extends Node<'index'> {
  readonly object: AstExpr
  readonly index: AstExpr
}

export interface AstArray extends Node<'array'> {
  readonly elements: readonly AstExpr[]
}

export interface AstObject extends Node<'object'> {
  readonly members: readonly { readonly name: string; readonly value: AstExpr }[]
}

export interface AstLambda extends Node<'lambda'> {
  readonly parameter: string
  readonly body: AstExpr
}

/** Stands where the parser recovered; only in trees returned together with diagnostics, never compiled. */
export interface AstBadExpr extends Node<'bad'> {}
