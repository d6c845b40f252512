/** Where a field of joined rows comes from. What rules may do to a join rests on these answers. */
import { COLLISION_SUFFIX } from '../../grammar/ast.ts'
import type { Expr } from './expr.ts'
import { overlaps } from './field-names.ts'
import type { JoinOp } from './ops.ts'
import { fieldsOf, substitute } from './walk.ts'

/** Fields wanted from below; null: all of them. */
type Demand = ReadonlySet<string> | null

/** A key that both sides have under one name, or a member of it: the right side adds nothing to it. */
export function isSharedKey(op: JoinOp, field: string): boolean {
  return op.keys.some(({ left, right }) => left === right && (field === left || field.startsWith(`${left}.`)))
}

/** Might reading the field of a joined row read the left side? */
export function isFromLeft(op: JoinOp, field: string): boolean {
  return op.leftFields === null || op.leftFields.some(name => overlaps(field, name))
}

/** Might it read the right side? */
export function isFromRight(op: JoinOp, field: string): boolean {
  const { type, prefix, rightFields } = op
  if (type === 'semi' || type === 'anti') return false
  // Rows that only the right side has take their keys from there.
  if (isSharedKey(op, field)) return type === 'outer'
  if (rightFields === null) return prefix === '' || overlaps(field, prefix.slice(0, -1))
  return rightFields.some(name => {
    const output = `${prefix}${name}`
    return overlaps(field, output) || overlaps(field, `${output}${COLLISION_SUFFIX}`)
  })
}

/** The field as the right side names it; null when the joined row does not simply have that field's value. */
export function inRight(op: JoinOp, field: string): string | null {
  if (isFromLeft(op, field) || field.includes(COLLISION_SUFFIX)) return null
  return field.startsWith(op.prefix) ? field.slice(op.prefix.length) : null
}

/** What a join needs of its sides so that it can give the fields demanded. */
export function demandOfSides(op: JoinOp, demand: Demand): { readonly left: Demand; readonly right: Demand } {
  const leftKeys = op.keys.map(key => key.left)
  const rightKeys = op.keys.map(key => key.right)
  const isFilter = op.type === 'semi' || op.type === 'anti'
  if (demand === null) return { left: null, right: isFilter ? new Set(rightKeys) : null }
  if (isFilter) return { left: new Set([...demand, ...leftKeys]), right: new Set(rightKeys) }
  // Whether a field is pushed aside by one of the left side, only that one can say.
  const names = new Set([...demand].flatMap(field => [field, ...ownersOf(field)]))
  return { left: new Set([...names, ...leftKeys]), right: inRightSide(op.prefix, names, rightKeys) }
}

function inRightSide(prefix: string, names: ReadonlySet<string>, keys: readonly string[]): Demand {
  const right = new Set(keys)
  for (const name of names) {
    if (name.startsWith(prefix)) right.add(name.slice(prefix.length))
    else if (prefix.startsWith(`${name}.`)) return null
  }
  return right
}

/** `a.b` for `a.b_right` and for `a.b_right.c`. */
function ownersOf(field: string): string[] {
  const steps = field.split('.')
  return steps.flatMap((step, index) =>
    step.endsWith(COLLISION_SUFFIX)
      ? [[...steps.slice(0, index), step.slice(0, -COLLISION_SUFFIX.length)].join('.')]
      : [],
  )
}

/** A condition on joined rows as each side is asked it (left, right); one about a key both share narrows both. Null: it stays above. */
export function filterSides(op: JoinOp, conjunct: Expr): readonly [left: Expr | null, right: Expr | null] | null {
  const fields = [...fieldsOf(conjunct)]
  const [key] = fields
  // Equal keys compare alike with a literal; of other conditions their equality says nothing.
  const isOfKey =
    fields.length === 1 && isComparison(conjunct) && op.keys.some(({ left, right }) => left === key && right === key)
  if (isOfKey) return [conjunct, conjunct]
  if (op.type !== 'outer' && !fields.some(field => isFromRight(op, field))) return [conjunct, null]
  if (op.type !== 'inner' || fields.some(field => inRight(op, field) === null)) return null
  const asked = substitute(conjunct, field => ({
    kind: 'field',
    type: 'any',
    origin: conjunct.origin,
    name: inRight(op, field)!,
  }))
  return [null, asked]
}

function isComparison(expr: Expr): boolean {
  if (expr.kind === 'in-set') return expr.operand.kind === 'field'
  if (expr.kind !== 'call' || !COMPARISONS.has(expr.function.name)) return false
  return expr.args.every(arg => arg.kind === 'field' || arg.kind === 'literal')
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])
