/** `+ - * / %` and unary minus. */
import type { Expression } from 'estree'
import type { ValueType } from '../../../storage/value.ts'
import type { EmitContext, Emitted } from '../../codegen/emitted.ts'
import { js, lit } from '../../codegen/js.ts'
import type { ScalarFunction, TypeProblem } from '../descriptor.ts'
import { allAre, emitted, isNumeric, param, scalarsOf, withArticle } from './build.ts'

const operator = scalarsOf('operator')
const OPERANDS = [param('a', 'any', 'Left operand.'), param('b', 'any', 'Right operand.')]

/** `datetime,duration` → the type of the result; pairs of numbers and of what may be numbers are dealt with by `ruleFor`. */
type Table = Readonly<Record<string, ValueType>>

function ruleFor(verb: string, table: Table): (args: readonly ValueType[]) => ValueType | TypeProblem {
  return ([a = 'any', b = 'any']) => {
    const known = table[`${a},${b}`]
    if (known !== undefined) return known
    if (isNumeric(a) && isNumeric(b)) return 'number'
    if (isOpen(a) || isOpen(b)) {
      const fixed = isOpen(a) ? b : a
      const isPossible =
        isOpen(fixed) || isNumeric(fixed) || Object.keys(table).some(key => key.split(',').includes(fixed))
      return isPossible ? 'any' : refused(verb, a, b)
    }
    // Text may hold a number, so with a number it is one.
    if ((isNumeric(a) || a === 'string') && (isNumeric(b) || b === 'string')) return 'number'
    if (a === 'string' || b === 'string') {
      const other = a === 'string' ? b : a
      if (other === 'duration' && (verb === 'multiplied' || (verb === 'divided' && b === 'string'))) return 'duration'
    }
    return refused(verb, a, b)
  }
}

function isOpen(type: ValueType): boolean {
  return type === 'any' || type === 'null'
}

function refused(verb: string, a: ValueType, b: ValueType): TypeProblem {
  return { problem: `${withArticle(a)} and ${withArticle(b)} cannot be ${verb}`, argument: 1 }
}

const SCALED: Table = {
  'duration,int': 'duration',
  'duration,float': 'duration',
  'duration,number': 'duration',
}

type Make = (a: Expression, b: Expression) => Expression

/** The fast path of `+ - *`: a double whose ints are exact, or the kernel starts over with the helper. */
function emitExact(hint: string, make: Make): (args: readonly Emitted[], cx: EmitContext) => Emitted | null {
  return (args, cx) => {
    const [a, b] = args
    if (a === undefined || b === undefined || !allAre(args, 'number')) return null
    const result = cx.checked(hint, make(a.value, b.value))
    return result === null ? null : emitted('number', result)
  }
}

export const add: ScalarFunction = operator({
  name: '+',
  readsNumbers: 'beside-numbers',
  helper: 'add',
  notation: 'infix',
  parameters: OPERANDS,
  summary:
    'Sum of numbers; two strings are joined; a duration moves a datetime. Ints stay exact while they fit 64 bits and become floats beyond.',
  examples: [
    ['1 + 2', '3'],
    ['"a" + "b"', '"ab"'],
    ['9007199254740991 + 1', '9007199254740992'],
    ['2026-06-01T00:00:00Z + 90s', '"2026-06-01T00:01:30.000Z"'],
    ['1h + 30m', '"1h30m"'],
  ],
  result: ruleFor('added', {
    'string,string': 'string',
    'datetime,duration': 'datetime',
    'duration,datetime': 'datetime',
    'duration,duration': 'duration',
  }),
  emit: (args, cx) => {
    const [a, b] = args
    if (a !== undefined && b !== undefined && allAre(args, 'string'))
      return emitted('string', js.expr`${a.value} + ${b.value}`)
    return emitExact('sum', (x, y) => js.expr`${x} + ${y}`)(args, cx)
  },
})

export const sub: ScalarFunction = operator({
  name: '-',
  readsNumbers: 'always',
  helper: 'sub',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Difference of numbers; between two datetimes it is a duration.',
  examples: [
    ['5 - 7', '-2'],
    ['2026-06-02T00:00:00Z - 2026-06-01T12:00:00Z', '"12h"'],
    ['2026-06-01T00:00:00Z - 1s', '"2026-05-31T23:59:59.000Z"'],
  ],
  result: ruleFor('subtracted', {
    'datetime,datetime': 'duration',
    'datetime,duration': 'datetime',
    'duration,duration': 'duration',
  }),
  emit: (args, cx) => {
    const [a, b] = args
    if (a !== undefined && b !== undefined && allAre(args, 'time')) {
      return emitted('duration', js.expr`(${a.value} - ${b.value}) * 1000`)
    }
    return emitExact('difference', (x, y) => js.expr`${x} - ${y}`)(args, cx)
  },
})

export const mul: ScalarFunction = operator({
  name: '*',
  readsNumbers: 'always',
  helper: 'mul',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Product. A duration times a number is a duration.',
  examples: [
    ['6 * 7', '42'],
    ['4294967296 * 2147483647', '9223372032559808512'],
    ['5m * 3', '"15m"'],
  ],
  result: ruleFor('multiplied', {
    ...SCALED,
    'int,duration': 'duration',
    'float,duration': 'duration',
    'number,duration': 'duration',
  }),
  // `+ 0` here and below turns minus zero into zero, which is what the helper gives: to a group by bits they are two values.
  emit: emitExact('product', (x, y) => js.expr`${x} * ${y} + ${lit(0)}`),
})

/** Neither NaN nor infinite, in one comparison. */
export function isFiniteNumber(value: Expression): Expression {
  return js.expr`${value} - ${value} === 0`
}

export const div: ScalarFunction = operator({
  name: '/',
  readsNumbers: 'always',
  helper: 'div',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Quotient, with its fraction; null when dividing by zero. `div(a, b)` is the integer quotient.',
  examples: [
    ['5 / 2', '2.5'],
    ['1 / 0', 'null'],
    ['90s / 1m', '1.5'],
    ['1h / 4', '"15m"'],
  ],
  result: ruleFor('divided', { ...SCALED, 'duration,duration': 'number' }),
  emit: (args, cx) => {
    const [a, b] = args
    if (a === undefined || b === undefined || !(allAre(args, 'number') || allAre(args, 'duration'))) return null
    const quotient = cx.let('quotient', js.expr`${a.value} / ${b.value} + ${lit(0)}`)
    return emitted('number', quotient, isFiniteNumber(quotient))
  },
})

export const mod: ScalarFunction = operator({
  name: '%',
  readsNumbers: 'always',
  helper: 'mod',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Remainder, with the sign of the dividend; null when dividing by zero.',
  examples: [
    ['7 % 3', '1'],
    ['-7 % 3', '-1'],
    ['7 % 0', 'null'],
  ],
  result: ruleFor('divided', { 'duration,duration': 'duration' }),
  emit: emitRemainder,
})

/** Shared with the function `mod(a, b)`. */
export function emitRemainder(args: readonly Emitted[], cx: EmitContext): Emitted | null {
  const [a, b] = args
  if (a === undefined || b === undefined || !allAre(args, 'number')) return null
  const rest = cx.let('rest', js.expr`${a.value} % ${b.value} + ${lit(0)}`)
  return emitted('number', rest, js.expr`${rest} === ${rest}`)
}

export const neg: ScalarFunction = operator({
  name: 'neg',
  readsNumbers: 'always',
  helper: 'neg',
  notation: 'prefix',
  parameters: [param('x', 'any', 'A number or a duration.')],
  summary: 'The negative of a number or a duration.',
  examples: [
    ['-(2 + 3)', '-5'],
    ['-(1h)', '"-1h"'],
  ],
  result: ([x = 'any']) => {
    if (isOpen(x) || x === 'duration' || x === 'int' || x === 'float' || x === 'number') return x
    return x === 'string' ? 'number' : { problem: `${withArticle(x)} has no negative`, argument: 0 }
  },
  emit: ([x]) => {
    if (x === undefined || (x.repr !== 'number' && x.repr !== 'duration')) return null
    // 0 - x, because -x would make the minus zero that prints as zero and divides as something else.
    return emitted(x.repr, js.expr`${lit(0)} - ${x.value}`)
  },
})

export const ARITHMETIC: readonly ScalarFunction[] = [add, sub, mul, div, mod, neg]
