/** The defaults most scalar functions share, so that a descriptor states only what is its own. */
import type { ValueType } from '../../../storage/value.ts'
import type { Emitted, Repr } from '../../codegen/emitted.ts'
import type { Category, Parameter, ScalarExample, ScalarFunction, TypeProblem } from '../descriptor.ts'

type Given = Pick<ScalarFunction, 'name' | 'helper' | 'parameters'> &
  Partial<Omit<ScalarFunction, 'kind' | 'doc' | 'type'>> & {
    readonly summary: string
    /** `expression`, `result` by turns. */
    readonly examples: readonly [readonly [string, string], ...(readonly [string, string])[]]
    /** The result type, whatever the arguments; or a rule. */
    readonly result: ValueType | ((args: readonly ValueType[]) => ValueType | TypeProblem)
  }

/** A family: the functions of one category with one way of being written. */
export function scalarsOf(category: Category): (given: Given) => ScalarFunction {
  return ({ summary, examples, result, ...given }) => {
    const [first, ...rest] = examples
    return {
      kind: 'scalar',
      notation: 'call',
      foreign: [],
      nulls: 'propagate',
      purity: 'pure',
      category,
      ...given,
      doc: { summary, examples: [exampleOf(first), ...rest.map(exampleOf)] },
      type: args => refuse(given.parameters, args) ?? (typeof result === 'string' ? result : result(args)),
    }
  }
}

function exampleOf([expression, result]: readonly [string, string]): ScalarExample {
  return { expression, result }
}

export function param(name: string, type: ValueType, doc: string, more: Partial<Parameter> = {}): Parameter {
  return { name, type, doc, ...more }
}

export const OPTIONAL = { optional: true } as const
export const CONSTANT = { constant: true } as const
export const VARIADIC = { variadic: true } as const

/**
 * What can never work is refused before any data is read: an array where a number belongs. Text is let through wherever it may
 * hold a number or a time, and everything but arrays and objects has a text form.
 */
function refuse(parameters: readonly Parameter[], args: readonly ValueType[]): TypeProblem | null {
  for (const [index, given] of args.entries()) {
    const parameter = parameters[Math.min(index, parameters.length - 1)]
    if (parameter === undefined || accepts(parameter.type, given)) continue
    return {
      problem: `${parameter.name} must be ${withArticle(parameter.type)}, not ${withArticle(given)}`,
      argument: index,
    }
  }
  return null
}

const NUMERIC: ReadonlySet<ValueType> = new Set<ValueType>(['int', 'float', 'number'])

export function isNumeric(type: ValueType): boolean {
  return NUMERIC.has(type)
}

function accepts(wanted: ValueType, given: ValueType): boolean {
  if (wanted === 'any' || given === 'any' || given === 'null' || wanted === given) return true
  if (isNumeric(wanted)) return isNumeric(given) || given === 'string'
  if (wanted === 'string') return true
  return (wanted === 'datetime' || wanted === 'duration') && given === 'string'
}

const ARTICLES: Partial<Record<ValueType, string>> = { any: 'any value', null: 'null' }

export function withArticle(type: ValueType): string {
  return ARTICLES[type] ?? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Whether every argument has this representation: the question before every fast path. */
export function allAre(args: readonly Emitted[], repr: Repr): boolean {
  return args.every(arg => arg.repr === repr)
}

/** Present wherever the arguments are. */
export function emitted(repr: Repr, value: Emitted['value'], valid: Emitted['valid'] = null): Emitted {
  return { repr, value, valid }
}
