/** `== != < <= > >=` and `in`: one file, because they differ by an operator only. */
import type { Expression } from 'estree'
import { parseDateTime } from '../../../grammar/literals.ts'
import { parseNumber } from '../../../runtime/helpers/numbers.ts'
import type { ValueType } from '../../../storage/value.ts'
import type { EmitContext, Emitted, Repr } from '../../codegen/emitted.ts'
import { js, lit } from '../../codegen/js.ts'
import type { ScalarFunction, TypeProblem } from '../descriptor.ts'
import { emitted, isNumeric, param, scalarsOf, withArticle } from './build.ts'

const operator = scalarsOf('operator')
const OPERANDS = [param('a', 'any', 'Left operand.'), param('b', 'any', 'Right operand.')]

/** Types a string may stand for, so that comparing them with text can work. */
function readsText(type: ValueType): boolean {
  return isNumeric(type) || type === 'datetime'
}

function canCompare(a: ValueType, b: ValueType): boolean {
  if (a === b || a === 'any' || b === 'any' || a === 'null' || b === 'null') return true
  if (isNumeric(a) && isNumeric(b)) return true
  return (a === 'string' && readsText(b)) || (b === 'string' && readsText(a))
}

function comparison(ordered: boolean): (args: readonly ValueType[]) => ValueType | TypeProblem {
  return ([a = 'any', b = 'any']) => {
    if (!canCompare(a, b)) return { problem: `${withArticle(a)} never compares with ${withArticle(b)}`, argument: 1 }
    const shapeless = ordered && [a, b].find(type => type === 'array' || type === 'object')
    return shapeless ? { problem: `${withArticle(shapeless)} has no order`, argument: a === shapeless ? 0 : 1 } : 'bool'
  }
}

type Test = (a: Expression, b: Expression) => Expression

/** In these representations JavaScript's own operator is the language's; times here have no nanoseconds. */
function emitWith(test: Test): (args: readonly Emitted[], cx: EmitContext) => Emitted | null {
  return ([a, b], cx) => {
    if (a === undefined || b === undefined || a.repr === 'any' || b.repr === 'any') return null
    if (a.repr === b.repr) return emitted('bool', test(a.value, b.value))
    const x = readAs(b.repr, a, cx)
    const y = readAs(a.repr, b, cx)
    if (x === 'never' || y === 'never') return emitted('bool', lit(false), lit(false))
    if (x !== null) return emitted('bool', test(x, b.value))
    return y === null ? null : emitted('bool', test(a.value, y))
  }
}

/** A text of the query beside numbers or times is read once, here; null: it is none, or not exact in this representation. */
function readAs(wanted: Repr, { repr, constant }: Emitted, cx: EmitContext): Expression | 'never' | null {
  if (repr !== 'string' || typeof constant !== 'string') return null
  if (wanted === 'number') {
    const number = parseNumber(constant)
    if (number === null) return 'never'
    return typeof number === 'number' ? cx.constant(number) : null
  }
  if (wanted !== 'time') return null
  const time = parseDateTime(constant)
  if (time === null) return 'never'
  return time.nanos === 0 ? cx.constant(time.micros) : null
}

export const eq: ScalarFunction = operator({
  name: '==',
  readsNumbers: 'beside-numbers',
  helper: 'eq',
  notation: 'infix',
  parameters: OPERANDS,
  summary:
    'Equal. A number compares with a numeric string as a number, a datetime with its text as a datetime; other different types give null. Arrays and objects compare by their contents.',
  examples: [
    ['2 == 2.0', 'true'],
    ['"a" == "A"', 'false'],
    ['200 == "200"', 'true'],
    ['200 == "ok"', 'null'],
    ['[1, 2] == [1, 2]', 'true'],
  ],
  result: comparison(false),
  textHelper: 'textEquals',
  emit: emitWith((a, b) => js.expr`${a} === ${b}`),
})

export const ne: ScalarFunction = operator({
  name: '!=',
  readsNumbers: 'beside-numbers',
  helper: 'ne',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Not equal. Null where `==` is null: an absent field is not different from anything.',
  examples: [
    ['1 != 2', 'true'],
    ['null != 2', 'null'],
  ],
  result: comparison(false),
  textHelper: 'textNotEquals',
  emit: emitWith((a, b) => js.expr`${a} !== ${b}`),
})

export const lt: ScalarFunction = operator({
  name: '<',
  readsNumbers: 'beside-numbers',
  helper: 'lt',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Less. Strings are ordered by their characters, false before true; arrays and objects have no order.',
  examples: [
    ['1 < 2', 'true'],
    ['"b" < "a"', 'false'],
    ['250ms < 1s', 'true'],
    ['2026-06-01T00:00:00Z < "2026-06-02"', 'true'],
  ],
  result: comparison(true),
  emit: emitWith((a, b) => js.expr`${a} < ${b}`),
})

export const le: ScalarFunction = operator({
  name: '<=',
  readsNumbers: 'beside-numbers',
  helper: 'le',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Less or equal.',
  examples: [['2 <= 2', 'true']],
  result: comparison(true),
  emit: emitWith((a, b) => js.expr`${a} <= ${b}`),
})

export const gt: ScalarFunction = operator({
  name: '>',
  readsNumbers: 'beside-numbers',
  helper: 'gt',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Greater.',
  examples: [
    ['9223372036854775807 > 9223372036854775806', 'true'],
    ['"10" > 9', 'true'],
  ],
  result: comparison(true),
  emit: emitWith((a, b) => js.expr`${a} > ${b}`),
})

export const ge: ScalarFunction = operator({
  name: '>=',
  readsNumbers: 'beside-numbers',
  helper: 'ge',
  notation: 'infix',
  parameters: OPERANDS,
  summary: 'Greater or equal.',
  examples: [['2 >= 3', 'false']],
  result: comparison(true),
  emit: emitWith((a, b) => js.expr`${a} >= ${b}`),
})

export const isIn: ScalarFunction = operator({
  name: 'in',
  helper: 'isIn',
  notation: 'infix',
  parameters: [param('x', 'any', 'What is looked for.'), param('list', 'array', 'Where.')],
  summary: 'Whether any member of the list equals x. Null when none does and the list holds a null.',
  examples: [
    ['2 in [1, 2]', 'true'],
    ['"c" in ["a", "b"]', 'false'],
    ['3 in [1, null]', 'null'],
  ],
  result: 'bool',
})

export const COMPARISONS: readonly ScalarFunction[] = [eq, ne, lt, le, gt, ge, isIn]

/** What is true exactly where a comparison is false: both are null together. */
export const COMPARISON_NEGATED: ReadonlyMap<string, ScalarFunction> = new Map(
  (
    [
      [eq, ne],
      [lt, ge],
      [gt, le],
    ] as const
  ).flatMap(([a, b]) => [
    [a.name, b],
    [b.name, a],
  ]),
)
