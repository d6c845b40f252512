/**
 * A sort that nobody sees is left out: below what takes rows in any order, below a sort that leaves nothing to it, over rows that are in
 * its order already. The order of groups is no promise of stats (but for bins of time), so nothing above one asks for the order below.
 */
import type { LogicalOp, SortKey, SortOp } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { orderOf, uniqueFieldsOf } from '../logical/properties.ts'
import { isPure } from '../logical/pure.ts'
import { traitsOf } from '../logical/traits.ts'
import { inputsOf, withInputs } from '../logical/walk.ts'
import type { PassContext, Rule } from '../pass.ts'

export const removeSort: Rule = {
  name: 'remove-sort',
  summary: 'a sort goes where order does not matter or is there already; two sorts in a row become one',
  apply(plan, cx) {
    const changed = visit(plan, true, cx)
    return changed === plan ? null : changed
  },
}

/** @param isSeen  does anything above depend on the order of the rows this op gives? */
function visit(op: LogicalOp, isSeen: boolean, cx: PassContext): LogicalOp {
  if (op.kind === 'scan') return op
  if (op.kind === 'sort' && op.keys.every(key => isPure(key.value))) return visitSort(op, isSeen, cx)
  const traits = traitsOf(op)
  const order = traits.order(op)
  const isSeenBelow = traits.readsOrder(op) || ((order === 'kept' || order === 'mixed') && isSeen)
  // Of its right side a join that only asks for matches sees no order.
  const isFilter = op.kind === 'join' && (op.type === 'semi' || op.type === 'anti')
  return withInputs(
    op,
    inputsOf(op).map((input, index) => visit(input, isSeenBelow && !(isFilter && index > 0), cx)),
  )
}

function visitSort(op: SortOp, isSeen: boolean, cx: PassContext): LogicalOp {
  const text = `sort by ${op.keys.map(key => `${key.descending ? '-' : ''}${printExpr(key.value)}`).join(', ')}`
  if (!isSeen) {
    cx.note(`nothing above the ${text} sees the order`)
    return visit(op.input, false, cx)
  }
  if (isInOrder(op.keys, op.input)) {
    cx.note(`rows come to the ${text} in that order`)
    return visit(op.input, true, cx)
  }
  const { input } = op
  if (isTotal(op.keys, input)) return over(op, visit(input, false, cx))
  if (input.kind === 'sort' && input.keys.every(key => isPure(key.value))) {
    // Sorting is stable: the lower order decides among rows that are equal in the upper.
    const known = new Set(op.keys.map(key => printExpr(key.value)))
    const rest = input.keys.filter(key => !known.has(printExpr(key.value)))
    return visitSort({ ...op, keys: [...op.keys, ...rest], input: input.input }, isSeen, cx)
  }
  return over(op, visit(input, true, cx))
}

function over<T extends Exclude<LogicalOp, { readonly kind: 'scan' }>>(op: T, input: LogicalOp): T {
  return input === op.input ? op : { ...op, input }
}

function isInOrder(keys: readonly SortKey[], input: LogicalOp): boolean {
  const known = orderOf(input)
  return keys.every(({ value, descending }, index) => {
    const key = known[index]
    return value.kind === 'field' && key?.field === value.name && key.descending === descending
  })
}

/** Do the keys leave no two rows equal? */
function isTotal(keys: readonly SortKey[], input: LogicalOp): boolean {
  const unique = uniqueFieldsOf(input)
  if (unique === null) return false
  const fields = new Set(keys.map(key => (key.value.kind === 'field' ? key.value.name : null)))
  return [...unique].every(field => fields.has(field))
}
