/** Short strings written by hand are what the encoder writes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonStringOf, utf8Of } from '../../storage/part/ascii.ts'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { decodeTimeText, encodeTimeText, timeFormOf } from '../../storage/part/encodings/time-text.ts'
import { textVectorOf } from '../../storage/part/shape.ts'
import type { TimeVector } from '../../storage/vector.ts'
import { stringArbitrary } from './part-support.ts'

const strings = fc.oneof(
  stringArbitrary,
  fc.string({ minLength: 40, maxLength: 60 }),
  fc.string({ unit: 'binary-ascii' }),
)

test('short strings are the bytes the encoder gives them, alone and in JSON', () => {
  fc.assert(
    fc.property(fc.array(strings, { minLength: 1, maxLength: 5 }), texts => {
      const made = texts.map(text => [utf8Of(text), jsonStringOf(text)])
      // Only then: none may lie in memory that the next one is written to.
      for (const [at, text] of texts.entries()) {
        assert.deepEqual(made[at]![0], new TextEncoder().encode(text))
        assert.deepEqual(made[at]![1], new TextEncoder().encode(JSON.stringify(text)))
      }
    }),
    { numRuns: 500 },
  )
})

test('times that go on and back, over seconds, days and 1970, are written as Date writes them', () => {
  const step = fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.integer({ min: -2e8, max: 2e8 }))
  const start = fc.oneof(fc.constant(0), fc.integer({ min: Date.UTC(1901, 0, 1), max: Date.UTC(2250, 0, 1) }))
  fc.assert(
    fc.property(start, fc.array(step, { minLength: 1, maxLength: 40 }), (first, steps) => {
      let last = first
      const millis = [first, ...steps.map(each => (last += each))]
      const texts = textVectorOf(millis.map(each => new Date(each).toISOString()))
      const times: TimeVector = {
        kind: 'time',
        rowCount: millis.length,
        micros: Float64Array.from(millis, each => each * 1000),
        nanos: null,
        presence: null,
      }
      assert.equal(timeFormOf(texts, times), 0)
      const sink = new ByteSink()
      encodeTimeText(sink, texts, 0)
      const decoded = decodeTimeText(new ByteSource(sink.finish()), millis.length, times)
      assert.deepEqual(Buffer.from(decoded.bytes), Buffer.from(texts.bytes))
    }),
    { numRuns: 300 },
  )
})
