/** Evaluates an expression without fields straight through the helpers: what the examples of the descriptors are held against. */
import assert from 'node:assert/strict'
import { SCALARS } from '../../compiler/functions/scalar/index.ts'
import type { AstExpr } from '../../grammar/ast.ts'
import { parseExpression } from '../../grammar/expression.ts'
import { Parser } from '../../grammar/parser.ts'
import { createRuntime } from '../../runtime/helpers/context.ts'

import type { Value } from '../../storage/value.ts'
import { literal } from '../reference/expressions.ts'

const BY_NAME = new Map(SCALARS.map(fn => [fn.name, fn]))
const RUNTIME = createRuntime(1_780_000_000_000_000) as unknown as Readonly<Record<string, (...args: Value[]) => Value>>

/** As a descriptor promises: null in, null out, unless it observes nulls. */
export function callScalar(name: string, args: readonly Value[]): Value {
  const fn = BY_NAME.get(name)
  assert.ok(fn, `no function ${name}`)
  if (fn.nulls === 'propagate' && args.some(arg => arg === null || arg === undefined)) return null
  const helper = RUNTIME[fn.helper]
  assert.ok(helper, `no helper ${fn.helper}`)
  return helper(...args)
}

export function evaluateText(text: string): Value {
  const parser = new Parser({ text })
  const tree = parseExpression(parser)
  assert.deepEqual(parser.diagnostics, [], text)
  return evaluate(tree)
}

function evaluate(expr: AstExpr): Value {
  switch (expr.kind) {
    case 'literal':
      return literal(expr.value)
    case 'binary':
      return callScalar(expr.operator, [evaluate(expr.left), evaluate(expr.right)])
    case 'negate':
      return callScalar('neg', [evaluate(expr.operand)])
    case 'in':
      return callScalar('in', [evaluate(expr.operand), evaluate(expr.list)])
    case 'call':
      return callScalar(expr.name, expr.args.map(evaluate))
    case 'index':
      return callScalar('get', [evaluate(expr.object), evaluate(expr.index)])
    case 'member':
      return callScalar('get', [evaluate(expr.object), expr.name])
    case 'array':
      return callScalar('array', expr.elements.map(evaluate))
    case 'object':
      return callScalar(
        'object',
        expr.members.flatMap(member => [member.name, evaluate(member.value)]),
      )
    default:
      throw new Error(`not in an example: ${expr.kind}`)
  }
}
