/** The one precedence table. The parser climbs it, the printer leaves out brackets by it. */
import type { AstExpr, BinaryOperator } from './ast.ts'

/** Loosest first. */
export const PRECEDENCE = {
  lambda: 0,
  or: 1,
  and: 2,
  not: 3,
  /** `==` and its kind, `in`, `between`: they do not chain. */
  comparison: 4,
  coalesce: 5,
  additive: 6,
  multiplicative: 7,
  negate: 8,
  postfix: 9,
} as const

const LEVELS: Readonly<Record<BinaryOperator, number>> = {
  or: PRECEDENCE.or,
  and: PRECEDENCE.and,
  '==': PRECEDENCE.comparison,
  '!=': PRECEDENCE.comparison,
  '<': PRECEDENCE.comparison,
  '<=': PRECEDENCE.comparison,
  '>': PRECEDENCE.comparison,
  '>=': PRECEDENCE.comparison,
  '??': PRECEDENCE.coalesce,
  '+': PRECEDENCE.additive,
  '-': PRECEDENCE.additive,
  '*': PRECEDENCE.multiplicative,
  '/': PRECEDENCE.multiplicative,
  '%': PRECEDENCE.multiplicative,
}

export function binaryPrecedence(operator: BinaryOperator): number {
  return LEVELS[operator]
}

export function isBinaryOperator(text: string): text is BinaryOperator {
  return Object.hasOwn(LEVELS, text)
}

/** How tightly an expression holds together once written down. */
export function precedenceOf(expr: AstExpr): number {
  switch (expr.kind) {
    case 'lambda':
      return PRECEDENCE.lambda
    case 'binary':
      return LEVELS[expr.operator]
    case 'not':
      return PRECEDENCE.not
    case 'in':
    case 'between':
      return PRECEDENCE.comparison
    case 'negate':
      return PRECEDENCE.negate
    case 'literal':
      return isNegative(expr.value) ? PRECEDENCE.negate : PRECEDENCE.postfix
    default:
      return PRECEDENCE.postfix
  }
}

function isNegative(value: Extract<AstExpr, { kind: 'literal' }>['value']): boolean {
  switch (value.type) {
    case 'int':
      return value.value < 0n
    case 'float':
      return value.value < 0 || Object.is(value.value, -0)
    case 'duration':
      return value.text.startsWith('-')
    default:
      return false
  }
}
