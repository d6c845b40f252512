import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { arrayElements, type ByteSpan, layoutOf, lines, memberSpan, values } from '../../server/ingest/split-body.ts'

const document = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
const space = fc.constantFrom('', ' ', '\n', '\r\n', '\t ')
const texts = (body: Buffer, spans: Iterable<ByteSpan>) => [...spans].map(s => body.toString('utf8', s.start, s.end))

function elementsOf(body: Buffer): ByteSpan[] | null {
  const steps = arrayElements(body)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

describe('a body cut into documents', () => {
  test('an array gives every element exactly as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1), space, (elements, indent, gap) => {
        const written = elements.map(e => JSON.stringify(e, null, indent))
        const body = Buffer.from(`${gap}[${gap}${written.join(`${gap},${gap}`)}${gap}]${gap}`)
        assert.equal(layoutOf(body), 'array')
        assert.deepEqual(texts(body, elementsOf(body)!), written)
      }),
    )
  })

  test('an array cut short anywhere is refused whole', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 4 }), fc.nat(), (elements, at) => {
        const body = Buffer.from(JSON.stringify(elements))
        assert.equal(elementsOf(body.subarray(0, 1 + (at % (body.length - 1)))), null)
      }),
    )
  })

  test('documents one after another come apart, with or without anything between them', () => {
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 1 }),
        fc.constantFrom(undefined, 2),
        space,
        (documents, indent, gap) => {
          const written = documents.map(d => JSON.stringify(d, null, indent))
          const body = Buffer.from(written.join(gap))
          assert.deepEqual(texts(body, values(body)), written)
          const layout = layoutOf(body)
          if (layout === 'lines') assert.ok(!written[0]!.includes('\n'))
        },
      ),
    )
  })

  test('NDJSON is recognised and its lines lose their ends only', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1 }), fc.constantFrom('\n', '\r\n'), (documents, end) => {
        const written = documents.map(d => JSON.stringify(d))
        const body = Buffer.from(written.join(end))
        assert.equal(layoutOf(body), 'lines')
        assert.deepEqual(texts(body, lines(body)), written)
      }),
    )
  })

  test('no bytes at all make it fail or go on for ever', () => {
    const bytes = fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '\n', ' ', 'a', '1') })
    fc.assert(
      fc.property(bytes, text => {
        const body = Buffer.from(text)
        layoutOf(body)
        elementsOf(Buffer.from(`[${text}`))
        assert.ok([...values(body)].length <= body.length)
        assert.ok([...lines(body)].length <= body.length)
        memberSpan(body, { start: 0, end: body.length }, 'a')
      }),
      { numRuns: 1000 },
    )
  })

  test('the text of a member is found, the last one when there are several', () => {
    const body = Buffer.from('{ "a" : {"event":1}, "event" : 1 , "b":[], "event": {"x" : "}"} }')
    const span = memberSpan(body, { start: 0, end: body.length }, 'event')
    assert.deepEqual(texts(body, [span!]), ['{"x" : "}"}'])
    assert.equal(memberSpan(body, { start: 0, end: body.length }, 'x'), null)
  })
})
