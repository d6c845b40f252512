/**
 * Random expressions of a wanted type, as text. Functions come from their descriptors, so one is fuzzed the day it is
 * registered; what a constant parameter may be is taken from the descriptor's own examples.
 */

import type { Parameter, ScalarFunction } from '../../compiler/functions/descriptor.ts'
import { FUNCTIONS } from '../../compiler/functions/index.ts'
import { parse, printExpr, quoteField } from '../../grammar/index.ts'
import type { ValueType } from '../../storage/value.ts'
import type { Field, FieldType } from './data.ts'
import type { Random } from './random.ts'

export type Wanted = 'number' | 'string' | 'bool' | 'datetime' | 'duration' | 'array' | 'object' | 'any'

export interface ExpressionContext {
  readonly random: Random
  readonly fields: readonly Field[]
  /** Those of the swarm. */
  readonly functions: readonly ScalarFunction[]
}

/** Functions written as calls whose answer depends on nothing but their arguments. */
export const CALLABLE: readonly ScalarFunction[] = [...FUNCTIONS.scalars.values()].filter(
  fn => fn.notation === 'call' && fn.purity === 'pure',
)

const LITERALS: Readonly<Record<Wanted, readonly string[]>> = {
  number: ['0', '1', '-1', '2', '10', '0.5', '200', '500', '9007199254740993', '1e300'],
  string: ['""', '"a"', '"error"', '"web-1"', '"200"', '"1"', '"timeout"', '"größe"'],
  bool: ['true', 'false'],
  datetime: ['2026-06-15T09:00:00Z', '2026-06-15T09:05:00.5Z', '2020-01-01T00:00:00Z'],
  duration: ['0s', '30s', '5m', '1h30m', '250ms'],
  array: ['[]', '["a"]', '[1, 2, 3]', '["error", "warn"]', '[null, 1]'],
  object: ['{}', '{a: 1}', '{a: {b: "x"}, c: [1]}'],
  any: ['null', '1', '"a"', 'true', '[1]', '5m'],
}

function wantedOf(type: ValueType): Wanted {
  if (type === 'int' || type === 'float') return 'number'
  return type === 'null' ? 'any' : type
}

function fits(type: FieldType, wanted: Wanted): boolean {
  if (type === 'opaque') return false
  if (wanted === 'any' || type === 'any') return true
  return wanted === type || (wanted === 'number' && (type === 'int' || type === 'float'))
}

export function randomExpression(context: ExpressionContext, wanted: Wanted, depth: number): string {
  const { random } = context
  if (depth <= 0) return leaf(context, wanted)
  // Now and then the wrong type: what then happens is part of the language too.
  const target = random.chance(0.05) ? random.pick(Object.keys(LITERALS) as Wanted[]) : wanted
  if (target === 'bool') return condition(context, depth)
  if (target === 'number' && random.chance(0.4)) return arithmetic(context, depth)
  if (random.chance(0.1)) {
    const [a, b] = [randomExpression(context, target, depth - 1), randomExpression(context, target, depth - 1)]
    return random.chance(0.5) ? `(${a} ?? ${b})` : `if(${condition(context, depth - 1)}, ${a}, ${b})`
  }
  const candidates = context.functions.filter(fn => resultFits(fn, target))
  if (candidates.length > 0 && random.chance(0.6)) return call(context, random.pick(candidates), depth)
  return leaf(context, target)
}

function leaf({ random, fields }: ExpressionContext, wanted: Wanted): string {
  const candidates = fields.filter(field => fits(field.type, wanted))
  if (candidates.length > 0 && random.chance(0.75)) return quoteField(random.pick(candidates).name)
  return random.pick(LITERALS[wanted])
}

function arithmetic(context: ExpressionContext, depth: number): string {
  const { random } = context
  if (random.chance(0.1)) return `-(${randomExpression(context, 'number', depth - 1)})`
  const left = randomExpression(context, 'number', depth - 1)
  return `(${left} ${random.pick(['+', '-', '*', '/', '%'])} ${randomExpression(context, 'number', depth - 1)})`
}

/** A predicate: what `where` takes. */
export function condition(context: ExpressionContext, depth: number): string {
  const { random } = context
  const choice = depth <= 0 ? random.int(0, 2) : random.int(0, 8)
  switch (choice) {
    case 0:
    case 1:
    case 2: {
      const type = random.pick(['number', 'string', 'any', 'datetime', 'bool'] as const)
      const left = randomExpression(context, type, Math.min(1, depth - 1))
      return `(${left} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${leaf(context, type)})`
    }
    case 3:
      return `(${condition(context, depth - 1)} and ${condition(context, depth - 1)})`
    case 4:
      return `(${condition(context, depth - 1)} or ${condition(context, depth - 1)})`
    case 5:
      return `(not ${condition(context, depth - 1)})`
    case 6: {
      const type = random.pick(['number', 'string'] as const)
      const members = Array.from({ length: random.int(1, 3) }, () => random.pick(LITERALS[type]))
      return `(${leaf(context, type)} ${random.pick(['in', 'not in'])} [${members.join(', ')}])`
    }
    case 7:
      return `(${leaf(context, 'number')} ${random.pick(['between', 'not between'])} ${random.int(-2, 5)} and ${random.int(3, 400)})`
    default: {
      const candidates = context.functions.filter(fn => resultFits(fn, 'bool'))
      return candidates.length > 0 ? call(context, random.pick(candidates), depth) : leaf(context, 'bool')
    }
  }
}

function resultFits(fn: ScalarFunction, wanted: Wanted): boolean {
  const result = fn.type(fn.parameters.map(parameter => parameter.type))
  if (typeof result !== 'string') return false
  return wanted === 'any' || wantedOf(result) === wanted
}

function call(context: ExpressionContext, fn: ScalarFunction, depth: number): string {
  const { random } = context
  const args: string[] = []
  for (const [i, parameter] of fn.parameters.entries()) {
    if (parameter.optional && random.chance(0.5)) break
    args.push(argument(context, fn, parameter, i, depth))
    while (parameter.variadic && random.chance(0.4)) args.push(argument(context, fn, parameter, i, depth))
  }
  return `${fn.name}(${args.join(', ')})`
}

function argument(
  context: ExpressionContext,
  fn: ScalarFunction,
  parameter: Parameter,
  at: number,
  depth: number,
): string {
  const { random } = context
  if (parameter.lambda) return lambda(context, parameter, depth)
  const examples = exampleArguments(fn, at)
  // Any string will do as text, but not as a pattern, a unit or a zone.
  if (examples.length > 0 && (parameter.constant || random.chance(0.2))) return random.pick(examples)
  if (parameter.constant) return random.pick(LITERALS[wantedOf(parameter.type)])
  return randomExpression(context, wantedOf(parameter.type), depth - 1)
}

/** The body may read fields, members of lambdas around it, and now and then a name that hides one of them. */
function lambda(context: ExpressionContext, parameter: Parameter, depth: number): string {
  const name = context.random.pick(['x', 'y', 'id', 'at'])
  const fields = [...context.fields.filter(field => field.name !== name), { name, type: 'any' } as const]
  const inside = { ...context, fields }
  const body =
    parameter.type === 'bool'
      ? condition(inside, Math.max(0, depth - 1))
      : randomExpression(inside, wantedOf(parameter.type), depth - 1)
  return `${name} -> ${body}`
}

const examplesByFunction = new Map<string, readonly string[]>()

/** The literals that stand at this position in the descriptor's examples. */
function exampleArguments(fn: ScalarFunction, at: number): readonly string[] {
  const key = `${fn.name} ${at}`
  let known = examplesByFunction.get(key)
  if (known === undefined) {
    known = fn.doc.examples.flatMap(({ expression }) => {
      const [stage] = parse(`from main | extend x = ${expression}`).query.pipeline.stages
      const value = stage?.kind === 'extend' ? stage.assignments[0]?.value : undefined
      const arg = value?.kind === 'call' && value.name === fn.name ? value.args[at] : undefined
      return arg?.kind === 'literal' || arg?.kind === 'array' || arg?.kind === 'lambda' ? [printExpr(arg)] : []
    })
    examplesByFunction.set(key, known)
  }
  return known
}
