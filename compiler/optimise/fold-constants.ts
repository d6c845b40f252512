/** Expressions without fields are evaluated now, by running the code that would evaluate them per row. */

import type { Value } from '../../storage/value.ts'
import type { CallExpr, Expr } from '../logical/expr.ts'
import type { LogicalOp } from '../logical/ops.ts'
import { isPure } from '../logical/pure.ts'
import { mapExpressions } from '../logical/traits.ts'
import { fieldsOf, mapExpr, mapPlan, readsOuterLambda } from '../logical/walk.ts'
import type { PassContext, Rule } from '../pass.ts'
import { literal } from '../resolve/expression.ts'

export const foldConstants: Rule = {
  name: 'fold-constants',
  summary: 'expressions that read no field become their value; conditions that are always true go away',
  apply(plan, cx) {
    const folded = mapPlan(plan, op => foldOp(op, cx))
    return folded === plan ? null : folded
  },
}

function foldOp(op: LogicalOp, cx: PassContext): LogicalOp {
  const fold = (expr: Expr): Expr => mapExpr(expr, node => foldNode(node, cx))
  return op.kind === 'filter' ? foldFilter(op, fold) : mapExpressions(op, fold)
}

function foldFilter(op: Extract<LogicalOp, { readonly kind: 'filter' }>, fold: (expr: Expr) => Expr): LogicalOp {
  const folded = mapSame(op.conjuncts, fold)
  const conjuncts = folded.filter(c => !(c.kind === 'literal' && c.value === true))
  if (conjuncts.length === 0) return op.input
  // A condition that is false or null lets no row through, whatever the others say.
  const never = conjuncts.find(c => c.kind === 'literal')
  if (never !== undefined) {
    const isAlready =
      op.conjuncts.length === 1 && op.conjuncts[0]?.kind === 'literal' && op.conjuncts[0].value === false
    return isAlready ? op : { ...op, conjuncts: [literal(false, never.origin)] }
  }
  return conjuncts.length === op.conjuncts.length && folded === op.conjuncts ? op : { ...op, conjuncts }
}

function foldNode(expr: Expr, cx: PassContext): Expr {
  switch (expr.kind) {
    case 'literal':
    case 'field':
    case 'parameter':
    case 'lambda':
      return expr
    case 'and':
      return foldLogic(expr, false)
    case 'or':
      return foldLogic(expr, true)
    case 'case': {
      const branches = expr.branches.filter(b => !(b.when.kind === 'literal' && b.when.value !== true))
      const [first] = branches
      if (first === undefined) return chosen(expr.otherwise)
      if (first.when.kind === 'literal' && first.when.value === true) return chosen(first.then)
      return branches.length === expr.branches.length ? expr : { ...expr, branches }
    }
    case 'coalesce': {
      const operands = expr.operands.filter(o => !(o.kind === 'literal' && o.value == null))
      const fixed = operands.findIndex(o => o.kind === 'literal')
      const reached = fixed < 0 ? operands : operands.slice(0, fixed + 1)
      // A field alone would keep missing apart from null; coalesce does not.
      if (reached.length === 0) return literal(null, expr.origin)
      if (reached.length === 1 && reached[0]!.kind === 'literal') return reached[0]!
      return reached.length === expr.operands.length ? expr : { ...expr, operands: reached }
    }
    case 'call':
      if (expr.args.every(isFixed) && isPure(expr) && !readsOuterLambda(expr)) return evaluated(expr, cx)
      return asSet(expr) ?? expr
    case 'not':
    case 'in-set':
      return expr.operand.kind === 'literal' ? evaluated(expr, cx) : expr
  }
}

/** `x in <expression>` whose list turned out to be a constant. A null in it makes answers null, which a set does not know. */
function asSet({ function: fn, args: [operand, list], origin }: CallExpr): Expr | null {
  if (fn.name !== 'in' || operand === undefined || list?.kind !== 'literal' || !Array.isArray(list.value)) return null
  const values = list.value as readonly Value[]
  if (!values.every(value => value !== null && value !== undefined)) return null
  return { kind: 'in-set', type: 'bool', origin, operand, values }
}

function isFixed(arg: Expr): boolean {
  return arg.kind === 'literal' || (arg.kind === 'lambda' && fieldsOf(arg.body).size === 0)
}

/** A branch that is a bare field: what was computed is null where the field is missing, a copy would be missing. */
function chosen(expr: Expr): Expr {
  if (expr.kind !== 'field') return expr
  return { kind: 'coalesce', type: expr.type, origin: expr.origin, operands: [expr] }
}

function evaluated(expr: Expr, cx: PassContext): Expr {
  const result = cx.evaluate(expr)
  if (result === null) return expr
  const isMissing = result.value === null && expr.kind === 'call' && expr.function.mayBeMissing === true
  return isMissing ? expr : literal(result.value, expr.origin)
}

/** `dominant` decides alone (false for and, true for or); the other truth value goes away. */
function foldLogic(expr: Extract<Expr, { readonly kind: 'and' | 'or' }>, dominant: boolean): Expr {
  const { operands } = expr
  if (operands.some(o => o.kind === 'literal' && o.value === dominant)) return literal(dominant, expr.origin)
  const rest = operands.filter(o => !(o.kind === 'literal' && o.value === !dominant))
  if (rest.length === operands.length) return expr
  if (rest.length === 0) return literal(!dominant, expr.origin)
  // What is not a boolean must stay an operand, where it counts as null.
  return rest.length === 1 && rest[0]!.type === 'bool' ? rest[0]! : { ...expr, operands: rest }
}

function mapSame<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  const mapped = list.map(change)
  return mapped.every((item, index) => item === list[index]) ? list : mapped
}
