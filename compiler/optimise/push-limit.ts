/** head moves below stages that neither drop, add nor move rows: what they compute, they compute for fewer rows. */
import type { HeadOp, LogicalOp } from '../logical/ops.ts'
import { mayFailOnRows, traitsOf } from '../logical/traits.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const pushLimit: Rule = {
  name: 'push-limit',
  summary: 'head moves down past stages that give one row for each; two heads become the smaller',
  apply(plan) {
    const pushed = mapPlan(plan, op => (op.kind === 'head' ? pushDown(op) : op))
    return pushed === plan ? null : pushed
  },
}

function pushDown(head: HeadOp): LogicalOp {
  const { input } = head
  if (input.kind === 'head') return pushDown({ ...input, count: Math.min(input.count, head.count) })
  if (input.kind === 'scan' || !keepsRows(input)) return head
  return { ...input, input: pushDown({ ...head, input: input.input }) }
}

/** A strict cast would fail the query for rows that head cuts off, so it stays above one. */
function keepsRows(op: LogicalOp): boolean {
  const { rows, order, readsAhead } = traitsOf(op)
  return rows(op) === 'same' && order === 'kept' && readsAhead?.(op) !== true && !mayFailOnRows(op)
}
