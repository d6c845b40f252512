/** What completion promises whatever the text; what it offers where stands in test/cases/service. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { open } from '../../engine.ts'
import { complete, describeAt, parse, signatureAt, tokensOf } from '../../grammar/index.ts'
import { loadCases, queryOf, readEvents } from '../case-input.ts'
import { brokenLaw } from '../complete-law.ts'
import { KNOWLEDGE } from '../knowledge.ts'
import { findCaseFiles, repositoryRoot } from '../repository.ts'
import { CURSOR } from '../service-sections.ts'

const QUERIES = [
  ...new Set(
    findCaseFiles(join(repositoryRoot(), 'test/cases'))
      .flatMap(loadCases)
      .map(each => queryOf(each).replace(CURSOR, '')),
  ),
]

/** Half a dozen of a query, at other distances in the next one. The fuzzer goes everywhere. */
function placesIn(query: string, index: number): number[] {
  const step = Math.max(1, Math.floor(query.length / 6))
  const places = []
  for (let at = index % step; at <= query.length; at += step) places.push(at)
  return places
}

test('at the end of every beginning of every query, completion, signature and hover answer and what is offered fits', () => {
  assert.ok(QUERIES.length > 200, `${QUERIES.length} queries`)
  for (const [index, query] of QUERIES.entries()) {
    const isQuery = parse(query).diagnostics.length === 0
    for (const at of placesIn(query, index)) {
      const begun = query.slice(0, at)
      assert.equal(brokenLaw(begun, at, isQuery), null, `${begun}${CURSOR}`)
      signatureAt(query, at, KNOWLEDGE)
      describeAt(query, at, KNOWLEDGE)
    }
  }
})

test('inside of every query what is offered fits, unless it is put before a word', () => {
  for (const [index, query] of QUERIES.entries()) {
    const isQuery = parse(query).diagnostics.length === 0
    for (const at of placesIn(query, index + 1)) {
      assert.equal(brokenLaw(query, at, isQuery), null, `${query.slice(0, at)}${CURSOR}${query.slice(at)}`)
    }
  }
})

test('colours cover every character that is no white space, once and in order', () => {
  for (const query of QUERIES) {
    let at = 0
    for (const { start, end, kind } of tokensOf(query)) {
      assert.equal(query.slice(at, start).trim(), '', `${query} before ${kind} at ${start}`)
      assert.ok(end > start, query)
      at = end
    }
    assert.equal(query.slice(at).trim(), '', query)
  }
})

test('an offset outside of the text is its nearest end', () => {
  assert.deepEqual(complete('sta', 99, KNOWLEDGE), complete('sta', 3, KNOWLEDGE))
  assert.deepEqual(complete('sta', -1, KNOWLEDGE), complete('sta', 0, KNOWLEDGE))
})

test('the engine knows its fields, their coverage and their values', async () => {
  const engine = await open(null)
  try {
    const line = (host: string, ms: number) => JSON.stringify({ host, level: 'error', ms })
    const lines = ['a', 'b', 'b'].map(line).join('\n')
    engine.ingest(
      readEvents([
        { index: 'main', text: lines },
        { index: 'web', text: '{"path":"/"}' },
      ]),
    )
    const values = engine.complete('host=', 5).items
    assert.deepEqual(
      values.map(item => item.insert),
      ['b', 'a'],
    )
    assert.ok(engine.complete('from main | where p', 19).items.every(item => item.label !== 'path'))
    assert.ok(engine.complete('from web | where p', 18).items.some(item => item.label === 'path'))
    assert.ok(engine.complete('from ', 5).items.some(item => item.label === 'web'))
    assert.equal(engine.signatureAt('where round(', 12)?.label, 'round(x, [digits])')
    assert.equal(engine.describeAt('where host', 7)?.title, 'host: string, in 75% of events')
    assert.deepEqual(engine.knowledge().fields.find(field => field.name === 'level')?.values, ['error'])
  } finally {
    await engine.close()
  }
})
