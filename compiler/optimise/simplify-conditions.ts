/**
 * Conditions in the form the rules after it work on: separate conjuncts, no negations that a comparison can carry itself, one set for a
 * chain of equalities, what alternatives have in common told once.
 *
 * All of it looks at conditions that are only asked whether they are true: there null and false are one, which `not` and values
 * tell apart. Exact in three-valued logic: De Morgan, `not (a < b)` as `a >= b`, distribution.
 */
import { COMPARISON_NEGATED } from '../functions/scalar/comparison.ts'
import type { CaseExpr, Expr, InSetExpr } from '../logical/expr.ts'
import type { LogicalOp } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { isPure } from '../logical/pure.ts'
import { mapExpressions } from '../logical/traits.ts'
import { mapExpr, mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'
import { literal } from '../resolve/expression.ts'
import { equalitiesToSet, equalityWith } from './equalities.ts'

export const simplifyConditions: Rule = {
  name: 'simplify-conditions',
  summary:
    'negations move into comparisons, chains of equalities become one set, what alternatives share is asked once; every `and` of a where is a condition of its own',
  apply(plan) {
    const simplified = mapPlan(plan, simplifyOp)
    return simplified === plan ? null : simplified
  },
}

function simplifyOp(op: LogicalOp): LogicalOp {
  // Wherever a condition stands inside an expression, it is a branch's.
  const inside = mapExpressions(op, expr => mapExpr(expr, node => (node.kind === 'case' ? simplifyCase(node) : node)))
  if (inside.kind === 'filter') {
    const conjuncts = distinct(inside.conjuncts.flatMap(conjunct => conjunctsOf(asTest(conjunct))))
    const isSame =
      conjuncts.length === inside.conjuncts.length && conjuncts.every((c, index) => c === inside.conjuncts[index])
    return isSame ? inside : { ...inside, conjuncts }
  }
  if (inside.kind !== 'aggregate') return inside
  const aggregates = inside.aggregates.map(call => {
    const where = call.where === null ? null : asTest(call.where)
    return where === call.where ? call : { ...call, where }
  })
  return aggregates.every((call, index) => call === inside.aggregates[index]) ? inside : { ...inside, aggregates }
}

function simplifyCase(expr: CaseExpr): CaseExpr {
  const branches = expr.branches.map(branch => {
    const when = asTest(branch.when)
    return when === branch.when ? branch : { ...branch, when }
  })
  return branches.every((branch, index) => branch === expr.branches[index]) ? expr : { ...expr, branches }
}

function conjunctsOf(expr: Expr): readonly Expr[] {
  return expr.kind === 'and' ? expr.operands : [expr]
}

/** The condition as one that is true for exactly the same rows. What is not pure stays as it was written. */
export function asTest(expr: Expr): Expr {
  if (!isPure(expr)) return expr
  const simplified = test(expr)
  return printExpr(simplified) === printExpr(expr) ? expr : simplified
}

function test(expr: Expr): Expr {
  switch (expr.kind) {
    case 'not':
      return negated(expr.operand, expr)
    case 'and':
      return joined('and', expr.operands.map(test), expr)
    case 'or':
      return joined('or', expr.operands.map(test), expr)
    case 'in-set':
      return smallSet(expr)
    default:
      return expr
  }
}

/** True where `expr` is false. */
function negated(expr: Expr, whole: Expr): Expr {
  switch (expr.kind) {
    case 'not':
      return test(expr.operand)
    case 'and':
      return joined(
        'or',
        expr.operands.map(operand => negated(operand, not(operand))),
        whole,
      )
    case 'or':
      return joined(
        'and',
        expr.operands.map(operand => negated(operand, not(operand))),
        whole,
      )
    case 'call': {
      const opposite = COMPARISON_NEGATED.get(expr.function.name)
      return opposite === undefined ? whole : { ...expr, function: opposite, origin: whole.origin }
    }
    default:
      return whole
  }
}

function not(operand: Expr): Expr {
  return { kind: 'not', type: 'bool', origin: operand.origin, operand }
}

/** Nothing is in an empty list; a list of one is an equality, which more is known about. */
function smallSet(expr: InSetExpr): Expr {
  if (expr.values.length === 0) return literal(false, expr.origin)
  return expr.values.length === 1 ? equalityWith(expr.operand, expr.values[0], expr.origin) : expr
}

function joined(kind: 'and' | 'or', operands: readonly Expr[], whole: Expr): Expr {
  const flat = distinct(operands.flatMap(operand => (operand.kind === kind ? operand.operands : [operand])))
  // As a test, null is no more than false.
  const known = flat.filter(operand => !(operand.kind === 'literal' && (operand.value === true) === (kind === 'and')))
  if (known.length === 0) return literal(kind === 'and', whole.origin)
  const decided = known.find(operand => operand.kind === 'literal')
  if (decided !== undefined) return literal(kind === 'or', whole.origin)
  if (kind === 'and') return combined('and', known, whole)
  const common = shared(known, whole)
  return common ?? combined('or', equalitiesToSet(known), whole)
}

function combined(kind: 'and' | 'or', operands: readonly Expr[], whole: Expr): Expr {
  return operands.length === 1 ? operands[0]! : { kind, type: 'bool', origin: whole.origin, operands }
}

/** `a and b or a and c` is `a and (b or c)`: then `a` can move on its own. Null when nothing is common to all. */
function shared(alternatives: readonly Expr[], whole: Expr): Expr | null {
  const [first, ...others] = alternatives.map(conjunctsOf)
  if (first === undefined || others.length === 0) return null
  const texts = others.map(conjuncts => new Set(conjuncts.map(printExpr)))
  const common = first.filter(conjunct => texts.every(text => text.has(printExpr(conjunct))))
  if (common.length === 0) return null
  const isCommon = new Set(common.map(printExpr))
  const rests = alternatives.map(alternative =>
    conjunctsOf(alternative).filter(conjunct => !isCommon.has(printExpr(conjunct))),
  )
  // An alternative that asks for nothing else decides the rest.
  if (rests.some(rest => rest.length === 0)) return combined('and', common, whole)
  const choice = joined(
    'or',
    rests.map(rest => combined('and', rest, whole)),
    whole,
  )
  return combined('and', [...common, ...conjunctsOf(choice)], whole)
}

function distinct(exprs: readonly Expr[]): readonly Expr[] {
  if (exprs.length < 2) return exprs
  const byText = new Map<string, Expr>()
  for (const expr of exprs) {
    const text = isPure(expr) ? printExpr(expr) : `${byText.size} ${printExpr(expr)}`
    if (!byText.has(text)) byText.set(text, expr)
  }
  return [...byText.values()]
}
