/** Text made to hurt: each is refused with a code, or read, without a throw and without a stack as deep as the text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { desugar, diagnosticsToJson, parse, print, renderDiagnostic } from '../../grammar/index.ts'

const MEGABYTE = 1024 * 1024

/** Fills a megabyte. */
function filled(before: string, unit: string, after = ''): string {
  return before + unit.repeat(Math.floor((MEGABYTE - before.length - after.length) / unit.length)) + after
}

const REFUSED: readonly (readonly [what: string, text: string, code: string])[] = [
  ['a megabyte of brackets', filled('', '('), 'E502'],
  ['a megabyte of brackets in an expression', filled('| where ', '('), 'E502'],
  ['a megabyte of square brackets', filled('| where ', '['), 'E502'],
  ['a megabyte of objects', filled('| extend a = ', '{a:'), 'E502'],
  ['a megabyte of calls', filled('| where ', 'f('), 'E502'],
  ['a megabyte of nested lists', filled('| where a', ' in (a'), 'E502'],
  ['a megabyte of not', filled('| where ', 'not '), 'E502'],
  ['a megabyte of minus signs', filled('| where ', '-'), 'E502'],
  ['a megabyte of lambdas', filled('| where ', 'f(x -> '), 'E502'],
  ['hundreds of thousands of or in search terms', filled('a', ' or a'), 'E502'],
  ['hundreds of thousands of or in an expression', filled('| where a', ' or a'), 'E502'],
  ['hundreds of thousands of words', filled('', 'a '), 'E502'],
  ['hundreds of thousands of sums', filled('| where a', '+a'), 'E502'],
  ['hundreds of thousands of members', filled('| where (a)', '.b'), 'E502'],
  ['hundreds of thousands of indexes', filled('| where a', '[0]'), 'E502'],
  ['hundreds of thousands of stages', filled('', '| head 1'), 'E501'],
  ['hundreds of thousands of lets', filled('', 'let $a = b;'), 'E501'],
  ['hundreds of thousands of pipes', filled('', '| '), 'E501'],
  ['hundreds of thousands of typos', filled('', '| foo 3 '), 'E501'],
  ['a literal of ten megabytes', `| where x == "${'a'.repeat(10 * MEGABYTE)}"`, 'E501'],
  ['a NUL byte', 'a | where x == "\0"', 'E311'],
  ['a number of a megabyte', filled('| where x == ', '9'), 'E310'],
  ['a hexadecimal number of a megabyte', filled('| where x == 0x', 'f'), 'E310'],
  ['a duration of a megabyte', filled('| where ', '1h'), 'E310'],
  ['a quote before a megabyte of spaces', filled('"', ' ', 'x'), 'E302'],
  ['a chain of comparisons', filled('| where a', ' < a'), 'E501'],
]

for (const [what, text, code] of REFUSED) {
  test(`${what}: refused with ${code}`, () => {
    const { source, diagnostics } = parse(text)
    assert.equal(diagnostics.at(-1)?.code, code)
    assert.ok(diagnostics.length <= 51)
    assert.ok(diagnostics.map(d => renderDiagnostic(source, d)).join('\n').length < 20_000)
    assert.ok(diagnosticsToJson(source, diagnostics).length > 0)
  })
}

const READ: readonly (readonly [what: string, text: string])[] = [
  ['a list of half a million numbers', filled('| where x in [', '1,', '1]')],
  ['a string of a megabyte', filled('| where x == "', 'a', '"')],
  ['a word of a megabyte', filled('', 'a')],
  ['a dotted name of a megabyte', filled('| where a', '.b')],
  ['a megabyte of spaces', filled('', ' ')],
  ['a megabyte of comments', filled('', '/**/')],
  ['a megabyte of backslashes', filled('', '\\')],
  ['a megabyte of aggregates', filled('stats ', 'count(), ', 'count() by a')],
]

for (const [what, text] of READ) {
  test(`${what} is read and printed`, () => {
    const { query, diagnostics } = parse(text)
    assert.deepEqual(diagnostics, [])
    print(desugar(query).query)
  })
}

test('nine hundred operators in a row and two hundred brackets are not too many', () => {
  const chain = Array.from({ length: 900 }, (_, i) => `x == ${i}`).join(' or ')
  const nested = `${'('.repeat(199)}x == 1${')'.repeat(199)}`
  for (const predicate of [chain, nested]) {
    const { query, diagnostics } = parse(`| where ${predicate}`)
    assert.deepEqual(diagnostics, [])
    assert.deepEqual(parse(print(query)).diagnostics, [])
  }
})

test('a query over the limit gets one diagnostic and is not looked at further', () => {
  const { diagnostics } = parse(`\0'${'('.repeat(MEGABYTE)}`)
  assert.deepEqual(
    diagnostics.map(d => d.code),
    ['E501'],
  )
})
