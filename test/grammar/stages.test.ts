import assert from 'node:assert/strict'
import { test } from 'node:test'
import { desugar, parse, STAGE_SYNTAX } from '../../grammar/index.ts'
import { FOREIGN_SPELLINGS } from '../../grammar/stages/index.ts'
import { FOREIGN_WORDS } from '../../grammar/stages/names.ts'
import { canonical, codes, fixed } from './support.ts'

/** Each is its own canonical text. */
const CANONICAL = [
  'from main',
  'from *',
  'from app-*, !app-debug',
  'from main [-1h]',
  'from main [-7d..-1d]',
  'from main [-1h] [@h]',
  'from main [..now]',
  'from mv_x [2026-06-01T00:00:00Z..2026-06-02T00:00:00Z] timeout host=web-* | head 3',
  'let $x = from a | head 5; from $x | count',
  'where status >= 500 and not ok',
  '| status >= 500',
  '| (count > 5)',
  '| has(_raw, "x")',
  'parse json',
  'parse kv(sep="; ", assign=":") from msg prefix kv_ on_error drop',
  'parse regex r"(?<n>\\d+)" from msg into (n as int, rest)',
  'parse pattern "<ip> - <user> [<ts>] \\"<path>\\"" prefix "http."',
  'parse combined on_error null',
  'extend a = 1, `b c` = lower(host) + "x"',
  'keep a, b*, `c*`',
  'keep * except a, http.*',
  'drop a, b*',
  'rename a as b, `c d` as e',
  'stats count(), avg(ms, where ok) as a by host, bin(_time, 5m)',
  'sort -count(), host',
  'sort -(a + b), (-c)',
  'sort `by`',
  'head 10',
  'tail 5',
  'dedup host, user',
  'dedup 3 host',
  'describe',
  'count',
  'count by host, lower(user) as u',
  'top host',
  'top 5 host by level',
  'rare 3 host',
  'every 5m stats count()',
  'every 1h30m by host, level stats count() as n, p95(ms)',
  'rate',
  'rate per 5m by host',
  'percentiles ms by host',
]

for (const text of CANONICAL) {
  test(`${text} prints as it was written`, () => {
    assert.equal(canonical(text), text)
  })
}

test('every stage has a keyword, a form that begins with it, and a summary', () => {
  for (const [kind, syntax] of Object.entries(STAGE_SYNTAX)) {
    assert.equal(syntax.keyword, kind)
    assert.ok(syntax.form.startsWith(kind), syntax.form)
    assert.match(syntax.summary, /^[A-Z].*\.$/)
  }
  assert.deepEqual([...FOREIGN_WORDS].sort(), [...FOREIGN_SPELLINGS.keys()].sort(), 'grammar/stages/names.ts')
})

test('defaults are filled in, and clauses may stand in any order', () => {
  assert.equal(canonical('| head | tail'), 'head 10 | tail 10')
  assert.equal(canonical('| top 10 host'), 'top host')
  assert.equal(
    canonical('| parse json on_error null prefix p_ into (a) from m'),
    'parse json from m into (a) prefix p_ on_error null',
  )
})

test('a query may start with a pipe, a stage, terms or a source, or be empty', () => {
  assert.equal(canonical('| head 3'), 'head 3')
  assert.equal(canonical(''), '')
  assert.equal(canonical(' // nothing'), '')
  assert.equal(canonical('error|head 3'), 'error | head 3')
})

test('a stage that is a bare predicate is a where, also when a field is called like a stage', () => {
  for (const text of ['| count > 5', '| rate(1m) > 5', '| head in [1]', '| sort.key == 1', '| not head == 1', '| ok']) {
    const stage = parse(text).query.pipeline.stages[0]
    assert.ok(stage?.kind === 'where' && stage.implicit, text)
    canonical(text)
  }
})

const EXPANSIONS: readonly (readonly [text: string, after: string])[] = [
  ['count', 'stats count()'],
  ['count by k', 'stats count() by k'],
  ['top 5 f', 'stats count() by f | sort -count() | head 5'],
  ['top 5 f by g', 'stats count() by g, f | sort -count() | dedup 5 g'],
  [
    'top f by bin(_time, 1h), lower(h) as l',
    'stats count() by bin(_time, 1h), lower(h) as l, f | sort -count() | dedup 10 _time, l',
  ],
  ['rare 5 f', 'stats count() by f | sort count() | head 5'],
  ['every 5m by k stats count(), avg(x) as a', 'stats count(), avg(x) as a by bin(_time, 5m), k'],
  ['rate', 'stats count() by bin(_time, 1m)'],
  ['rate per 5m by k', 'stats count() by bin(_time, 5m), k'],
  ['percentiles ms by k', 'stats p50(ms), p90(ms), p95(ms), p99(ms) by k'],
]

for (const [text, after] of EXPANSIONS) {
  test(`${text} is short for ${after}`, () => {
    const { query, rewrites } = desugar(parse(text).query)
    assert.deepEqual(
      rewrites.map(r => [r.before, r.after]),
      [[text, after]],
    )
    assert.ok(query.pipeline.stages.every(s => STAGE_SYNTAX[s.kind].desugar === undefined))
    assert.equal(canonical(after), after)
  })
}

test('short forms inside a let are expanded as well', () => {
  const { rewrites } = desugar(parse('let $x = from a | count; from $x | rate').query)
  assert.equal(rewrites.length, 2)
})

test('what a stage cannot take is refused with a code', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['| head -5', 'E206'],
    ['| head 2.5', 'E206'],
    ['| dedup 99999999999999999999 a', 'E206'],
    ['| dedup', 'E301'],
    ['| keep', 'E301'],
    ['| rename a', 'E301'],
    ['| extend a', 'E301'],
    ['| extend 5 = a', 'E301'],
    ['| stats', 'E301'],
    ['| stats by x', 'E301'],
    ['| parse', 'E301'],
    ['| parse regex', 'E301'],
    ['| parse xml', 'E107'],
    ['| parse csvv', 'E107'],
    ['| parse json(sep=",")', 'E108'],
    ['| parse kv(sep=5)', 'E301'],
    ['| every 5m count', 'E301'],
    ['| describe 5', 'E301'],
    ['| materialize "mv_x"', 'E403'],
    ['| foo bar', 'E102'],
    ['| `x` + 1', 'E207'],
    ['| x + 1', 'E102'],
    ['from', 'E301'],
    ['from main [x]', 'E310'],
    ['from main []', 'E310'],
    ['let $x from a; b', 'E301'],
    ['error; head 5', 'E301'],
  ]
  for (const [text, code] of cases.filter(([text]) => text !== 'from')) assert.equal(codes(text)[0], code, text)
})

test('a forgotten pipe is put back', () => {
  assert.equal(fixed('from main where x == 1'), 'from main | where x == 1')
  assert.equal(fixed('| head 5 sort -x count'), '| head 5 | sort -x | count')
  assert.equal(fixed('stats count() by host sort -count()'), 'stats count() by host | sort -count()')
})
