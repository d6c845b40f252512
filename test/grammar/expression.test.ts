import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AstExpr } from '../../grammar/ast.ts'
import { parse, printExpr } from '../../grammar/index.ts'
import { codes, fixed } from './support.ts'

function expr(text: string): AstExpr {
  const { query, diagnostics } = parse(`| extend x = ${text}`)
  assert.deepEqual(diagnostics, [], text)
  const stage = query.pipeline.stages[0]
  assert.ok(stage?.kind === 'extend' && stage.assignments[0] !== undefined)
  return stage.assignments[0].value
}

/** With every pair of brackets the precedence stands for. */
function shape(e: AstExpr): string {
  switch (e.kind) {
    case 'binary':
      return `(${shape(e.left)} ${e.operator} ${shape(e.right)})`
    case 'not':
      return `(not ${shape(e.operand)})`
    case 'negate':
      return `(-${shape(e.operand)})`
    case 'in':
      return `(${shape(e.operand)} ${e.negated ? 'not in' : 'in'} ${shape(e.list)})`
    case 'between':
      return `(${shape(e.operand)} ${e.negated ? 'not between' : 'between'} ${shape(e.low)} and ${shape(e.high)})`
    case 'index':
      return `${shape(e.object)}[${shape(e.index)}]`
    case 'member':
      return `${shape(e.object)}${e.optional ? '?.' : '.'}${e.name}`
    default:
      return printExpr(e)
  }
}

const PRECEDENCES: readonly (readonly [text: string, shape: string])[] = [
  ['a or b and c', '(a or (b and c))'],
  ['a and b or c', '((a and b) or c)'],
  ['not a and b', '((not a) and b)'],
  ['not a == b', '(not (a == b))'],
  ['a == b and c != d', '((a == b) and (c != d))'],
  ['a == b ?? c', '(a == (b ?? c))'],
  ['a ?? b + c', '(a ?? (b + c))'],
  ['a + b * c', '(a + (b * c))'],
  ['a - b - c', '((a - b) - c)'],
  ['a / b * c % d', '(((a / b) * c) % d)'],
  ['-a * b', '((-a) * b)'],
  ['-a[0].b', '(-a[0].b)'],
  ['a - -5', '(a - -5)'],
  ['a in b ?? c and d', '((a in (b ?? c)) and d)'],
  ['a not in [1]', '(a not in [1])'],
  ['a between 1 + 2 and 3 and b', '((a between (1 + 2) and 3) and b)'],
  ['not a not between 1 and 2', '(not (a not between 1 and 2))'],
  ['f(x)[0]?.b.c', 'f(x)[0]?.b.c'],
  ['not not a', '(not (not a))'],
  ['(a or b) and c', '((a or b) and c)'],
]

for (const [text, expected] of PRECEDENCES) {
  test(`${text} is read as ${expected}`, () => {
    const read = expr(text)
    assert.equal(shape(read), expected)
    assert.equal(printExpr(read), text, 'and printed without needless brackets')
  })
}

test('brackets are printed where they are needed only', () => {
  assert.equal(printExpr(expr('((a) + ((b * c))) == (d)')), 'a + b * c == d')
  assert.equal(printExpr(expr('(a + b) * (c - (d - e))')), '(a + b) * (c - (d - e))')
  assert.equal(printExpr(expr('-(5)')), '-(5)')
  assert.equal(printExpr(expr('(1 < 2) == true')), '(1 < 2) == true')
})

test('calls take arguments, lambdas and a trailing where', () => {
  for (const text of [
    'count(where status >= 500)',
    'avg(ms, where ok)',
    'any(xs, x -> x > 1 and y)',
    'int!(x)',
    'f(where)',
    'f(where in [1], where)',
    '{a: 1, "b c": [2, {}]}',
  ]) {
    assert.equal(printExpr(expr(text)), text)
  }
  assert.equal(printExpr(expr('AVG(ms where ok)')), 'avg(ms, where ok)')
})

test('a variable is written with a dollar sign', () => {
  assert.deepEqual(expr('$limit').kind, 'variable')
})

test('a trailing comma in a list is allowed', () => {
  assert.equal(printExpr(expr('[1, 2,]')), '[1, 2]')
})

const MENDED: readonly (readonly [text: string, fix: string])[] = [
  ['a = 1', 'a == 1'],
  ['a === 1 && b !== 2 || c <> 3', 'a == 1 and b != 2 or c != 3'],
  ['a&&b', 'a and b'],
  ['a => 1', 'a >= 1'],
  ['!a', 'not a'],
  ['!(a == 1)', 'not (a == 1)'],
  ["a == 'it'", 'a == "it"'],
  ['a like "web%"', 'glob(a, "web*")'],
  ['a not like "web_"', 'not glob(a, "web?")'],
  ['a is null', '(is_null(a) or is_missing(a))'],
  ['a IS NOT NULL and b', '(exists(a) and not is_null(a)) and b'],
  ['a =~ "b+"', 'matches(a, r"b+")'],
  ['a !~ "b+"', 'not matches(a, r"b+")'],
  ['lower(a) contains "x"', 'contains(lower(a), "x")'],
  ["a in ('x', 'y')", 'a in ["x", "y"]'],
  ['a in (1)', 'a in [1]'],
  ['1 < a < 10', '1 < a and a < 10'],
  ['1 < a + b <= c', '1 < a + b and a + b <= c'],
  ['matches(a, "\\d+")', 'matches(a, r"\\d+")'],
  ['(a == 1', '(a == 1)'],
  ['f(a, [1', 'f(a, [1])'],
  ['a == "x', 'a == "x"'],
  ["a like 'x%' and b = 'y'", 'glob(a, "x*") and b == "y"'],
]

for (const [text, fix] of MENDED) {
  test(`${text} becomes ${fix}`, () => {
    assert.equal(fixed(`| where ${text}`), `| where ${fix}`)
  })
}

test('what cannot be guessed has a code and no fix', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a == b == c', 'E308'],
    ['a in [1] in [2]', 'E308'],
    ['a +', 'E301'],
    ['a b', 'E301'],
    ['a == )', 'E301'],
    ['a == [1 2]', 'E301'],
    ['a == {1: 2}', 'E301'],
    ['a ~ b', 'E311'],
    ['a == #', 'E311'],
    ['a == "\\u{110000}"', 'E311'],
    ['f(a, *, b)', 'E301'],
    ['a between 1', 'E301'],
    ['a + not b', 'E301'],
  ]
  for (const [text, code] of cases) {
    assert.deepEqual(codes(`| where ${text}`), [code], text)
    assert.equal(fixed(`| where ${text}`), null, text)
  }
})
