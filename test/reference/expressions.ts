/** One expression over one row, the slow way: a switch over the syntax tree, three-valued logic written out. */
import type { AstBinary, AstCall, AstExpr, LiteralValue } from '../../grammar/ast.ts'
import { add, div, mod, mul, neg, sub } from '../../runtime/helpers/arithmetic.ts'
import { eq, ge, gt, le, lt, ne } from '../../runtime/helpers/compare.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { textOf } from './names.ts'
import { isAbsent, isObject, type Row, readField } from './row.ts'

/** What `name(args)` means; the registry of the language, given from outside. */
export type CallScalar = (name: string, args: readonly Value[], strict: boolean) => Value

export interface Scope {
  readonly row: Row
  readonly variables: Readonly<Record<string, Value>>
  readonly callScalar: CallScalar
  /** Parameters of the lambdas around. */
  readonly locals: ReadonlyMap<string, Value>
}

export function evaluate(expr: AstExpr, scope: Scope): Value {
  switch (expr.kind) {
    case 'literal':
      return literal(expr.value)
    case 'field':
      return fieldOrLocal(expr.name, scope)
    case 'variable':
      return scope.variables[expr.name] ?? null
    case 'binary':
      return binary(expr, scope)
    case 'not':
      return not(truth(evaluate(expr.operand, scope)))
    case 'negate':
      return neg(evaluate(expr.operand, scope))
    case 'in':
      return flip(expr.negated, isIn(evaluate(expr.operand, scope), evaluate(expr.list, scope)))
    case 'between':
      return flip(expr.negated, between(expr.operand, expr.low, expr.high, scope))
    case 'call':
      return call(expr, scope)
    case 'member': {
      const object = evaluate(expr.object, scope)
      return isObject(object) && Object.hasOwn(object, expr.name) ? object[expr.name] : undefined
    }
    case 'index':
      return element(evaluate(expr.object, scope), evaluate(expr.index, scope))
    case 'array':
      return expr.elements.map(each => evaluate(each, scope) ?? null)
    case 'object':
      return Object.fromEntries(expr.members.map(({ name, value }) => [name, evaluate(value, scope) ?? null]))
    case 'lambda':
    case 'bad':
      throw new Error(`${expr.kind} is not a value`)
  }
}

/** What a literal of the query says. */
export function literal(value: LiteralValue): Value {
  switch (value.type) {
    case 'null':
      return null
    case 'int':
      return normalInt(value.value)
    case 'duration':
      return new Duration(value.ns)
    case 'datetime':
      return new DateTime(value.micros, value.nanos)
    default:
      return value.value
  }
}

function normalInt(value: bigint): number | bigint {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : number
}

function fieldOrLocal(name: string, scope: Scope): Value {
  const dot = name.indexOf('.')
  const head = dot < 0 ? name : name.slice(0, dot)
  if (!scope.locals.has(head)) return readField(scope.row, name)
  let at = scope.locals.get(head)
  for (const step of dot < 0 ? [] : name.slice(dot + 1).split('.')) {
    at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }
  return at
}

/** A condition is true, false or unknown; anything that is no boolean is unknown. */
function truth(value: Value): boolean | null {
  return typeof value === 'boolean' ? value : null
}

function not(value: boolean | null): boolean | null {
  return value === null ? null : !value
}

function flip(negated: boolean, value: boolean | null): boolean | null {
  return negated ? not(value) : value
}

function and(a: boolean | null, b: boolean | null): boolean | null {
  if (a === false || b === false) return false
  return a === null || b === null ? null : true
}

function or(a: boolean | null, b: boolean | null): boolean | null {
  if (a === true || b === true) return true
  return a === null || b === null ? null : false
}

function binary(expr: AstBinary, scope: Scope): Value {
  const left = evaluate(expr.left, scope)
  if (expr.operator === '??') return isAbsent(left) ? (evaluate(expr.right, scope) ?? null) : left
  const right = evaluate(expr.right, scope)
  switch (expr.operator) {
    case 'and':
      return and(truth(left), truth(right))
    case 'or':
      return or(truth(left), truth(right))
    case '==':
      return eq(left, right)
    case '!=':
      return ne(left, right)
    case '<':
      return lt(left, right)
    case '<=':
      return le(left, right)
    case '>':
      return gt(left, right)
    case '>=':
      return ge(left, right)
    case '+':
      return add(left, right)
    case '-':
      return sub(left, right)
    case '*':
      return mul(left, right)
    case '/':
      return div(left, right)
    case '%':
      return mod(left, right)
  }
}

/** Null only for an absent operand (or a list that is no list): a member that cannot be compared is simply not it. */
function isIn(needle: Value, list: Value): boolean | null {
  if (isAbsent(needle) || !Array.isArray(list)) return null
  return list.some(member => eq(needle, member as Value) === true)
}

function between(operand: AstExpr, low: AstExpr, high: AstExpr, scope: Scope): boolean | null {
  const value = evaluate(operand, scope)
  return and(ge(value, evaluate(low, scope)), le(value, evaluate(high, scope)))
}

function element(object: Value, index: Value): Value {
  if (Array.isArray(object) && typeof index === 'number' && Number.isInteger(index)) {
    return (object as readonly Value[]).at(index)
  }
  return isObject(object) && typeof index === 'string' && Object.hasOwn(object, index) ? object[index] : undefined
}

function call(expr: AstCall, scope: Scope): Value {
  // `sort -count()` after `stats count()`: the text of the aggregate is the column's name.
  const column = textOf(expr)
  if (scope.row.fields.has(column)) return scope.row.fields.get(column)
  const name = expr.name.toLowerCase()
  const [first, second] = expr.args
  if (second?.kind === 'lambda' && first !== undefined) {
    const { parameter, body } = second
    const apply = (value: Value): Value =>
      evaluate(body, { ...scope, locals: new Map([...scope.locals, [parameter, value]]) })
    return overArray(name, evaluate(first, scope), apply)
  }
  if (name === 'if' || name === 'case') return firstTrue(expr.args, scope)
  if (name === 'coalesce') {
    for (const arg of expr.args) {
      const value = evaluate(arg, scope)
      if (!isAbsent(value)) return value
    }
    return null
  }
  const args = expr.args.map(arg => evaluate(arg, scope))
  return scope.callScalar(name, args, expr.strict)
}

/** `if(p, a, b)` is a `case` with one condition. */
function firstTrue(args: readonly AstExpr[], scope: Scope): Value {
  for (let i = 0; i + 1 < args.length; i += 2) {
    if (evaluate(args[i] as AstExpr, scope) === true) return evaluate(args[i + 1] as AstExpr, scope) ?? null
  }
  const otherwise = args.length % 2 === 1 ? args.at(-1) : undefined
  return otherwise === undefined ? null : (evaluate(otherwise, scope) ?? null)
}

function overArray(name: string, array: Value, apply: (value: Value) => Value): Value {
  if (!Array.isArray(array)) return null
  const members = array as readonly Value[]
  switch (name) {
    case 'any':
      return members.some(member => apply(member) === true)
    case 'all':
      return members.every(member => apply(member) === true)
    case 'filter':
      return members.filter(member => apply(member) === true)
    case 'map':
      return members.map(member => apply(member) ?? null)
    default:
      throw new Error(`no function takes a lambda called ${name}`)
  }
}
