/**
 * sort then head keeps k rows while it reads, instead of all of them until the end. Rows of a left join that is sorted by its left side come
 * from the first k rows there, so that side is asked for those alone, and may read its newest first. (A union needs no such help: a top-k
 * above it tells all of its inputs what a row must beat.)
 */
import { isFromRight } from '../logical/join-fields.ts'
import type { LogicalOp, TopKOp } from '../logical/ops.ts'
import { isPure } from '../logical/pure.ts'
import { fieldsOf, mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

/** Beyond this a heap of candidates is no better than a sort. */
const TOPK_MAX = 100_000

export const sortLimitToTopk: Rule = {
  name: 'sort-limit-to-topk',
  summary:
    'sort followed by head becomes top-k: only k candidates are held, of the left side where a left join is sorted by it',
  apply(plan) {
    const changed = mapPlan(plan, op => {
      if (op.kind !== 'head' || op.input.kind !== 'sort' || op.count > TOPK_MAX) return op
      const { keys, input, origin } = op.input
      return pushDown({ kind: 'topk', origin, input, keys, count: op.count })
    })
    return changed === plan ? null : changed
  },
}

function pushDown(topk: TopKOp): LogicalOp {
  const { input, keys, count, origin } = topk
  if (!keys.every(key => isPure(key.value))) return topk
  if (input.kind !== 'join' || input.type !== 'left') return topk
  const fields = [...fieldsOf(...keys.map(key => key.value))]
  if (fields.some(field => isFromRight(input, field))) return topk
  // The join keeps the order of its left side, and gives a row for each of its rows at least.
  return { kind: 'head', origin, count, input: { ...input, input: pushDown({ ...topk, input: input.input }) } }
}
