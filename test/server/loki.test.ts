/** Loki's push, in both encodings and with labels as agents write them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Writer } from 'protobufjs/minimal.js'
import { compress } from 'snappyjs'
import { parseLabels } from '../../server/protocols/loki.ts'
import { DateTime } from '../../storage/value.ts'
import { serve } from './served.ts'

const STREAM = { job: 'varlogs', host: 'web-1', filename: '/var/log/x' }

function pushRequest(labels: string, entries: readonly (readonly [seconds: number, nanos: number, line: string])[]) {
  const writer = new Writer().uint32(0x0a).fork().uint32(0x0a).string(labels)
  for (const [seconds, nanos, line] of entries) {
    writer.uint32(0x12).fork()
    writer.uint32(0x0a).fork().uint32(0x08).int64(seconds).uint32(0x10).int32(nanos).ldelim()
    writer.uint32(0x12).string(line)
    writer.uint32(0x1a).fork().uint32(0x0a).string('trace_id').uint32(0x12).string('t1').ldelim()
    writer.ldelim()
  }
  return Buffer.from(writer.ldelim().finish())
}

describe('POST /loki/api/v1/push', () => {
  for (const path of ['/loki/api/v1/push', '/api/prom/push', '/api/v1/loki/api/v1/push']) {
    test(`${path} stores lines with their labels, metadata and nanoseconds`, async () => {
      const { engine, post } = serve()
      const values = [
        ['1700000000123456789', 'plain', { trace_id: 't1' }],
        ['1700000000123456790', '{"level":"warn","status":500}'],
      ]
      const answer = await post(path, { streams: [{ stream: STREAM, values }] })
      assert.deepEqual([answer.status, answer.text], [204, ''])
      const [first, second] = engine.events
      assert.deepEqual([first?.raw, first?.time], ['plain', new DateTime(1_700_000_000_123_456, 789)])
      assert.deepEqual(Object.fromEntries(first!.fields), { ...STREAM, trace_id: 't1', _source: 'varlogs' })
      assert.deepEqual([second?.fields.get('level'), second?.fields.get('status')], ['warn', 500])
    })

    test(`${path} takes protobuf in snappy, whether or not the encoding is named`, async () => {
      const body = compress(
        pushRequest('{job="varlogs", host="web-1", detected_level="error"}', [[1_700_000_000, 5, 'x']]),
      )
      for (const encoding of [{}, { 'content-encoding': 'snappy' }]) {
        const { engine, post } = serve()
        const answer = await post(path, body, { 'content-type': 'application/x-protobuf', ...encoding })
        assert.equal(answer.status, 204, answer.text)
        const [event] = engine.events
        assert.deepEqual([event?.raw, event?.time], ['x', new DateTime(1_700_000_000_000_000, 5)])
        assert.equal(event?.fields.get('level'), 'error')
        assert.equal(event?.fields.get('trace_id'), 't1')
      }
    })
  }

  test('bad entries are 400 with a reason, and the good ones are stored', async () => {
    const { engine, post } = serve()
    const values = [['1', 'a'], ['x', 'b'], 7, ['2']]
    const answer = await post('/loki/api/v1/push', { streams: [{ stream: STREAM, values }, null] })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /4 of 5 entries/)
    assert.equal(engine.events.length, 1)
  })

  test('what is no push is 400, a full buffer 503', async () => {
    const { engine, post } = serve()
    const binary = { 'content-type': 'application/x-protobuf' }
    assert.equal((await post('/loki/api/v1/push', '{')).status, 400)
    assert.equal((await post('/loki/api/v1/push', '{}')).status, 400)
    assert.equal((await post('/loki/api/v1/push', Buffer.from('nonsense'), binary)).status, 400)
    assert.equal((await post('/loki/api/v1/push', compress(Buffer.from([0x0a, 9])), binary)).status, 400)
    engine.room = 0
    const answer = await post('/loki/api/v1/push', { streams: [{ stream: STREAM, values: [['1', 'a']] }] })
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2'])
  })

  test('labels are read with their escapes, and what is none is refused', () => {
    assert.deepEqual(parseLabels('{ a="1",b_c = "x\\"y\\\\z\\n" , d="", }'), { a: '1', b_c: 'x"y\\z\n', d: '' })
    assert.deepEqual(parseLabels('{}'), {})
    assert.throws(() => parseLabels('{a=1}'), /not labels/)
  })
})
