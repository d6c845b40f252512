import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { IncomingEvent } from '../../storage/index.ts'
import { serve } from './served.ts'

const fields = (event: IncomingEvent | undefined) => Object.fromEntries(event?.fields ?? [])

describe('POST /ingest', () => {
  test('an array of structured events is stored with its labels, text and fields', async () => {
    const { engine, post } = serve()
    const answer = await post('/api/v1/ingest', [
      {
        event: 'disk full',
        source: 'kernel',
        sourcetype: 'syslog',
        host: 'web-1',
        index: 'ops',
        fields: { level: 'error', n: 3 },
      },
    ])
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, { data: { accepted: 1, failed: 0 } })
    const [event] = engine.events
    assert.equal(event?.raw, 'disk full')
    assert.equal(event?.index, 'ops')
    assert.deepEqual(fields(event), { level: 'error', n: 3, _source: 'kernel', _sourcetype: 'syslog', host: 'web-1' })
  })

  test('`time` beside the event is its time, and the text is asked when nothing else says', async () => {
    const { engine, post } = serve()
    await post('/api/v1/ingest', [
      { event: '2001-01-01T00:00:00Z old', time: '2024-05-06T07:08:09Z' },
      { event: '2001-01-01T00:00:00Z old' },
      { event: 'x', fields: { timestamp: '2010-01-01T00:00:00Z' } },
      { event: 'x', time: 1_700_000_000 },
    ])
    assert.deepEqual(
      engine.events.map(e => new Date(e.time.micros / 1000).toISOString()),
      ['2024-05-06T07:08:09.000Z', '2001-01-01T00:00:00.000Z', '2010-01-01T00:00:00.000Z', '2023-11-14T22:13:20.000Z'],
    )
  })

  test('an event object and JSON text in `event` become fields, and _raw is what was sent', async () => {
    const { engine, post } = serve()
    await post('/api/v1/ingest', '[{"event": {"a" : 1.0, "b":{"c":2}}, "fields":{"d":4}},{"event":"{\\"a\\": 5}"}]')
    assert.deepEqual(
      engine.events.map(e => [e.raw, fields(e)]),
      [
        ['{"a" : 1.0, "b":{"c":2}}', { a: 1, 'b.c': 2, d: 4 }],
        ['{"a": 5}', { a: 5 }],
      ],
    )
  })

  test('a bare object is the event itself, byte for byte', async () => {
    const { engine, post } = serve()
    const documents = ['{"level": "info",  "id":9007199254740993}', '{"message":"größer \\u00e9","a":[1,{"b":"]}"}]}']
    await post('/api/v1/ingest', `[${documents.join(' ,\n')}]`)
    assert.deepEqual(
      engine.events.map(e => e.raw),
      documents,
    )
    assert.equal(engine.events[0]?.fields.get('id'), 9007199254740993n)
  })

  test('NDJSON, with and without a last newline, CRLF, blank lines and a byte order mark', async () => {
    const { engine, post } = serve()
    const answer = await post('/api/v1/ingest', '\ufeff{"n":1}\r\n\r\n{"n":2}\n  \n{"n":3}', {
      'content-type': 'text/plain',
    })
    assert.deepEqual(answer.json.data, { accepted: 3, failed: 0 })
    assert.deepEqual(
      engine.events.map(e => [e.raw, e.fields.get('n')]),
      [
        ['{"n":1}', 1],
        ['{"n":2}', 2],
        ['{"n":3}', 3],
      ],
    )
  })

  test('documents may be laid out over lines, one or several', async () => {
    const { engine, post } = serve()
    await post('/api/v1/ingest', '{\n  "n": 1\n}\n{\n  "n": 2\n}')
    assert.deepEqual(
      engine.events.map(e => e.fields.get('n')),
      [1, 2],
    )
  })

  test('a bad element fails alone and is named', async () => {
    const { engine, post } = serve()
    const answer = await post(
      '/api/v1/ingest',
      '[{"n":1},{"n":tru},7,{"event":"x","fields":3},{"event":"x","index":"../etc"},{"n":2}]',
    )
    assert.equal(answer.status, 200)
    assert.equal(answer.json.data.accepted, 2)
    assert.equal(answer.json.data.failed, 4)
    assert.deepEqual(
      answer.json.data.errors.map(e => [e.index, e.code]),
      [
        [1, 'INVALID_JSON'],
        [2, 'NOT_AN_OBJECT'],
        [3, 'VALIDATION_ERROR'],
        [4, 'VALIDATION_ERROR'],
      ],
    )
    assert.equal(engine.events.length, 2)
  })

  test('a damaged line of NDJSON, even the first, does not take the others with it', async () => {
    const { post } = serve()
    const answer = await post('/api/v1/ingest', '{"n":\n{"n":1}\nnot json\n{"n":2}\n')
    assert.deepEqual([answer.json.data.accepted, answer.json.data.failed], [2, 2])
  })

  test('at most a hundred failures are listed, all are counted', async () => {
    const { post } = serve()
    const answer = await post('/api/v1/ingest', `[{"n":1},${Array(150).fill('0').join(',')}]`)
    assert.equal(answer.json.data.failed, 150)
    assert.equal(answer.json.data.errors.length, 100)
  })

  for (const [what, body] of [
    ['nothing', ''],
    ['plain text', 'disk full'],
    ['a number', '7'],
    ['an array cut short', '[{"n":1},{"n":'],
    ['an array and more', '[{"n":1}] x'],
    ['an object cut short', '{"n":'],
  ] as const) {
    test(`${what} is 400 INVALID_JSON and nothing is stored`, async () => {
      const { engine, request } = serve()
      const answer = await request({ method: 'POST', url: '/api/v1/ingest', payload: body })
      assert.equal(answer.status, 400)
      assert.equal(answer.json.error.code, 'INVALID_JSON')
      assert.equal(engine.events.length, 0)
    })
  }

  test('an empty array is nothing to store', async () => {
    const { post } = serve()
    assert.deepEqual((await post('/api/v1/ingest', '[ ]')).json.data, { accepted: 0, failed: 0 })
  })

  test('a request of more than a batch is split and wholly accepted', async context => {
    // A turn that is over splits it too, which on a busy machine may be after the first.
    context.mock.method(performance, 'now', () => 0)
    const { engine, post } = serve({ 'ingest.max_batch_size': '3' })
    const answer = await post(
      '/api/v1/ingest',
      Array.from({ length: 7 }, (_, n) => ({ n })),
    )
    assert.deepEqual(answer.json.data, { accepted: 7, failed: 0 })
    assert.deepEqual(
      engine.batches.map(b => b.length),
      [3, 3, 1],
    )
  })

  test('a full buffer is 503 with Retry-After as long as nothing is stored', async () => {
    const { engine, post } = serve()
    engine.room = 0
    const answer = await post('/api/v1/ingest', [{ n: 1 }])
    assert.equal(answer.status, 503)
    assert.equal(answer.json.error.code, 'BACKPRESSURE')
    assert.equal(answer.headers['retry-after'], '2')
  })

  test('a later batch that meets a full buffer waits for a flush; what still finds no room is counted', async context => {
    // A turn that is over ends a batch as well, and what found room is told by batches.
    context.mock.method(performance, 'now', () => 0)
    const { engine, post } = serve({ 'ingest.max_batch_size': '2' })
    engine.room = 2
    engine.roomAfterFlush = 2
    const answer = await post('/api/v1/ingest', '[{"n":0},null,{"n":1},{"n":2},{"n":3}]')
    assert.deepEqual(answer.json.data.accepted, 4)
    engine.room = 2
    engine.roomAfterFlush = 0
    const second = await post('/api/v1/ingest', '[{"n":0},null,{"n":1},{"n":2},{"n":3}]')
    assert.equal(second.status, 200)
    assert.deepEqual([second.json.data.accepted, second.json.data.failed], [2, 3])
    assert.deepEqual(
      second.json.data.errors.map(e => [e.index, e.code]),
      [
        [1, 'NOT_AN_OBJECT'],
        [3, 'BACKPRESSURE'],
        [4, 'BACKPRESSURE'],
      ],
    )
  })

  test('wait_for=published and ingest.ack hold the answer until events are on disk', async () => {
    const { engine, post } = serve()
    await post('/api/v1/ingest', [{ n: 1 }])
    assert.equal(engine.published, 0)
    await post('/api/v1/ingest?wait_for=published', [{ n: 1 }])
    assert.equal(engine.published, 1)
    const always = serve({ 'ingest.ack': 'published' })
    await always.post('/api/v1/ingest', [{ n: 1 }])
    assert.equal(always.engine.published, 1)
    assert.equal((await post('/api/v1/ingest?wait_for=ever', [{ n: 1 }])).json.error.code, 'VALIDATION_ERROR')
  })
})

describe('POST /ingest/raw', () => {
  test('every line is an event with the labels of the headers', async () => {
    const { engine, post } = serve()
    const headers = { 'X-Source': 'nginx', 'X-Source-Type': 'access', 'X-Index': 'web', 'content-type': 'text/plain' }
    const answer = await post('/api/v1/ingest/raw', 'one\r\n\n{"a":1}\nthree', headers)
    assert.deepEqual(answer.json.data, { accepted: 3, failed: 0 })
    assert.deepEqual(
      engine.events.map(e => e.raw),
      ['one', '{"a":1}', 'three'],
    )
    assert.deepEqual(fields(engine.events[1]), { a: 1, _source: 'nginx', _sourcetype: 'access' })
    assert.equal(engine.events[0]?.index, 'web')
  })

  test('a line that is too long is reported with its number', async () => {
    const { post } = serve({ 'ingest.max_line_bytes': '5' })
    const answer = await post('/api/v1/ingest/raw', 'one\n\ntoo long\nfour\nééé')
    assert.equal(answer.json.data.accepted, 2)
    assert.deepEqual(
      answer.json.data.errors.map(e => [e.index, e.line, e.code]),
      [
        [1, 3, 'LINE_TOO_LONG'],
        [3, 5, 'LINE_TOO_LONG'],
      ],
    )
  })

  test('an index that cannot be is refused before anything is stored', async () => {
    const { engine, post } = serve()
    const answer = await post('/api/v1/ingest/raw', 'one', { 'X-Index': '../up' })
    assert.equal(answer.json.error.code, 'VALIDATION_ERROR')
    assert.equal(engine.events.length, 0)
  })

  test('an empty body is nothing to store', async () => {
    const { request } = serve()
    const answer = await request({ method: 'POST', url: '/api/v1/ingest/raw' })
    assert.deepEqual(answer.json.data, { accepted: 0, failed: 0 })
  })
})
