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

/** Where the table of an expression is kept: by the kernel, and a number that the expression has in all its specialisations. */
export function siteOf(
  { kernelName, sites }: { readonly kernelName: string; readonly sites: Map<string, number> },
  key: string,
): string {
  if (!sites.has(key)) sites.set(key, sites.size)
  return `${kernelName}:${sites.get(key)}`
}
