/** sort then head keeps k rows while it reads, instead of all of them until the end. */
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

/** Beyond this a heap of candidates is no better than a sort. */
const TOPK_MAX = 100_000

export const sortLimitToTopk: Rule = {
  name: 'sort-limit-to-topk',
  summary: 'sort followed by head becomes top-k: only k candidates are held',
  apply(plan) {
    const changed = mapPlan(plan, op => {
      if (op.kind !== 'head' || op.input.kind !== 'sort' || op.count > TOPK_MAX) return op
      const { keys, input, origin } = op.input
      return { kind: 'topk', origin, input, keys, count: op.count }
    })
    return changed === plan ? null : changed
  },
}
