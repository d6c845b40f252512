/** Functions of numbers. Where there is no real answer the result is null. */
import type { Expression } from 'estree'
import { compareValues } from '../../../runtime/helpers/compare.ts'
import type { ValueType } from '../../../storage/value.ts'
import { id, js, lit, member } from '../../codegen/js.ts'
import type { ScalarFunction, TypeProblem } from '../descriptor.ts'
import { emitRemainder, isFiniteNumber } from './arithmetic.ts'
import { allAre, emitted, isNumeric, OPTIONAL, param, scalarsOf, VARIADIC, withArticle } from './build.ts'

const math = scalarsOf('math')
const X = param('x', 'number', 'A number.')

/** `Math.sqrt(x)`. */
function callMath(name: string, ...args: readonly Expression[]): Expression {
  return { type: 'CallExpression', callee: member(id('Math'), name), arguments: [...args], optional: false }
}

interface Real {
  readonly name: string
  readonly helper: ScalarFunction['helper']
  readonly native: string
  readonly summary: string
  readonly example: readonly [string, string]
  readonly more?: readonly [string, string]
  readonly foreign?: readonly string[]
}

/** Functions that JavaScript has too: one line each, null where the result is not finite. */
function real({ name, helper, native, summary, example, more, foreign = [] }: Real): ScalarFunction {
  return math({
    name,
    helper,
    foreign,
    parameters: [X],
    summary,
    examples: more === undefined ? [example] : [example, more],
    result: 'number',
    emit: (args, cx) => {
      const [x] = args
      if (x === undefined || !allAre(args, 'number')) return null
      const result = cx.let(name, js.expr`${callMath(native, x.value)} + ${lit(0)}`)
      return emitted('number', result, isFiniteNumber(result))
    },
  })
}

/** A float becomes an int; an int beyond 2^53 stays as it is. */
function whole(name: 'floor' | 'ceil', summary: string, example: readonly [string, string]): ScalarFunction {
  return math({
    name,
    helper: name,
    foreign: name === 'ceil' ? ['ceiling'] : [],
    parameters: [X],
    summary,
    examples: [example],
    result: 'number',
    emit: args =>
      args[0] !== undefined && allAre(args, 'number')
        ? emitted('number', js.expr`${callMath(name, args[0].value)} + ${lit(0)}`)
        : null,
  })
}

const abs = math({
  name: 'abs',
  helper: 'abs',
  parameters: [param('x', 'any', 'A number or a duration.')],
  summary: 'The size of a number or a duration, without its sign.',
  examples: [
    ['abs(-3.5)', '3.5'],
    ['abs(-90s)', '"1m30s"'],
  ],
  result: ([x = 'any']) => (x === 'duration' ? 'duration' : x === 'any' || x === 'null' ? 'any' : 'number'),
  emit: ([x]) => {
    if (x === undefined || (x.repr !== 'number' && x.repr !== 'duration')) return null
    return emitted(x.repr, callMath('abs', x.value))
  },
})

const round = math({
  name: 'round',
  helper: 'round',
  parameters: [
    X,
    param('digits', 'int', 'Digits after the point; 0 when left out, negative rounds before it.', OPTIONAL),
  ],
  summary: 'Rounded, halves away from zero.',
  examples: [
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(1.005, 2)', '1.01'],
    ['round(1234, -2)', '1200'],
  ],
  result: 'number',
})

const log = math({
  name: 'log',
  helper: 'log',
  foreign: ['log10', 'log2'],
  parameters: [X, param('base', 'number', 'The base; 10 when left out.', OPTIONAL)],
  summary: 'The logarithm to a base; null for numbers that have none.',
  examples: [
    ['log(1000)', '3'],
    ['log(8, 2)', '3'],
    ['log(0)', 'null'],
  ],
  result: 'number',
})

const pow = math({
  name: 'pow',
  helper: 'pow',
  foreign: ['power'],
  parameters: [X, param('exponent', 'number', 'The exponent.')],
  summary: 'A power. Powers of ints are exact while they fit 64 bits.',
  examples: [
    ['pow(2, 10)', '1024'],
    ['pow(2, 62)', '4611686018427387904'],
    ['pow(-8, 0.5)', 'null'],
  ],
  result: 'number',
})

/** The type all arguments share, else unknown. */
function shared(args: readonly ValueType[]): ValueType {
  const first = args[0]
  return first !== undefined && first !== 'null' && args.every(type => type === first) ? first : 'any'
}

const clamp = math({
  name: 'clamp',
  helper: 'clamp',
  parameters: [
    param('x', 'any', 'A number, duration or datetime.'),
    param('low', 'any', 'The least result.'),
    param('high', 'any', 'The greatest result.'),
  ],
  summary: 'x, but not below low and not above high.',
  examples: [
    ['clamp(12, 0, 10)', '10'],
    ['clamp(5s, 10s, 1m)', '"10s"'],
  ],
  result: shared,
})

const DIVISION = [
  param('x', 'any', 'A number or a duration.'),
  param('y', 'any', 'The divisor: a number, or a duration for a duration.'),
]

/** Numbers by numbers; durations by durations, which give what is said. */
function divided([x = 'any', y = 'any']: readonly ValueType[], ofDurations: ValueType): ValueType | TypeProblem {
  const isNumber = (type: ValueType): boolean => isNumeric(type) || type === 'string'
  const isOpen = (type: ValueType): boolean => type === 'any' || type === 'null'
  if (x === 'duration' && (y === 'duration' || isOpen(y))) return isOpen(y) ? 'any' : ofDurations
  if (isOpen(x) && (isOpen(y) || y === 'duration')) return 'any'
  if ((isNumber(x) || isOpen(x)) && (isNumber(y) || isOpen(y))) return 'number'
  return { problem: `${withArticle(x)} and ${withArticle(y)} cannot be divided`, argument: 1 }
}

const div = math({
  name: 'div',
  helper: 'intDiv',
  foreign: ['intdiv', 'int_div'],
  parameters: DIVISION,
  summary:
    'The quotient without its fraction, towards zero; null when dividing by zero. `/` keeps the fraction. Of two durations, how often one goes into the other.',
  examples: [
    ['div(7, 2)', '3'],
    ['div(-7, 2)', '-3'],
    ['div(1, 0)', 'null'],
    ['div(1h, 25m)', '2'],
  ],
  result: args => divided(args, 'number'),
  emit: (args, cx) => {
    const [a, b] = args
    if (a === undefined || b === undefined || !allAre(args, 'number')) return null
    const quotient = cx.let('quotient', js.expr`${callMath('trunc', js.expr`${a.value} / ${b.value}`)} + ${lit(0)}`)
    return emitted('number', quotient, isFiniteNumber(quotient))
  },
})

const mod = math({
  name: 'mod',
  helper: 'mod',
  parameters: DIVISION,
  summary: 'The remainder, as `%`: with the sign of the dividend, null when dividing by zero.',
  examples: [
    ['mod(7, 4)', '3'],
    ['mod(1h, 25m)', '"10m"'],
  ],
  result: args => divided(args, 'duration'),
  emit: emitRemainder,
})

const bucket = math({
  name: 'bucket',
  helper: 'bucket',
  foreign: ['width_bucket'],
  parameters: [
    param('x', 'any', 'A number, a duration or a datetime.'),
    param('bounds', 'array', 'Bounds of the same kind, ascending.'),
  ],
  summary: 'The range between the bounds in which x falls, as a label; null where they do not compare.',
  examples: [
    ['bucket(250, [100, 500])', '"[100, 500)"'],
    ['bucket(50, [100, 500])', '"< 100"'],
    ['bucket(500, [100, 500])', '">= 500"'],
    ['bucket(90s, [1m, 1h])', '"[1m, 1h)"'],
  ],
  result: ([x = 'any']) =>
    x === 'bool' || x === 'array' || x === 'object'
      ? { problem: `${withArticle(x)} has no buckets`, argument: 0 }
      : 'string',
  check: ([, bounds]) => {
    if (!Array.isArray(bounds)) return null
    const isAscending = bounds.every((bound, n) => n === 0 || compareValues(bounds[n - 1], bound) < 0)
    return isAscending ? null : { problem: 'the bounds of bucket() must ascend', argument: 1 }
  },
})

const atan2 = math({
  name: 'atan2',
  helper: 'atan2',
  parameters: [param('y', 'number', 'Height.'), param('x', 'number', 'Width.')],
  summary: 'The angle of the point (x, y), in radians.',
  examples: [['atan2(0, 1)', '0']],
  result: 'number',
})

const VALUES = [param('x', 'any', 'Values; absent ones do not count.', VARIADIC)]

const greatest = math({
  name: 'greatest',
  helper: 'greatest',
  nulls: 'observe',
  foreign: ['max_of'],
  parameters: VALUES,
  summary: 'The last of the values in the order of `sort`.',
  examples: [
    ['greatest(3, 9, 5)', '9'],
    ['greatest(3, null)', '3'],
  ],
  result: shared,
})

const least = math({
  name: 'least',
  helper: 'least',
  nulls: 'observe',
  foreign: ['min_of'],
  parameters: VALUES,
  summary: 'The first of the values in the order of `sort`.',
  examples: [['least(3, 9, 5)', '3']],
  result: shared,
})

export const MATHS: readonly ScalarFunction[] = [
  abs,
  round,
  whole('floor', 'The greatest int not above x.', ['floor(-1.5)', '-2']),
  whole('ceil', 'The least int not below x.', ['ceil(1.2)', '2']),
  real({
    name: 'sqrt',
    helper: 'sqrt',
    native: 'sqrt',
    summary: 'The square root; null below zero.',
    example: ['sqrt(9)', '3'],
    more: ['sqrt(-1)', 'null'],
  }),
  real({
    name: 'ln',
    helper: 'ln',
    native: 'log',
    summary: 'The natural logarithm; null at and below zero.',
    example: ['ln(1)', '0'],
    more: ['ln(0)', 'null'],
    foreign: ['loge'],
  }),
  log,
  real({ name: 'exp', helper: 'exp', native: 'exp', summary: 'e to the power of x.', example: ['exp(0)', '1'] }),
  pow,
  clamp,
  div,
  mod,
  bucket,
  real({
    name: 'sin',
    helper: 'sin',
    native: 'sin',
    summary: 'Sine of an angle in radians.',
    example: ['sin(0)', '0'],
  }),
  real({
    name: 'cos',
    helper: 'cos',
    native: 'cos',
    summary: 'Cosine of an angle in radians.',
    example: ['cos(0)', '1'],
  }),
  real({
    name: 'tan',
    helper: 'tan',
    native: 'tan',
    summary: 'Tangent of an angle in radians.',
    example: ['tan(0)', '0'],
  }),
  real({
    name: 'asin',
    helper: 'asin',
    native: 'asin',
    summary: 'The angle of a sine, in radians.',
    example: ['asin(0)', '0'],
    more: ['asin(2)', 'null'],
  }),
  real({
    name: 'acos',
    helper: 'acos',
    native: 'acos',
    summary: 'The angle of a cosine, in radians.',
    example: ['acos(1)', '0'],
  }),
  real({
    name: 'atan',
    helper: 'atan',
    native: 'atan',
    summary: 'The angle of a tangent, in radians.',
    example: ['atan(0)', '0'],
  }),
  atan2,
  greatest,
  least,
]
