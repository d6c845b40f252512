/** Conditions move towards the scan, one conjunct at a time, where they skip blocks and spare the work of the stages they pass. */
import type { Expr } from '../logical/expr.ts'
import type { FilterOp, LogicalOp } from '../logical/ops.ts'
import { mayFail } from '../logical/pure.ts'
import { mayFailOnRows, traitsOf } from '../logical/traits.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const pushFilter: Rule = {
  name: 'push-filter',
  summary: 'conditions move down past every stage that leaves what they read as it is; on group keys, below stats',
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
  const below: Expr[] = []
  const above: Expr[] = []
  for (const conjunct of filter.conjuncts) {
    // What comes after a strict cast is asked only of rows that passed it.
    const isHeld = above.some(mayFail) || mayFail(conjunct)
    const moved = isHeld ? null : traitsOf(input).filterBelow(input, conjunct)
    if (moved === null) above.push(conjunct)
    else below.push(moved)
  }
  if (below.length === 0) return filter
  const rest = { ...input, input: pushDown({ ...filter, input: input.input, conjuncts: below }) }
  return above.length === 0 ? rest : { ...filter, input: rest, conjuncts: above }
}
