/** Which expressions may be evaluated early, often, or for nobody: the question before every table, hoist and fold. */
import type { Expr } from './expr.ts'

/** May run for values no row of the selection holds, any number of times, in any order. Strict casts may not: they throw. */
export function isPure(expr: Expr): boolean {
  switch (expr.kind) {
    case 'literal':
    case 'field':
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
    case 'case':
      return expr.branches.every(b => isPure(b.when) && isPure(b.then)) && isPure(expr.otherwise)
  }
}
