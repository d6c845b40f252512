/** Stages of one kind in a row become one: fewer batches are made, and what they compute becomes one kernel. */
import { overlaps } from '../logical/field-names.ts'
import type { ExtendOp, KeepOp, LogicalOp } from '../logical/ops.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const mergeStages: Rule = {
  name: 'merge-stages',
  summary: 'extends in a row become one, as do keeps and drops',
  apply(plan) {
    const merged = mapPlan(plan, merge)
    return merged === plan ? null : merged
  },
}

function merge(op: LogicalOp): LogicalOp {
  if (op.kind === 'extend' && op.input.kind === 'extend' && !areEntangled(op.input, op)) {
    return { ...op.input, assignments: [...op.input.assignments, ...op.assignments] }
  }
  if (op.kind === 'drop' && op.input.kind === 'drop') {
    return { ...op.input, fields: [...new Set([...op.input.fields, ...op.fields])] }
  }
  if (op.kind === 'keep' && op.input.kind === 'keep' && isPlain(op) && isPlain(op.input)) {
    const lower = new Set(op.input.fields)
    if (op.fields.every(field => lower.has(field))) return { ...op, input: op.input.input }
  }
  return op
}

/** An object and a member of it, made by different stages: the later hides a part of the earlier. */
function areEntangled(lower: ExtendOp, upper: ExtendOp): boolean {
  const names = [...lower.assignments, ...upper.assignments].map(a => a.name)
  if (!names.some(name => name.includes('.'))) return false
  return lower.assignments.some(a => upper.assignments.some(b => a.name !== b.name && overlaps(a.name, b.name)))
}

function isPlain({ fields, except }: KeepOp): boolean {
  return except.length === 0 && !fields.some(field => field.includes('*'))
}
