/** head moves below stages that neither drop, add nor move rows: what they compute, they compute for fewer rows. */
import type { HeadOp, LogicalOp } from '../logical/ops.ts'
import { mapPlan, someExpr } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const pushLimit: Rule = {
  name: 'push-limit',
  summary: 'head moves down through extend, keep, drop, rename and parse; two heads become the smaller',
  apply(plan) {
    const pushed = mapPlan(plan, op => (op.kind === 'head' ? pushDown(op) : op))
    return pushed === plan ? null : pushed
  },
}

function pushDown(head: HeadOp): LogicalOp {
  const { input } = head
  if (input.kind === 'head') return pushDown({ ...input, count: Math.min(input.count, head.count) })
  if (!keepsRows(input)) return head
  return { ...input, input: pushDown({ ...head, input: input.input }) }
}

function keepsRows(op: LogicalOp): op is Extract<LogicalOp, { kind: 'extend' | 'keep' | 'drop' | 'rename' | 'parse' }> {
  switch (op.kind) {
    case 'extend':
      // A strict cast fails the query for rows head would have cut off.
      return !op.assignments.some(a => someExpr(a.value, node => node.kind === 'call' && node.strict === true))
    case 'parse':
      return op.onError === 'propagate' || op.onError === 'null'
    case 'keep':
    case 'drop':
    case 'rename':
      return true
    default:
      return false
  }
}
