/** What holds for every text and every tree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { randomExpr, randomQuery } from '../../fuzz/generate/ast.ts'
import {
  applyFixes,
  desugar,
  diagnosticsToJson,
  parse,
  print,
  printExpr,
  renderDiagnostic,
} from '../../grammar/index.ts'
import { withoutSpans } from './support.ts'

const seeded = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

test('a printed query reads back as the same query, and prints the same again', () => {
  fc.assert(
    fc.property(fc.integer(), seed => {
      const query = randomQuery(seeded(seed))
      const text = print(query)
      const result = parse(text)
      assert.deepEqual(result.diagnostics, [], text)
      assert.deepEqual(withoutSpans(result.query), withoutSpans(query), text)
      assert.equal(print(result.query), text)
    }),
    { numRuns: 1000 },
  )
})

test('a printed expression reads back as the same expression', () => {
  fc.assert(
    fc.property(fc.integer(), seed => {
      const expr = randomExpr(seeded(seed), 5)
      const text = `| extend x = ${printExpr(expr)}`
      const result = parse(text)
      assert.deepEqual(result.diagnostics, [], text)
      const stage = result.query.pipeline.stages[0]
      assert.ok(stage?.kind === 'extend')
      assert.deepEqual(withoutSpans(stage.assignments[0]?.value), withoutSpans(expr), text)
    }),
    { numRuns: 1000 },
  )
})

test('expanding short forms leaves a query that parses and has no short forms', () => {
  fc.assert(
    fc.property(fc.integer(), seed => {
      const { query } = desugar(randomQuery(seeded(seed)))
      const text = print(query)
      const result = parse(text)
      assert.deepEqual(result.diagnostics, [], text)
      assert.deepEqual(desugar(result.query).rewrites, [])
    }),
    { numRuns: 300 },
  )
})

const SOUP = [
  ...'| ( ) [ ] { } , ; : . + - * / % < > = ! " \' ` $ # \\ ? ~ & ^ é 😀 \0 \n'.split(' '),
  ...'== != <= >= === && || ?? ?. -> =~ .. // /* */ r" "x" \'y\' `z` $v 5 5m 1.5 0x 1e 2026-01-01 2026-01-01T00:00'.split(
    ' ',
  ),
  ...'where stats count sort by as in and or not between null true from main let index=x timechart span=1m'.split(' '),
  ...'eval fields table rex search top 5 every rate per percentiles parse regex into prefix keep except * a b.c'.split(
    ' ',
  ),
  ...'select from group order limit is like contains desc count() avg(x) f( x -> [-1h] status=500 web-* head'.split(
    ' ',
  ),
]

test('no soup of tokens makes the parser throw, and each finding can be shown and lies in the text', () => {
  const soup = fc.array(fc.tuple(fc.constantFrom(...SOUP), fc.constantFrom('', ' ')), { maxLength: 30 })
  fc.assert(
    fc.property(soup, pieces => {
      const text = pieces.flat().join('')
      const result = parse(text)
      for (const diagnostic of result.diagnostics) {
        assert.ok(diagnostic.span.start >= 0 && diagnostic.span.end <= text.length, text)
        assert.ok(diagnostic.span.start <= diagnostic.span.end, text)
        assert.ok(renderDiagnostic(result.source, diagnostic).length > 0)
      }
      diagnosticsToJson(result.source, result.diagnostics)
      applyFixes(result.source, result.diagnostics)
      if (result.diagnostics.length === 0) {
        const printed = print(result.query)
        const again = parse(printed)
        assert.deepEqual(again.diagnostics, [], `${text} → ${printed}`)
        assert.deepEqual(withoutSpans(again.query), withoutSpans(result.query), `${text} → ${printed}`)
      }
      assert.deepEqual(parse(text), result)
    }),
    { numRuns: 3000 },
  )
})

test('no string of characters makes the parser throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
      parse(text)
      parse(`| where ${text}`)
    }),
    { numRuns: 1000 },
  )
})
