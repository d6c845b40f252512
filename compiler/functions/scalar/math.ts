/** Functions of numbers. Where there is no real answer the result is null. */
import type { Expression } from 'estree'
import type { ValueType } from '../../../storage/value.ts'
import { id, js, lit, member } from '../../codegen/js.ts'
import type { ScalarFunction } from '../descriptor.ts'
import { emitRemainder, isFiniteNumber } from './arithmetic.ts'
import { allAre, emitted, OPTIONAL, param, scalarsOf, VARIADIC } from './build.ts'

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

const div = math({
  name: 'div',
  helper: 'intDiv',
  foreign: ['intdiv', 'int_div'],
  parameters: [X, param('y', 'number', 'The divisor.')],
  summary: 'The quotient without its fraction, towards zero; null when dividing by zero. `/` keeps the fraction.',
  examples: [
    ['div(7, 2)', '3'],
    ['div(-7, 2)', '-3'],
    ['div(1, 0)', 'null'],
  ],
  result: 'number',
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
  parameters: [X, param('y', 'number', 'The divisor.')],
  summary: 'The remainder, as `%`: with the sign of the dividend, null when dividing by zero.',
  examples: [['mod(7, 4)', '3']],
  result: 'number',
  emit: emitRemainder,
})

const bucket = math({
  name: 'bucket',
  helper: 'bucket',
  foreign: ['width_bucket'],
  parameters: [X, param('bounds', 'array', 'Bounds, ascending.')],
  summary: 'The range between the bounds in which x falls, as a label.',
  examples: [
    ['bucket(250, [100, 500])', '"[100, 500)"'],
    ['bucket(50, [100, 500])', '"< 100"'],
    ['bucket(500, [100, 500])', '">= 500"'],
  ],
  result: 'string',
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
