/**
 * What of a condition storage can judge per block, in its own closed form. Sound and no more: a `none` verdict must mean no row
 * passes, an `all` verdict that every row does. The kernel decides rows, so nothing here can change an answer.
 */
import type { CompareOperator, ScanPredicate } from '../../storage/predicate.ts'
import { tokensOf } from '../../storage/tokens.ts'
import { DateTime, Duration, type Scalar, type Value } from '../../storage/value.ts'
import type { CallExpr, Expr } from '../logical/expr.ts'

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

/** @param isStored  does the column hold exactly what the field reads (not an object assembled from members, not virtual)? */
export function splitPredicate(expr: Expr, isStored: (field: string) => boolean): ScanPredicate | null {
  switch (expr.kind) {
    case 'literal':
      return expr.value === true ? { kind: 'always' } : { kind: 'never' }
    case 'and': {
      // Some of the conditions narrow as well; but then `all` would promise what the others did not.
      const of = expr.operands.map(operand => splitPredicate(operand, isStored))
      return of.every(part => part !== null) ? { kind: 'and', of } : null
    }
    case 'or': {
      const of = expr.operands.map(operand => splitPredicate(operand, isStored))
      return of.every(part => part !== null) ? { kind: 'or', of } : null
    }
    case 'in-set': {
      const { operand, values } = expr
      if (operand.kind !== 'field' || !isStored(operand.name) || !values.every(isScalar)) return null
      return { kind: 'in', field: operand.name, values }
    }
    case 'call':
      return splitCall(expr, isStored)
    default:
      return null
  }
}

function splitCall(expr: CallExpr, isStored: (field: string) => boolean): ScanPredicate | null {
  const [a, b] = expr.args
  const comparison = COMPARISONS[expr.function.name]
  if (comparison !== undefined && a !== undefined && b !== undefined) {
    const isFlipped = a.kind === 'literal'
    const field = isFlipped ? b : a
    const value = isFlipped ? a : b
    if (field.kind !== 'field' || value.kind !== 'literal' || !isScalar(value.value) || !isStored(field.name))
      return null
    return {
      kind: 'compare',
      field: field.name,
      operator: isFlipped ? MIRRORED[comparison] : comparison,
      value: value.value,
    }
  }
  if (a?.kind !== 'field' || !isStored(a.name)) return null
  if (expr.function.name === 'exists') return { kind: 'exists', field: a.name }
  if (b?.kind !== 'literal' || typeof b.value !== 'string') return null
  const tokens = neededTokens(expr.function.name, b.value)
  return tokens.length === 0 ? null : { kind: 'tokens', field: a.name, tokens }
}

/** Whole tokens a text must hold for the search to be true. */
function neededTokens(search: string, text: string): string[] {
  switch (search) {
    case 'has':
      return tokensOf(text)
    case 'has_glob':
      // Wildcards reach into the tokens they touch; the others stand whole.
      return tokensOf(text.replace(/\\[*?]/g, ' ').replace(/[\p{L}\p{Nd}]*[*?][\p{L}\p{Nd}*?]*/gu, ' '))
    case 'contains':
    case 'contains_cs':
      return innerTokens(text)
    default:
      return []
  }
}

/** Tokens of a substring with delimiters on both sides; those at its edges may go on in the text. */
function innerTokens(text: string): string[] {
  const inner = text.replace(/^[\p{L}\p{Nd}]+/u, '').replace(/[\p{L}\p{Nd}]+$/u, '')
  return inner === text && /^[\p{L}\p{Nd}]+$/u.test(text) ? [] : tokensOf(inner)
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
