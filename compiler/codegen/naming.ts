/** Names and comments in kernels, made from what the query says. */
import type { Value } from '../../storage/value.ts'
import type { Expr } from '../logical/expr.ts'
import { printValue } from '../logical/print.ts'

/** What the name of an expression's value is made from. */
export function nameHint(expr: Expr): string {
  return expr.kind === 'field' ? expr.name : expr.kind === 'call' ? expr.function.name : 'v'
}

export function describeConstant(value: unknown): string {
  const text = printValue(value as Value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
