import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LiteralValue } from '../../grammar/ast.ts'
import {
  formatDuration,
  parse,
  parseDateTime,
  parseDuration,
  parseTimePoint,
  quoteField,
  suggestName,
} from '../../grammar/index.ts'
import { canonical, codes, fixed } from './support.ts'

function literal(text: string): LiteralValue {
  const { query, diagnostics } = parse(`| extend x = ${text}`)
  assert.deepEqual(diagnostics, [], text)
  const stage = query.pipeline.stages[0]
  assert.ok(stage?.kind === 'extend')
  const value = stage.assignments[0]?.value
  assert.ok(value?.kind === 'literal', text)
  return value.value
}

test('ints keep their exact digits up to 64 bits, and are floats beyond', () => {
  assert.deepEqual(literal('9223372036854775807'), { type: 'int', value: 2n ** 63n - 1n })
  assert.deepEqual(literal('-9223372036854775808'), { type: 'int', value: -(2n ** 63n) })
  assert.deepEqual(literal('9223372036854775808'), { type: 'float', value: 2 ** 63 })
  assert.deepEqual(literal('0x2a'), { type: 'int', value: 42n })
  assert.deepEqual(literal('1_000'), { type: 'int', value: 1000n })
})

test('floats are written with a dot or an exponent', () => {
  assert.deepEqual(literal('3.14'), { type: 'float', value: 3.14 })
  assert.deepEqual(literal('1e-6'), { type: 'float', value: 1e-6 })
  assert.deepEqual(literal('-2.0'), { type: 'float', value: -2 })
})

test('strings know their escapes, and raw strings have none', () => {
  const value = (text: string) => {
    const found = literal(text)
    assert.ok(found.type === 'string')
    return found.value
  }
  assert.equal(value(String.raw`"a\"b\\c\n\t\r\u{1F600}"`), 'a"b\\c\n\t\r😀')
  assert.equal(value(String.raw`r"\d+\"\n"`), String.raw`\d+\"\n`)
  assert.equal(value('"über"'), 'über')
})

test('a string may span lines and hold comments', () => {
  assert.equal(canonical('| where x == "a // b /* c\n"'), '| x == "a // b /* c\\n"'.replace('| x', 'where x'))
})

test('comments are white space', () => {
  assert.equal(canonical('error // head 5\n| /* where */ head 3 // end'), 'error | head 3')
  assert.equal(canonical('http://example.com/*'), 'http://example.com/*')
})

test('keywords and function names have no case, fields have', () => {
  assert.equal(canonical('| WHERE NOT Level IN ["a"] AND LEN(x) > 3'), 'where not Level in ["a"] and len(x) > 3')
})

test('a dotted path is one field, and what stands behind brackets or backticks is a member', () => {
  assert.equal(canonical('| where a.b.c == (a).b.c'), 'where a.b.c == (a).b.c')
  assert.equal(canonical('| where `a`.b == x[0]?.c'), 'where (a).b == x[0]?.c')
})

test('only eight words are reserved', () => {
  assert.equal(canonical('| extend stats = by + where + `in`'), 'extend stats = by + where + `in`')
  assert.deepEqual(codes('| extend in = 1'), ['E301'])
})

test('field names are quoted when they must be', () => {
  assert.equal(quoteField('http.status'), 'http.status')
  assert.equal(quoteField('@timestamp'), '@timestamp')
  assert.equal(quoteField('user-id'), '`user-id`')
  assert.equal(quoteField('a`b'), '`a``b`')
  assert.equal(quoteField('Null'), '`Null`')
  assert.equal(quoteField(''), '``')
})

test('durations read as written', () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ['250ms', 250e6],
    ['10s', 10e9],
    ['1.5h', 5400e9],
    ['1h30m', 5400e9],
    ['2d', 172800e9],
    ['1w', 604800e9],
    ['0.1s', 1e8],
    ['-5m', -300e9],
    ['7ns', 7],
    ['1_000us', 1e6],
    ['5', null],
    ['5min', null],
    ['m', null],
    ['', null],
    ['1h ', null],
    ['--1h', null],
  ]
  for (const [text, ns] of cases) assert.equal(parseDuration(text), ns, text)
})

test('durations print as the language writes them', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0s'],
    [-0, '0s'],
    [5400e9, '1h30m'],
    [250e6, '250ms'],
    [1.5e9, '1.5s'],
    [123_456_789, '123.456789ms'],
    [-300e9, '-5m'],
    [90 * 86400e9, '90d'],
    [86400e9 + 1, '1d0.000000001s'],
    [Number.NaN, '0s'],
  ]
  for (const [ns, text] of cases) assert.equal(formatDuration(ns), text)
})

test('a printed duration reads back exactly', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), ns => {
      assert.equal(parseDuration(formatDuration(ns)), ns)
    }),
  )
})

test('instants are read to the nanosecond', () => {
  const june = Date.UTC(2026, 5, 1) * 1000
  assert.deepEqual(parseDateTime('2026-06-01T00:00:00Z'), { micros: june, nanos: 0 })
  assert.deepEqual(parseDateTime('2026-06-01'), { micros: june, nanos: 0 })
  assert.deepEqual(parseDateTime('2026-06-01T02:00:00.123456789+02:00'), { micros: june + 123456, nanos: 789 })
  assert.deepEqual(parseDateTime('1969-12-31T23:59:59.9999999Z'), { micros: -1, nanos: 900 })
  assert.deepEqual(parseDateTime('0001-01-01T00:00:00Z'), { micros: -62135596800000000, nanos: 0 })
  assert.deepEqual(parseDateTime('2016-12-31T23:59:60Z'), parseDateTime('2017-01-01T00:00:00Z'))
})

test('what is no instant is none', () => {
  for (const text of [
    '2026-06-31',
    '2026-13-01',
    '2025-02-29',
    '2026-06-01T25:00:00Z',
    '2026-06-01T00:00:00',
    'now',
    '',
  ]) {
    assert.equal(parseDateTime(text), null, text)
  }
})

test('a date in an expression is an instant, not a subtraction', () => {
  assert.equal(literal('2026-06-01').type, 'datetime')
  assert.equal(literal('2026-06-01T00:00:00+02:00').type, 'datetime')
  assert.deepEqual(codes('| where _time > 2026-06-31'), ['E310'])
})

test('time points are relative, snapped, both, or instants', () => {
  const shape = (text: string) => {
    const point = parseTimePoint(text)
    if (point === null) return null
    return point.kind === 'relative' ? [point.offsetNs, point.snap] : point.micros
  }
  assert.deepEqual(shape('-1h'), [-3600e9, null])
  assert.deepEqual(shape('now'), [0, null])
  assert.deepEqual(shape('@d'), [0, 'd'])
  assert.deepEqual(shape('-1h@h'), [-3600e9, 'h'])
  assert.deepEqual(shape('now-7d@mon'), [-7 * 86400e9, 'mon'])
  assert.deepEqual(shape('1970-01-02'), 86400e6)
  for (const text of ['', '1h', '-1x', '@x', 'tomorrow', '@']) assert.equal(shape(text), null, text)
})

test('a near name is found within one, two or three edits, by length', () => {
  assert.equal(suggestName('sotr', ['sort', 'stats']), 'sort')
  assert.equal(suggestName('satuts', ['status', 'state']), 'status')
  assert.equal(suggestName('STATUS', ['status']), 'status')
  assert.equal(suggestName('foo', ['stats', 'sort']), null)
  assert.equal(suggestName('ab', ['ac']), null)
})

test('numbers that are none are named, and spelled durations mended', () => {
  assert.equal(fixed('| where x > 5min'), '| where x > 5m')
  assert.equal(fixed('| where x > 10seconds'), '| where x > 10s')
  assert.equal(fixed('| where t > 2026-01-01T00:00'), '| where t > 2026-01-01T00:00Z')
  assert.deepEqual(codes('| where x > 10abc'), ['E310'])
})
