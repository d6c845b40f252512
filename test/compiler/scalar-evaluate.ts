/** Evaluates an expression without fields straight through the helpers: what the examples of the descriptors are held against. */
import assert from 'node:assert/strict'
import { SCALARS } from '../../compiler/functions/scalar/index.ts'
import type { AstCall, AstExpr } from '../../grammar/ast.ts'
import { parseExpression } from '../../grammar/expression.ts'
import { Parser } from '../../grammar/parser.ts'
import { createRuntime } from '../../runtime/helpers/context.ts'
import type { Lambda } from '../../runtime/helpers/lambdas.ts'
import type { Value } from '../../storage/value.ts'
import { literal } from '../reference/expressions.ts'

const BY_NAME = new Map(SCALARS.map(fn => [fn.name, fn]))
const RUNTIME = createRuntime(1_780_000_000_000_000, () => {}) as unknown as Readonly<
  Record<string, (...args: Value[]) => Value>
>

/** As a descriptor promises: null in, null out, unless it observes nulls. */
export function callScalar(name: string, args: readonly Value[]): Value {
  const fn = BY_NAME.get(name)
  assert.ok(fn, `no function ${name}`)
  if (fn.nulls === 'propagate' && args.some(arg => arg === null || arg === undefined)) return null
  const helper = RUNTIME[fn.helper]
  assert.ok(helper, `no helper ${fn.helper}`)
  return helper(...args)
}

/** A function of a lambda, which its helper gets as a JavaScript function. */
export function callWithLambda(name: string, list: Value, body: Lambda): Value {
  const helper = RUNTIME[BY_NAME.get(name)?.helper ?? ''] as unknown as (list: Value, body: Lambda) => Value
  return list === null || list === undefined ? null : helper(list, body)
}

export function evaluateText(text: string): Value {
  const parser = new Parser({ text })
  const tree = parseExpression(parser)
  assert.deepEqual(parser.diagnostics, [], text)
  return evaluate(tree, new Map())
}

type Locals = ReadonlyMap<string, Value>

function evaluate(expr: AstExpr, locals: Locals): Value {
  const of = (each: AstExpr): Value => evaluate(each, locals)
  switch (expr.kind) {
    case 'field':
      return local(expr.name.split('.'), locals)
    case 'literal':
      return literal(expr.value)
    case 'binary':
      return callScalar(expr.operator, [of(expr.left), of(expr.right)])
    case 'negate':
      return callScalar('neg', [of(expr.operand)])
    case 'in':
      return callScalar('in', [of(expr.operand), of(expr.list)])
    case 'call':
      return call(expr, locals)
    case 'index':
      return callScalar('get', [of(expr.object), of(expr.index)])
    case 'member':
      return callScalar('get', [of(expr.object), expr.name])
    case 'array':
      return callScalar('array', expr.elements.map(of))
    case 'object':
      return callScalar(
        'object',
        expr.members.flatMap(member => [member.name, of(member.value)]),
      )
    default:
      throw new Error(`not in an example: ${expr.kind}`)
  }
}

function call({ name, args }: AstCall, locals: Locals): Value {
  const [list, lambda] = args
  if (list === undefined || lambda?.kind !== 'lambda') {
    return callScalar(
      name,
      args.map(arg => evaluate(arg, locals)),
    )
  }
  const body = (member: Value): Value => evaluate(lambda.body, new Map([...locals, [lambda.parameter, member]]))
  return callWithLambda(name, evaluate(list, locals), body)
}

function local([name = '', ...path]: readonly string[], locals: Locals): Value {
  assert.ok(locals.has(name), `no parameter ${name}`)
  return path.reduce<Value>((object, key) => callScalar('get', [object, key]), locals.get(name))
}
