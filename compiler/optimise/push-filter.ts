/** Conditions move towards the scan, one conjunct at a time, where they skip blocks and spare the work of the stages they pass. */
import type { Expr } from '../logical/expr.ts'
import type { FilterOp, LogicalOp } from '../logical/ops.ts'
import { mayFail } from '../logical/pure.ts'
import { mayFailOnRows, traitsOf } from '../logical/traits.ts'
import { inputsOf, mapPlan, withInputs } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const pushFilter: Rule = {
  name: 'push-filter',
  summary:
    'conditions move down past every stage that leaves what they read as it is; on group keys, below stats; into every input of a union and the sides of a join they are about',
  apply(plan) {
    const pushed = mapPlan(plan, op => (op.kind === 'filter' ? pushDown(op) : op))
    return pushed === plan ? null : pushed
  },
}

function pushDown(filter: FilterOp): LogicalOp {
  const { input } = filter
  // Neighbours become one, so that the scan sees every condition.
  if (input.kind === 'filter') {
    return pushDown({ ...input, conjuncts: [...input.conjuncts, ...filter.conjuncts] })
  }
  if (input.kind === 'scan' || mayFailOnRows(input)) return filter
  const inputs = inputsOf(input)
  const below: Expr[][] = inputs.map(() => [])
  const above: Expr[] = []
  for (const conjunct of filter.conjuncts) {
    // What comes after a strict cast is asked only of rows that passed it.
    const isHeld = above.some(mayFail) || mayFail(conjunct)
    const moved = isHeld ? null : filterInputs(input, conjunct)
    if (moved === null) above.push(conjunct)
    else for (const [index, expr] of moved.entries()) if (expr !== null) below[index]!.push(expr)
  }
  if (above.length === filter.conjuncts.length) return filter
  const rest = withInputs(
    input,
    inputs.map((each, index) => {
      const conjuncts = below[index]!
      return conjuncts.length === 0 ? each : pushDown({ ...filter, input: each, conjuncts })
    }),
  )
  return above.length === 0 ? rest : { ...filter, input: rest, conjuncts: above }
}

function filterInputs(op: LogicalOp, conjunct: Expr): readonly (Expr | null)[] | null {
  const { filterInputs: several, filterBelow } = traitsOf(op)
  if (several !== undefined) return several(op, conjunct)
  const moved = filterBelow(op, conjunct)
  return moved === null ? null : [moved]
}
