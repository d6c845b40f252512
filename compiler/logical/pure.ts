/** Which expressions may be evaluated early, often, or for nobody: the question before every table, hoist and fold. */
import type { Expr } from './expr.ts'
import { someExpr } from './walk.ts'

/** May run for values no row of the selection holds, any number of times, in any order. Strict casts may not: they throw. */
export function isPure(expr: Expr): boolean {
  switch (expr.kind) {
    case 'literal':
    case 'field':
    case 'parameter':
      return true
    case 'call':
      return expr.strict !== true && expr.function.purity !== 'volatile' && expr.args.every(isPure)
    case 'and':
    case 'or':
    case 'coalesce':
      return expr.operands.every(isPure)
    case 'not':
    case 'in-set':
      return isPure(expr.operand)
    case 'lambda':
      return isPure(expr.body)
    case 'case':
      return expr.branches.every(b => isPure(b.when) && isPure(b.then)) && isPure(expr.otherwise)
  }
}

/** A strict cast: it ends the query at the first value that does not fit. */
export function mayFail(expr: Expr): boolean {
  return someExpr(expr, node => node.kind === 'call' && node.strict === true)
}

/** Does its value depend on when the query runs? */
export function readsClock(expr: Expr): boolean {
  return someExpr(expr, node => node.kind === 'call' && node.function.purity !== 'pure')
}

/** Does it ask whether something is there? As keys of groups null and missing are one; to such a question they are not. */
export function observesAbsence(expr: Expr): boolean {
  return someExpr(expr, node => node.kind === 'call' && node.function.nulls === 'observe')
}
