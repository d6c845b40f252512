/** dedup over rows that differ already in its fields, and head over a single row, let everything through: they go. */
import type { DedupOp, LogicalOp } from '../logical/ops.ts'
import { uniqueFieldsOf } from '../logical/properties.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const removeDedup: Rule = {
  name: 'remove-dedup',
  summary: 'dedup goes where no two rows agree in its fields, as after stats by them; head where there is one row',
  apply(plan) {
    const changed = mapPlan(plan, op => (isForNothing(op) ? op.input : op))
    return changed === plan ? null : changed
  },
}

function isForNothing(op: LogicalOp): op is Extract<LogicalOp, { readonly kind: 'dedup' | 'head' }> {
  if (op.kind === 'head') return op.count >= 1 && uniqueFieldsOf(op.input)?.size === 0
  if (op.kind !== 'dedup') return false
  const unique = uniqueFieldsOf(op.input)
  return (unique !== null && isWithin(unique, op)) || (op.input.kind === 'dedup' && isStricter(op.input, op))
}

function isWithin(fields: Iterable<string>, dedup: DedupOp): boolean {
  for (const field of fields) if (!dedup.fields.includes(field)) return false
  return true
}

/** Rows that agree in more fields are no more than those that agree in fewer. */
function isStricter(lower: DedupOp, upper: DedupOp): boolean {
  return isWithin(lower.fields, upper) && lower.count <= upper.count
}
