/** Error texts are golden: test/cases/grammar/errors.case holds each frame; here without an engine behind the parser. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyFixes, CompileError, desugar, diagnosticsToJson, parse, print } from '../../grammar/index.ts'
import { parseCaseFile, sectionOf } from '../case-file.ts'
import { repositoryRoot } from '../repository.ts'
import { codes, fixed, frames } from './support.ts'

function casesOf(name: string): ReturnType<typeof parseCaseFile> {
  const file = join(repositoryRoot(), 'test/cases/grammar', name)
  return parseCaseFile(file, readFileSync(file, 'utf8'))
}

for (const each of casesOf('errors.case')) {
  test(each.title, () => {
    const query = sectionOf(each, 'query')?.body ?? ''
    assert.equal(frames(query), sectionOf(each, 'error')?.body)
    fixed(query)
  })
}

for (const each of casesOf('format.case')) {
  test(each.title, () => {
    const { query } = parse(sectionOf(each, 'query')?.body ?? '')
    assert.equal(print(query), sectionOf(each, 'format')?.body)
    assert.equal(print(desugar(query).query), sectionOf(each, 'desugar')?.body ?? print(query))
  })
}

test('three typos in three stages are three diagnostics and one corrected query', () => {
  const text = 'from main | where status = 500 | stats count by host | sotr -count()'
  assert.deepEqual(codes(text), ['E304', 'E306', 'E102'])
  assert.equal(fixed(text), 'from main | where status == 500 | stats count() by host | sort -count()')
})

test('one finding without an edit leaves the query without a fix', () => {
  const { source, diagnostics } = parse('from main | where a = 1 | frobnicate x')
  assert.equal(diagnostics.length, 2)
  assert.equal(applyFixes(source, diagnostics), null)
})

test('as JSON a finding has its place as people count it, and the whole corrected query', () => {
  const { source, diagnostics } = parse('from main\n| where status = 500')
  assert.deepEqual(diagnosticsToJson(source, diagnostics), [
    {
      code: 'E304',
      message: "'=' assigns; '==' compares",
      position: { offset: 25, line: 2, column: 16, length: 1 },
      suggestion: '==',
      fix: 'from main\n| where status == 500',
    },
  ])
})

test('what could be read is in the tree, with a bad expression where a stage was not understood', () => {
  const { query } = parse('from main | head 3 | foo bar | tail 2')
  assert.deepEqual(
    query.pipeline.stages.map(s => (s.kind === 'where' ? s.predicate.kind : s.kind)),
    ['head', 'bad', 'tail'],
  )
})

test('a compile error speaks with its first diagnostic', () => {
  const { source, diagnostics } = parse('| where a = 1')
  const [first] = diagnostics
  assert.ok(first !== undefined)
  assert.equal(new CompileError(source, [first]).message, first.message)
})
