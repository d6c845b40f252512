/**
 * Joins in a row: the one that leaves fewer rows goes first, where no row and no name can tell the difference. A semi join and an anti join
 * drop rows and add nothing, as a condition does; another join adds fields and may make several rows of one.
 */
import { COLLISION_SUFFIX } from '../../grammar/ast.ts'
import { overlaps } from '../logical/field-names.ts'
import { isFromRight } from '../logical/join-fields.ts'
import type { JoinOp, LogicalOp } from '../logical/ops.ts'
import { uniqueFieldsOf } from '../logical/properties.ts'
import { mayFailOnRows } from '../logical/traits.ts'
import { inputsOf, mapPlan } from '../logical/walk.ts'
import type { PassContext, Rule } from '../pass.ts'
import { rowsOf } from './estimate-rows.ts'

/** Estimates are rough: fewer rows by this much are fewer. */
const CLEARLY = 0.8

export const joinOrder: Rule = {
  name: 'join-order',
  summary:
    'of joins in a row the one that leaves fewer rows comes first; semi and anti joins move below joins that add rows or fields',
  apply(plan, cx) {
    const changed = mapPlan(plan, op => (op.kind === 'join' ? sunk(op, cx) : op))
    return changed === plan ? null : changed
  },
}

/** The join below as many of the joins under it as it may and should go. */
function sunk(upper: JoinOp, cx: PassContext): LogicalOp {
  const lower = upper.input
  if (lower.kind !== 'join' || !maySwap(upper, lower) || !shouldSwap(upper, lower, cx)) return upper
  const moved = sunk({ ...upper, input: lower.input, leftFields: lower.leftFields }, cx)
  return { ...lower, input: moved, leftFields: fieldsAfter(upper, lower.leftFields) }
}

function maySwap(upper: JoinOp, lower: JoinOp): boolean {
  if (lower.type === 'outer' || upper.type === 'outer') return false
  // Whether a strict cast gets to fail depends on which side is read at all.
  if (mayFailSomewhere(upper.right) || mayFailSomewhere(lower.right)) return false
  // Its keys must be there before the lower join.
  if (upper.keys.some(({ left }) => isFromRight(lower, left))) return false
  if (isFilter(upper)) return true
  // A row of the left side that both joins multiply comes out in the order of the one above.
  return isUnique(upper) && (isFilter(lower) || isUnique(lower)) && haveOwnNames(upper, lower)
}

function mayFailSomewhere(op: LogicalOp): boolean {
  return mayFailOnRows(op) || inputsOf(op).some(mayFailSomewhere)
}

const isFilter = ({ type }: JoinOp): boolean => type === 'semi' || type === 'anti'

/** Has a row of the left side one match at most? */
function isUnique({ right, keys }: JoinOp): boolean {
  const unique = uniqueFieldsOf(right)
  return unique !== null && [...unique].every(field => keys.some(key => key.right === field))
}

/** No field of the one is, or is pushed aside by, a field of the other; and neither reads what the other makes. */
function haveOwnNames(a: JoinOp, b: JoinOp): boolean {
  const ours = outputsOf(a)
  const theirs = isFilter(b) ? [] : outputsOf(b)
  if (ours === null || theirs === null) return false
  if (b.keys.some(({ left }) => ours.some(name => overlaps(name, left)))) return false
  return !ours.some(name => theirs.some(other => overlaps(name, other)))
}

/** Every name its right side's fields may go by; null: only the data knows. */
function outputsOf({ rightFields, prefix }: JoinOp): readonly string[] | null {
  return rightFields?.flatMap(name => [`${prefix}${name}`, `${prefix}${name}${COLLISION_SUFFIX}`]) ?? null
}

function fieldsAfter(join: JoinOp, left: readonly string[] | null): readonly string[] | null {
  if (isFilter(join)) return left
  const added = outputsOf(join)
  return left === null || added === null ? null : [...new Set([...left, ...added])]
}

/** By the rows each would leave; one that adds no fields goes first unless it leaves more. */
function shouldSwap(upper: JoinOp, lower: JoinOp, cx: PassContext): boolean {
  const before = rowsOf(lower.input, cx)
  const afterLower = rowsOf(lower, cx)
  const afterUpper = rowsOf({ ...upper, input: lower.input }, cx)
  const addsLess = isFilter(upper) && !isFilter(lower)
  if (before === null || afterLower === null || afterUpper === null) return addsLess
  if (afterUpper > afterLower * (addsLess ? 1 / CLEARLY : CLEARLY)) return false
  cx.note(
    `about ${Math.round(afterUpper)} rows of ${Math.round(before)} are left, ${Math.round(afterLower)} by the other`,
  )
  return true
}
