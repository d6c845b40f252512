/** Two pipelines side by side: which fields rows have after a join, and what is known to go wrong with its keys. */
import type { AstJoinKey, JoinType } from '../../grammar/ast.ts'
import { COLLISION_SUFFIX } from '../../grammar/ast.ts'
import { type Diagnostic, quoteField, type Span } from '../../grammar/index.ts'
import type { ValueType } from '../../storage/value.ts'
import { isSharedKey } from '../logical/join-fields.ts'
import type { JoinOp } from '../logical/ops.ts'
import type { LowerContext, Lowered } from '../stages/stage.ts'
import type { Resolved } from './context.ts'
import { ExprResolver, unified } from './expression.ts'
import { Scope } from './scope.ts'
import { fieldsIn } from './union.ts'

export interface JoinParts {
  readonly type: JoinType
  readonly on: readonly AstJoinKey[]
  readonly as: string | null
}

export function lowerJoin(right: Resolved, { type, on, as }: JoinParts, origin: Span, cx: LowerContext): Lowered {
  const keys = on.map(key => {
    const inRight = new ExprResolver(right.scope, {
      ...cx,
      knownFields: right.knownFields,
      report: problem => cx.report(ofOtherSide(problem, key)),
    })
    return { left: nameOf(cx.exprs, key.left), right: nameOf(inRight, key.right) }
  })
  for (const [index, key] of keys.entries()) hintTypes(key, on[index]!.span, right, cx)
  const prefix = as === null ? '' : `${as}.`
  const op: JoinOp = {
    kind: 'join',
    origin,
    input: cx.input,
    right: right.plan,
    type,
    keys,
    prefix,
    leftFields: cx.scope.isOpen ? null : [...cx.scope.fields.keys()],
    rightFields: right.scope.isOpen ? null : [...right.scope.fields.keys()],
  }
  if (type === 'semi' || type === 'anti') return { op, scope: cx.scope }
  const knownFields = knownOf(op, right, cx)
  const scope = scopeOf(op, cx.scope, right.scope)
  // Of a pipe nobody knows yet which fields of events have got other names by the join.
  const isStored = scope.isStored && (knownFields !== null || !right.scope.isOpen)
  return { op, scope: new Scope(scope.fields, scope.isOpen, isStored, scope.isEvents), knownFields }
}

/** `on uid` asks both sides for the field: the one that lacks it is told apart, with what to write. */
function ofOtherSide(problem: Diagnostic, { left, right }: AstJoinKey): Diagnostic {
  if (problem.code !== 'E101') return problem
  const message = problem.message.replace(/ here; there are/, ' on the other side; there are')
  if (left !== right || problem.edit === undefined) return { ...problem, message }
  const text = `${quoteField(left.name)} == ${problem.edit.text}`
  return { ...problem, message, suggestion: text, edit: { ...problem.edit, text } }
}

function nameOf(exprs: ExprResolver, field: AstJoinKey['left']): string {
  const expr = exprs.field(field.name, field.span)
  return expr.kind === 'field' ? expr.name : field.name
}

/** Names of the right side's fields in the output, without the keys both sides share. */
function added(op: JoinOp, names: Iterable<string>): (readonly [name: string, field: string])[] {
  return [...names].filter(name => !isSharedKey(op, name)).map(name => [`${op.prefix}${name}`, name])
}

function scopeOf(op: JoinOp, left: Scope, right: Scope): Scope {
  const fields = new Map(left.fields)
  const pushed: (readonly [string, ValueType])[] = []
  for (const [name, field] of added(op, right.fields.keys())) {
    const type = right.typeOf(field)
    if (fields.has(name)) pushed.push([`${name}${COLLISION_SUFFIX}`, type])
    // Where the left side lacks the field in some row, the right side's value has its place.
    fields.set(name, left.isOpen && !fields.has(name) ? 'any' : unified([fields.get(name) ?? type, type]))
  }
  for (const [name, type] of pushed) fields.set(name, fields.has(name) ? 'any' : type)
  for (const { left: name, right: other } of op.keys) {
    // Of rows that only the right side has.
    if (name === other && op.type === 'outer') fields.set(name, unified([left.typeOf(name), right.typeOf(other)]))
  }
  const open = [left, right].filter(scope => scope.isOpen)
  return new Scope(
    fields,
    open.length > 0,
    open.length > 0 && open.every(scope => scope.isStored),
    open.some(scope => scope.isEvents),
  )
}

function knownOf(op: JoinOp, right: Resolved, cx: LowerContext): Resolved['knownFields'] {
  const theirs = fieldsIn(right)
  if (cx.knownFields === null || theirs === null) return null
  const fields = new Map(cx.knownFields)
  for (const [name, field] of added(op, theirs.keys())) {
    const known = fields.get(name)
    const type = theirs.get(field) ?? 'any'
    if (known !== undefined) fields.set(`${name}${COLLISION_SUFFIX}`, type)
    fields.set(name, unified([known ?? type, type]))
  }
  return fields
}

const NUMBERS: ReadonlySet<ValueType> = new Set<ValueType>(['int', 'float', 'number'])

/** Keys match as groups do, so text never matches a number: known from the data, told before anyone wonders why nothing matched. */
function hintTypes(key: JoinOp['keys'][number], span: Span, right: Resolved, cx: LowerContext): void {
  const left = { plan: cx.input, scope: cx.scope, knownFields: cx.knownFields }
  const types = [typeIn(left, key.left), typeIn(right, key.right)]
  const text = types.indexOf('string')
  if (text < 0 || !types.some(type => NUMBERS.has(type))) return
  const [strings, numbers] = text === 0 ? [key.left, key.right] : [key.right, key.left]
  cx.hint({
    code: 'H913',
    message: `${strings} holds strings on one side, ${numbers} numbers on the other: they never match; extend one with int() or string()`,
    span,
  })
}

function typeIn({ scope, knownFields }: Resolved, name: string): ValueType {
  const type = scope.typeOf(name)
  return type === 'any' && !scope.fields.has(name) ? (knownFields?.get(name) ?? 'any') : type
}
