/**
 * What of a condition storage can judge per block, in its own closed form. Sound and no more: a `none` verdict must mean no row
 * passes; where `isExact`, an `all` verdict means that every row does. The kernel decides rows, so nothing here can change an answer.
 * What cannot be judged has a reason, which `explain` tells: why not the index.
 */
import type { CompareOperator, ScanPredicate } from '../../storage/predicate.ts'
import { DateTime, Duration, type Scalar, type Value } from '../../storage/value.ts'
import type { CallExpr, Expr, InSetExpr } from '../logical/expr.ts'
import { printExpr, printValue } from '../logical/print.ts'
import { neededTokens, whyNoTokens } from './needed-tokens.ts'

const COMPARISONS: Readonly<Record<string, CompareOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}
const MIRRORED: Readonly<Record<CompareOperator, CompareOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

export type Split =
  | { readonly pushed: ScanPredicate; readonly isExact: boolean; readonly reason: null }
  | { readonly pushed: null; readonly isExact: false; readonly reason: string }

/** Why a column does not hold exactly what the field reads; null: it does. */
export type WhyNotStored = (field: string) => string | null

export function splitPredicate(expr: Expr, whyNotStored: WhyNotStored): Split {
  switch (expr.kind) {
    case 'literal':
      return pushed(expr.value === true ? { kind: 'always' } : { kind: 'never' })
    case 'and':
      return splitAnd(expr.operands, whyNotStored)
    case 'or':
      return splitOr(expr.operands, whyNotStored)
    case 'in-set':
      return splitSet(expr, whyNotStored)
    case 'call':
      return splitCall(expr, whyNotStored)
    case 'field':
      return refused(`${printExpr(expr)} alone is a value and no comparison; write ${printExpr(expr)} == true`)
    case 'not':
      return refused('where a condition is not true it may be null, which only rows can tell')
    case 'case':
    case 'coalesce':
      return refused(`${printExpr(expr)} chooses between values row by row`)
    case 'parameter':
    case 'lambda':
      return refused('what is asked of the members of an array only rows can tell')
  }
}

function pushed(predicate: ScanPredicate, isExact = true): Split {
  return { pushed: predicate, isExact, reason: null }
}

function refused(reason: string): Split {
  return { pushed: null, isExact: false, reason }
}

/** Some of the conditions narrow as well; but then `all` would promise what the others did not. */
function splitAnd(operands: readonly Expr[], whyNotStored: WhyNotStored): Split {
  const parts = operands.map(operand => splitPredicate(operand, whyNotStored))
  const of = parts.flatMap(part => part.pushed ?? [])
  if (of.length === 0) return parts[0]!
  return pushed(
    of.length === 1 ? of[0]! : { kind: 'and', of },
    parts.every(part => part.isExact),
  )
}

function splitOr(operands: readonly Expr[], whyNotStored: WhyNotStored): Split {
  const parts = operands.map(operand => splitPredicate(operand, whyNotStored))
  const at = parts.findIndex(part => part.pushed === null)
  if (at >= 0) return refused(`one of its alternatives cannot be judged: ${parts[at]!.reason}`)
  return pushed(
    { kind: 'or', of: parts.map(part => part.pushed!) },
    parts.every(part => part.isExact),
  )
}

function splitSet({ operand, values }: InSetExpr, whyNotStored: WhyNotStored): Split {
  if (operand.kind !== 'field') return refused(notAField(operand))
  const why = whyNotStored(operand.name)
  if (why !== null) return refused(why)
  const odd = values.find(value => !isScalar(value))
  if (odd !== undefined)
    return refused(`the index has no ${Array.isArray(odd) ? 'arrays' : 'objects'}: ${printValue(odd)}`)
  return pushed({ kind: 'in', field: operand.name, values: values as readonly Scalar[] })
}

function splitCall(expr: CallExpr, whyNotStored: WhyNotStored): Split {
  const [a, b] = expr.args
  const comparison = COMPARISONS[expr.function.name]
  if (comparison !== undefined && a !== undefined && b !== undefined) {
    return splitComparison(comparison, a, b, whyNotStored)
  }
  if (a?.kind !== 'field') return refused(a === undefined ? 'it reads no field' : notAField(a))
  const why = whyNotStored(a.name)
  if (why !== null) return refused(why)
  if (expr.function.name === 'exists') return pushed({ kind: 'exists', field: a.name })
  const pattern = b?.kind === 'literal' && typeof b.value === 'string' ? b.value : null
  const tokens = pattern === null ? null : neededTokens(expr.function.name, pattern)
  if (pattern === null || tokens === null)
    return refused(`${expr.function.name}() is a function over ${a.name}, and the index knows values and words`)
  if (tokens.length === 0) return refused(whyNoTokens(expr.function.name, pattern))
  return pushed({ kind: 'tokens', field: a.name, tokens })
}

function splitComparison(comparison: CompareOperator, a: Expr, b: Expr, whyNotStored: WhyNotStored): Split {
  const isFlipped = a.kind === 'literal'
  const [operand, value] = isFlipped ? [b, a] : [a, b]
  if (value.kind !== 'literal') return refused(`${printExpr(a)} and ${printExpr(b)} both change from row to row`)
  if (operand.kind !== 'field') return refused(notAField(operand))
  const why = whyNotStored(operand.name)
  if (why !== null) return refused(why)
  if (!isScalar(value.value)) return refused(`the index does not compare with ${printValue(value.value)}`)
  return pushed({
    kind: 'compare',
    field: operand.name,
    operator: isFlipped ? MIRRORED[comparison] : comparison,
    value: value.value,
  })
}

function notAField(expr: Expr): string {
  return `it asks of ${printExpr(expr)}, and the index knows fields as they are stored`
}

function isScalar(value: Value): value is Scalar {
  return (
    typeof value === 'number' ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint' ||
    value instanceof DateTime ||
    value instanceof Duration
  )
}
