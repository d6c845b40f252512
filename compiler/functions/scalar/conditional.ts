/** Choices, and questions about absence. `if`, `case` and `coalesce` are evaluated lazily: see `form`. */
import type { ValueType } from '../../../storage/value.ts'
import type { ScalarFunction } from '../descriptor.ts'
import { isNumeric, param, scalarsOf, VARIADIC } from './build.ts'

const conditional = scalarsOf('conditional')
const X = [param('x', 'any', 'A field or any expression.')]

/** The type all of these share; nulls take any type. */
function common(types: readonly ValueType[]): ValueType {
  const seen = types.filter(type => type !== 'null')
  const first = seen[0]
  if (first === undefined) return types.length > 0 ? 'null' : 'any'
  if (seen.every(type => type === first)) return first
  return seen.every(isNumeric) ? 'number' : 'any'
}

const ifElse = conditional({
  name: 'if',
  helper: 'ifElse',
  form: 'if',
  nulls: 'observe',
  foreign: ['iff', 'iif'],
  parameters: [
    param('condition', 'any', 'Decides; null counts as false.'),
    param('then', 'any', 'The value when it is true.'),
    param('else', 'any', 'The value otherwise; null when left out.', { optional: true }),
  ],
  summary: 'One of two values. Only the chosen one is evaluated.',
  examples: [
    ['if(2 > 1, "yes", "no")', '"yes"'],
    ['if(null, 1, 2)', '2'],
    ['if(false, 1)', 'null'],
  ],
  result: args => common(args.slice(1)),
})

const caseOf = conditional({
  name: 'case',
  helper: 'caseOf',
  form: 'case',
  nulls: 'observe',
  foreign: ['switch', 'multi_if'],
  parameters: [
    param('when', 'any', 'A condition.'),
    param('then', 'any', 'Its value.'),
    param('more', 'any', 'Further conditions and values by turns; a last odd one is the value otherwise.', {
      optional: true,
      variadic: true,
    }),
  ],
  summary:
    'The value after the first condition that is true; a last argument without a condition is the value otherwise.',
  examples: [
    ['case(1 > 2, "a", 2 > 1, "b", "c")', '"b"'],
    ['case(false, "a", "c")', '"c"'],
    ['case(false, "a")', 'null'],
  ],
  result: args => common(args.filter((_, i) => i % 2 === 1 || i === args.length - 1)),
})

const coalesce = conditional({
  name: 'coalesce',
  helper: 'coalesce',
  form: 'coalesce',
  nulls: 'observe',
  foreign: ['ifnull', 'nvl', 'isnull_or'],
  parameters: [param('x', 'any', 'Candidates in order.', VARIADIC)],
  summary: 'The first argument that is neither null nor missing. `a ?? b` is short for it.',
  examples: [
    ['coalesce(null, 2, 3)', '2'],
    ['coalesce(null)', 'null'],
  ],
  result: common,
})

const nullif = conditional({
  name: 'nullif',
  helper: 'nullif',
  nulls: 'observe',
  parameters: [param('x', 'any', 'The value.'), param('y', 'any', 'What stands for absent.')],
  summary: 'Null when x equals y, else x.',
  examples: [
    ['nullif("-", "-")', 'null'],
    ['nullif("a", "-")', '"a"'],
    ['nullif(3, null)', '3'],
  ],
  result: args => args[0] ?? 'any',
})

const exists = conditional({
  name: 'exists',
  helper: 'exists',
  asksPresence: 'there',
  nulls: 'observe',
  foreign: ['isnotnull', 'isnotempty', 'is_not_null', 'isset'],
  parameters: X,
  summary: 'Whether the event has the field, be it with a JSON null. See is_null and is_missing.',
  examples: [
    ['exists("")', 'true'],
    ['exists(null)', 'true'],
  ],
  result: 'bool',
})

const isNull = conditional({
  name: 'is_null',
  helper: 'isNull',
  asksPresence: 'null',
  nulls: 'observe',
  parameters: X,
  summary: 'Whether the value is a JSON null. A field the event does not have is missing, not null.',
  examples: [
    ['is_null(null)', 'true'],
    ['is_null(0)', 'false'],
  ],
  result: 'bool',
})

const isMissing = conditional({
  name: 'is_missing',
  helper: 'isMissing',
  asksPresence: 'missing',
  nulls: 'observe',
  parameters: X,
  summary: 'Whether the event lacks the field, or an array or object the member; a null is there.',
  examples: [
    ['is_missing(null)', 'false'],
    ['is_missing({a: 1}.b)', 'true'],
  ],
  result: 'bool',
})

export const CONDITIONALS: readonly ScalarFunction[] = [ifElse, caseOf, coalesce, nullif, exists, isNull, isMissing]
