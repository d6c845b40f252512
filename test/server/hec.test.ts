/** The HTTP event collector, answer by answer as its senders read them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AckLedger } from '../../server/protocols/hec-acks.ts'
import { DateTime } from '../../storage/value.ts'
import { type Answer, serve } from './served.ts'

interface HecBody {
  readonly text: string
  readonly code: number
  readonly ackId?: number
  readonly 'invalid-event-number'?: number
  readonly acks?: Record<string, boolean>
}

const bodyOf = (answer: Answer): HecBody => answer.json as unknown as HecBody
const SUCCESS = { text: 'Success', code: 0 }
const TIME = new DateTime(1_433_188_255_253_000)

describe('POST /services/collector', () => {
  for (const base of ['/services/collector', '/api/v1/services/collector', '/api/v1/ingest/hec']) {
    for (const path of ['', '/event', '/event/1.0']) {
      test(`${base}${path} stores an envelope with its labels, time and fields`, async () => {
        const { engine, post } = serve()
        const answer = await post(base + path, {
          time: 1433188255.253,
          host: 'web-1',
          source: 'app.log',
          sourcetype: 'app',
          index: 'prod',
          event: 'disk full',
          fields: { level: 'error', n: 3 },
        })
        assert.deepEqual([answer.status, answer.json], [200, SUCCESS])
        const [event] = engine.events
        assert.deepEqual([event?.raw, event?.index, event?.time], ['disk full', 'prod', TIME])
        assert.deepEqual(Object.fromEntries(event!.fields), {
          _timestamp: TIME,
          level: 'error',
          n: 3,
          host: 'web-1',
          _source: 'app.log',
          _sourcetype: 'app',
        })
      })
    }
    for (const path of ['/raw', '/raw/1.0']) {
      test(`${base}${path} stores lines with the labels of the address`, async () => {
        const { engine, post } = serve()
        const url = `${base}${path}?source=s&sourcetype=t&host=h&index=i&channel=c`
        const answer = await post(url, '2015-06-01T00:00:00Z one\r\n\n{"a":1}', { 'content-type': 'text/plain' })
        assert.deepEqual(answer.json, { ...SUCCESS, ackId: 0 })
        assert.deepEqual(
          engine.events.map(event => [event.raw, event.index, event.fields.get('_source'), event.fields.get('host')]),
          [
            ['2015-06-01T00:00:00Z one', 'i', 's', 'h'],
            ['{"a":1}', 'i', 's', 'h'],
          ],
        )
        assert.equal(engine.events[0]?.time.micros, Date.UTC(2015, 5, 1) * 1000)
      })
    }
    for (const path of ['/health', '/health/1.0']) {
      test(`GET ${base}${path} says that events are taken`, async () => {
        const { get } = serve()
        assert.deepEqual((await get(base + path)).json, { text: 'HEC is healthy', code: 17 })
      })
    }
  }

  for (const [layout, body] of [
    ['concatenated', '{"event":"1"}{"event":"2"}{"event":"3"}'],
    ['a line each', '{"event":"1"}\n{"event":"2"}\r\n\n{"event":"3"}\n'],
    ['laid out over lines', '{\n "event": "1"\n}\n\n{\n "event": "2"\n} {"event":"3"}'],
    ['an array', '[{"event":"1"},{"event":"2"},{"event":"3"}]'],
  ] as const) {
    test(`events ${layout} are all stored, whatever the content type claims`, async () => {
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense']) {
        const { engine, post } = serve()
        assert.deepEqual((await post('/services/collector', body, { 'content-type': type })).json, SUCCESS)
        assert.deepEqual(
          engine.events.map(event => event.raw),
          ['1', '2', '3'],
        )
      }
    })
  }

  test('`time` may be text, whole or with a fraction, of any magnitude, and keeps nanoseconds', async () => {
    const { engine, post } = serve()
    const times = [
      '"1433188255.253"',
      '1433188255',
      '1433188255253',
      '"1433188255253000"',
      '1433188255.253123456',
      '12.5',
    ]
    await post('/services/collector', times.map(time => `{"time": ${time},"event":"x"}`).join(''))
    assert.deepEqual(
      engine.events.map(event => event.time),
      [
        TIME,
        new DateTime(1_433_188_255_000_000),
        TIME,
        TIME,
        new DateTime(1_433_188_255_253_123, 456),
        new DateTime(12_500_000),
      ],
    )
  })

  test('a `time` that is none is kept as it was sent; without one the event is asked', async () => {
    const { engine, post } = serve()
    await post('/services/collector', '{"time":"soon","event":"a"}{"event":{"timestamp":"2015-06-01T00:00:00Z"}}')
    assert.equal(engine.events[0]?.fields.get('_timestamp'), 'soon')
    assert.equal(engine.events[1]?.time.micros, Date.UTC(2015, 5, 1) * 1000)
  })

  test('an event that is an object is its fields, and _raw is what was sent', async () => {
    const { engine, post } = serve()
    await post('/services/collector', '{"event":{"a" : 1,"b":{"c":"x"}},"fields":{"d":2}}{"event":7}{"event":[1, 2]}')
    assert.deepEqual(
      engine.events.map(event => [event.raw, Object.fromEntries(event.fields)]),
      [
        ['{"a" : 1,"b":{"c":"x"}}', { a: 1, 'b.c': 'x', d: 2 }],
        ['7', {}],
        ['[1, 2]', {}],
      ],
    )
  })

  for (const [what, body, status, code, number] of [
    ['nothing', '', 400, 5, undefined],
    ['spaces', ' \n ', 400, 5, undefined],
    ['no event', '{"event":"a"}{"time":1}', 400, 12, 1],
    ['a null event', '{"event":null}', 400, 12, 0],
    ['a blank event', '{"event":"a"}{"event":""}{"event":"b"}', 400, 13, 1],
    ['damage', '{"event":"a"}\n{"event":\n{"event":"b"}', 400, 6, 1],
    ['plain text', 'disk full', 400, 6, 0],
    ['fields that are none', '{"event":"a","fields":[1]}', 400, 15, 0],
    ['an index that cannot be', '{"event":"a","index":"../up"}', 400, 7, 0],
  ] as const) {
    test(`${what} is ${status} with code ${code}, and the good events beside it are stored`, async () => {
      const { engine, post } = serve()
      const answer = await post('/services/collector', body)
      const { text, code: given, 'invalid-event-number': invalid } = bodyOf(answer)
      assert.deepEqual([answer.status, given, invalid], [status, code, number])
      assert.ok(text)
      const good = [...body.matchAll(/"event":"[ab]"/g)].length - (/index|fields/.test(body) ? 1 : 0)
      assert.equal(engine.events.length, good)
    })
  }

  test('a line that is too long costs only itself', async () => {
    const { engine, post } = serve({ 'ingest.max_line_bytes': '5' })
    const answer = await post('/services/collector/raw', 'one\ntoo long\ntwo')
    assert.deepEqual([answer.status, bodyOf(answer)['invalid-event-number']], [400, 1])
    assert.equal(engine.events.length, 2)
  })

  test('a full buffer is 503 with code 9 and Retry-After', async () => {
    const { engine, post } = serve()
    engine.room = 0
    const answer = await post('/services/collector', '{"event":"a"}')
    assert.deepEqual([answer.status, answer.json], [503, { text: 'Server is busy', code: 9 }])
    assert.equal(answer.headers['retry-after'], '2')
  })

  test('a body that is too large is 413, unpacked or not', async () => {
    const { post } = serve({ 'ingest.max_body_size': '1kb' })
    const event = JSON.stringify({ event: 'x'.repeat(2000) })
    assert.equal((await post('/services/collector', event)).status, 413)
    const packed = gzipSync(event)
    assert.equal((await post('/services/collector', packed, { 'content-encoding': 'gzip' })).status, 413)
  })
})

describe('acknowledgements', () => {
  const CHANNEL = { 'x-splunk-request-channel': 'FE0ECFAD-13D5-401B-847D-77833BD77131' }

  test('each request of a channel has a number, told once as soon as its events are on disk', async () => {
    const { post } = serve()
    const ids: (number | undefined)[] = []
    for (let n = 0; n < 3; n++) ids.push(bodyOf(await post('/services/collector', '{"event":"a"}', CHANNEL)).ackId)
    assert.deepEqual(ids, [0, 1, 2])
    const ask = async (acks: unknown, headers: Record<string, string> = CHANNEL) =>
      bodyOf(await post('/services/collector/ack', { acks }, headers))
    assert.deepEqual(await ask([0, 2, 9]), { acks: { 0: true, 2: true, 9: false } })
    assert.deepEqual(await ask([0, 1]), { acks: { 0: false, 1: true } })
    assert.equal((await ask([0], {})).code, 10)
    assert.equal((await ask(['x'])).code, 6)
    assert.equal((await ask([0], { 'x-splunk-request-channel': 'not a channel' })).code, 11)
  })

  test('an empty or bad request of a channel has no number', async () => {
    const { post } = serve()
    assert.equal(bodyOf(await post('/services/collector', '', CHANNEL)).ackId, undefined)
    assert.equal(bodyOf(await post('/services/collector', '{}', CHANNEL)).ackId, undefined)
  })

  test('what never reaches the disk is never acknowledged', async () => {
    const ledger = new AckLedger()
    let fail = (_: Error) => {}
    ledger.open('c', new Promise((_, reject) => (fail = reject)))
    ledger.open('c', Promise.resolve())
    await new Promise(setImmediate)
    assert.deepEqual(ledger.ask('c', [0, 1]), { 0: false, 1: true })
    fail(new Error('the disk is gone'))
    await new Promise(setImmediate)
    assert.deepEqual(ledger.ask('c', [0]), { 0: false })
  })

  test('a channel that is never asked about does not grow without end, and idle channels make room', async () => {
    const ledger = new AckLedger()
    for (let n = 0; ledger.hasRoom('greedy'); n++) {
      ledger.open('greedy', Promise.resolve())
      assert.ok(n < 100_000)
    }
    assert.ok(ledger.hasRoom('other'))
    for (let n = 0; n < 20_000; n++) {
      assert.ok(ledger.hasRoom(`c${n}`))
      const ack = ledger.open(`c${n}`, Promise.resolve())
      await Promise.resolve()
      await Promise.resolve()
      await Promise.resolve()
      ledger.ask(`c${n}`, [ack])
    }
  })
})
