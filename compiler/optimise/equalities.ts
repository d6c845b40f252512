/** `x == 1 or x == 2 or x == 3` is `x in [1, 2, 3]`: one look-up a row however long the chain, and one predicate for storage. */
import type { Span } from '../../grammar/source.ts'
import type { Value } from '../../storage/value.ts'
import { eq } from '../functions/scalar/comparison.ts'
import type { Expr } from '../logical/expr.ts'
import { printExpr } from '../logical/print.ts'
import { literal } from '../resolve/expression.ts'

/** Shorter chains are compared faster than they are looked up. */
const SET_MIN = 3

/** Alternatives with every chain of equalities over one expression made a set, at the place of the first of them. */
export function equalitiesToSet(alternatives: readonly Expr[]): readonly Expr[] {
  const groups = new Map<string, { readonly operand: Expr; readonly origin: Span; readonly values: Value[] }>()
  const keys = alternatives.map(alternative => {
    const equality = equalityOf(alternative)
    if (equality === null) return null
    const key = printExpr(equality.operand)
    const group = groups.get(key)
    if (group === undefined)
      groups.set(key, { operand: equality.operand, origin: alternative.origin, values: [...equality.values] })
    else group.values.push(...equality.values)
    return key
  })
  if (![...groups.values()].some(group => group.values.length >= SET_MIN)) return alternatives
  const written = new Set<string>()
  return alternatives.flatMap((alternative, index): readonly Expr[] => {
    const key = keys[index] ?? null
    const group = key === null ? undefined : groups.get(key)
    if (key === null || group === undefined || group.values.length < SET_MIN) return [alternative]
    if (written.has(key)) return []
    written.add(key)
    const { operand, origin, values } = group
    return [{ kind: 'in-set', type: 'bool', origin, operand, values: [...new Set(values)] }]
  })
}

/** The values an expression is said to equal one of; null when the condition says something else. */
export function equalityOf(expr: Expr): { readonly operand: Expr; readonly values: readonly Value[] } | null {
  if (expr.kind === 'in-set') return { operand: expr.operand, values: expr.values }
  if (expr.kind !== 'call' || expr.function.name !== eq.name) return null
  const [a, b] = expr.args
  const [operand, value] = a?.kind === 'literal' ? [b, a] : [a, b]
  if (operand === undefined || operand.kind === 'literal' || value?.kind !== 'literal' || value.value == null)
    return null
  return { operand, values: [value.value] }
}

export function equalityWith(operand: Expr, value: Value, origin: Span): Expr {
  return { kind: 'call', type: 'bool', origin, function: eq, args: [operand, literal(value, origin)] }
}
