/**
 * The smaller side of a join is read first: what is read second is then held, and its blocks read, only where it can match. Which rows
 * come out, and in which order, does not depend on it.
 */
import type { JoinOp, LogicalOp } from '../logical/ops.ts'
import { inputsOf, mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'
import { rowsOf } from './estimate-rows.ts'

/** Reading the left side first holds it as well, so it has to be this much smaller. */
const SMALLER = 4

export const joinSide: Rule = {
  name: 'join-side',
  summary: 'the left side of a join is read first where it is much smaller than the right',
  apply(plan, cx) {
    const changed = mapPlan(plan, op => {
      if (op.kind !== 'join' || !canReadLeftFirst(op)) return op
      const left = rowsOf(op.input, cx)
      const right = rowsOf(op.right, cx)
      if (left === null || right === null || left * SMALLER > right) return op
      cx.note(`about ${Math.round(left)} rows on the left, ${Math.round(right)} on the right`)
      return { ...op, readFirst: 'left' }
    })
    return changed === plan ? null : changed
  },
}

/**
 * Rows of the right side that nothing matches are in the answer of an outer join, so all of them are held anyway; and a lookup table is
 * in memory already.
 */
function canReadLeftFirst(op: JoinOp): boolean {
  return op.type !== 'outer' && readsEvents(op.right)
}

function readsEvents(op: LogicalOp): boolean {
  return op.kind === 'scan' ? op.lookup === null : inputsOf(op).some(readsEvents)
}
