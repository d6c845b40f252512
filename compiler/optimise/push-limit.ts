/**
 * head moves below stages that neither drop, add nor move rows: what they compute, they compute for fewer rows. Of a union's inputs
 * none gives more than head lets through, so each gets one of its own; so does the left side of a left join.
 */
import type { HeadOp, LogicalOp } from '../logical/ops.ts'
import { mayFailOnRows, traitsOf } from '../logical/traits.ts'
import { inputsOf, mapPlan, withInputs } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const pushLimit: Rule = {
  name: 'push-limit',
  summary:
    'head moves down past stages that give one row for each, into the inputs of a union and the left side of a left join; two heads become the smaller',
  apply(plan) {
    const pushed = mapPlan(plan, op => (op.kind === 'head' ? pushDown(op) : op))
    return pushed === plan ? null : pushed
  },
}

function pushDown(head: HeadOp): LogicalOp {
  const { input } = head
  if (input.kind === 'head') return pushDown({ ...input, count: Math.min(input.count, head.count) })
  if (input.kind === 'union') {
    const limited = inputsOf(input).map(each => pushDown({ ...head, input: each }))
    return { ...head, input: withInputs(input, limited) }
  }
  // Every row of the left side is at least one row.
  if (input.kind === 'join' && input.type === 'left') {
    return { ...head, input: { ...input, input: pushDown({ ...head, input: input.input }) } }
  }
  if (input.kind === 'scan' || !keepsRows(input)) return head
  return { ...input, input: pushDown({ ...head, input: input.input }) }
}

/** A strict cast would fail the query for rows that head cuts off, so it stays above one. */
function keepsRows(op: LogicalOp): boolean {
  const { rows, order, readsAhead } = traitsOf(op)
  return rows(op) === 'same' && order(op) === 'kept' && readsAhead?.(op) !== true && !mayFailOnRows(op)
}
