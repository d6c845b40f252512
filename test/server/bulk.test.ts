import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { STUBS } from '../../server/protocols/es-handshake.ts'
import { type BulkItem, serve } from './served.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const lines = (...documents: readonly unknown[]) =>
  documents.map(d => `${typeof d === 'string' ? d : JSON.stringify(d)}\n`).join('')
const outcomes = (items: readonly Readonly<Record<string, BulkItem>>[]) =>
  items.map(item => Object.entries(item).map(([kind, { status }]) => `${kind} ${status}`)[0])

describe('the bulk protocol', () => {
  test('index and create are stored, `_index` is the source, ids are echoed or made', async () => {
    const { engine, post } = serve()
    const body = lines(
      { index: { _index: 'web', _id: 'a1', _type: '_doc' } },
      '{"message" : "hi"}',
      { create: {} },
      { n: 2 },
    )
    const answer = await post('/_bulk', body, NDJSON)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['x-elastic-product'], 'Elasticsearch')
    assert.match(String(answer.headers['content-type']), /application\/json/)
    const { took, errors, items } = answer.json
    assert.equal(typeof took, 'number')
    assert.equal(errors, false)
    assert.equal(items[0]?.index?._id, 'a1')
    assert.equal(items[0]?.index?._index, 'web')
    assert.equal(items[0]?.index?.status, 201)
    assert.equal(items[0]?.index?.result, 'created')
    assert.ok(items[1]?.create?._id)
    assert.deepEqual(
      engine.events.map(e => [e.raw, e.index, e.fields.get('_source')]),
      [
        ['{"message" : "hi"}', 'main', 'web'],
        ['{"n":2}', 'main', undefined],
      ],
    )
  })

  for (const path of [
    '/logs/_bulk',
    '/_data_stream/logs/_bulk',
    '/api/v1/es/logs/_bulk',
    '/api/v1/es/_data_stream/logs/_bulk',
  ]) {
    test(`${path} names the source of actions that name none`, async () => {
      const { engine, post } = serve()
      await post(path, lines({ index: {} }, { n: 1 }, { index: { _index: 'own' } }, { n: 2 }), NDJSON)
      assert.deepEqual(
        engine.events.map(e => e.fields.get('_source')),
        ['logs', 'own'],
      )
    })
  }

  for (const path of ['/_bulk', '/api/v1/es/_bulk', '/api/v1/ingest/bulk']) {
    test(`${path} takes PUT and POST under any content type`, async () => {
      const { engine, request } = serve()
      const payload = lines({ create: {} }, { n: 1 })
      const types = [
        'application/x-ndjson',
        'application/json',
        'application/vnd.elasticsearch+x-ndjson; compatible-with=8',
        'application/x-www-form-urlencoded',
        'text/plain; charset=utf-8',
        'ndjson',
        '',
        'text/plain, text/html',
      ]
      for (const type of types) {
        const answer = await request({ method: 'POST', url: path, payload, headers: { 'content-type': type } })
        assert.equal(answer.status, 200, type)
      }
      assert.equal((await request({ method: 'PUT', url: path, payload })).status, 200)
      assert.equal(engine.events.length, types.length + 1)
    })
  }

  test('blank lines, CRLF, unknown keys and a missing last newline are all fine', async () => {
    const { engine, post } = serve()
    const body = '\n{"index":{"_index":"a","routing":"x","pipeline":"p"}}\r\n\r\n{"n":1}\r\n{"create":{}}\n\n{"n":2}'
    const answer = await post('/_bulk?pipeline=x&timeout=1m&filter_path=errors', body, NDJSON)
    assert.equal(answer.json.errors, false)
    assert.deepEqual(
      engine.events.map(e => e.raw),
      ['{"n":1}', '{"n":2}'],
    )
  })

  test('what cannot be stored is answered item by item and the rest is stored', async () => {
    const { engine, post } = serve()
    const body = lines(
      { index: {} },
      { n: 1 },
      { update: { _id: 'u', _index: 'i' } },
      { doc: { n: 2 } },
      { delete: { _id: 'd' } },
      { create: {} },
      '{"n":',
      { create: {} },
      '[1]',
      'not an action',
      { drop: {} },
      { index: null },
      { n: 3 },
      { index: { _id: 'last' } },
    )
    const answer = await post('/_bulk', body, NDJSON)
    assert.equal(answer.status, 200)
    assert.equal(answer.json.errors, true)
    assert.deepEqual(outcomes(answer.json.items), [
      'index 201',
      'update 400',
      'delete 400',
      'create 400',
      'create 400',
      'index 400',
      'index 400',
      'index 201',
      'index 400',
    ])
    const update = answer.json.items[1]?.update
    assert.equal(update?._id, 'u')
    assert.equal(update?._index, 'i')
    assert.match(String(update?.error?.reason), /update is not supported/)
    assert.match(String(answer.json.items[8]?.index?.error?.reason), /no document/)
    assert.equal(engine.events.length, 2)
  })

  test('a full buffer is 429 per item inside a 200, for just the items that found no room', async context => {
    // A turn that is over ends a batch as well, and which items found room is told by batches.
    context.mock.method(performance, 'now', () => 0)
    const { engine, post } = serve({ 'ingest.max_batch_size': '2' })
    engine.room = 2
    const body = lines(
      { index: {} },
      { n: 1 },
      { delete: {} },
      { index: {} },
      { n: 2 },
      { create: { _id: 'x' } },
      { n: 3 },
    )
    const answer = await post('/_bulk', body, NDJSON)
    assert.equal(answer.status, 200)
    assert.equal(answer.json.errors, true)
    assert.deepEqual(outcomes(answer.json.items), ['index 201', 'delete 400', 'index 201', 'create 429'])
    const refused = answer.json.items[3]?.create
    assert.deepEqual([refused?._id, refused?.error?.type], ['x', 'es_rejected_execution_exception'])
  })

  test('refresh=wait_for waits for the disk; refresh=true has nothing to wait for', async () => {
    const { engine, post } = serve()
    const body = lines({ index: {} }, { n: 1 })
    await post('/_bulk?refresh=true', body, NDJSON)
    assert.equal(engine.published, 0)
    await post('/_bulk?refresh=wait_for', body, NDJSON)
    assert.equal(engine.published, 1)
  })

  test('generated ids differ', async () => {
    const { post } = serve()
    const answer = await post('/_bulk', lines(...Array.from({ length: 50 }, () => [{ index: {} }, {}]).flat()), NDJSON)
    assert.equal(new Set(answer.json.items.map(item => item.index?._id)).size, 50)
  })

  test('errors of the request itself are spelled as its clients read them', async () => {
    const { request } = serve({ 'ingest.max_body_size': '10' })
    const answer = await request({ method: 'POST', url: '/_bulk', payload: 'x'.repeat(11) })
    assert.equal(answer.status, 413)
    assert.equal(answer.headers['x-elastic-product'], 'Elasticsearch')
    assert.equal(answer.json.status, 413)
    assert.ok(answer.json.error.type && answer.json.error.reason)
    assert.equal(answer.json.error.code, 'PAYLOAD_TOO_LARGE')
  })
})

describe('POST /api/v1/es/{index}/_doc', () => {
  test('stores one document', async () => {
    const { engine, post } = serve()
    const answer = await post('/api/v1/es/web/_doc?refresh=wait_for', '{"message":"hi"}\n')
    assert.equal(answer.status, 201)
    const { _id, result } = answer.json as unknown as { readonly _id: string; readonly result: string }
    assert.ok(_id)
    assert.equal(result, 'created')
    assert.equal(engine.events[0]?.raw, '{"message":"hi"}')
    assert.equal(engine.events[0]?.fields.get('_source'), 'web')
    assert.equal(engine.published, 1)
  })

  test('refuses what is not an object', async () => {
    const { post } = serve()
    assert.equal((await post('/api/v1/es/web/_doc', '[1]')).status, 400)
  })

  test('a full buffer is 503 with Retry-After', async () => {
    const { engine, post } = serve()
    engine.room = 0
    const answer = await post('/api/v1/es/web/_doc', '{}')
    assert.equal(answer.status, 503)
    assert.equal(answer.headers['retry-after'], '2')
  })
})

describe('the handshake', () => {
  for (const path of ['/', '/api/v1/es/', '/api/v1/es']) {
    test(`GET ${path} introduces the service as version 8.0.0`, async () => {
      const { get } = serve()
      const answer = await get(path)
      const body = answer.json as unknown as { readonly version: object; readonly tagline: string }
      assert.equal(answer.headers['x-elastic-product'], 'Elasticsearch')
      assert.deepEqual({ ...body.version, ...{} }, { ...body.version, number: '8.0.0', build_flavor: 'default' })
      assert.ok(body.tagline)
    })
  }

  for (const { method, path, status } of STUBS) {
    const url = path.replace('*', 'http').replace(/:\w+/, 'some')
    test(`${method} ${url} answers ${status}, bare and prefixed`, async () => {
      const { request } = serve()
      for (const at of [url, `/api/v1/es${url}`]) {
        const answer = await request({ method, url: at })
        assert.equal(answer.status, status, at)
        assert.equal(answer.headers['x-elastic-product'], 'Elasticsearch', at)
        if (method === 'HEAD') assert.equal(answer.text, '')
        else assert.ok(JSON.parse(answer.text))
      }
    })
  }

  test('HEAD / is an empty 200', async () => {
    const { request } = serve()
    const answer = await request({ method: 'HEAD', url: '/' })
    assert.equal(answer.status, 200)
    assert.equal(answer.text, '')
  })

  test('templates with a body are acknowledged and forgotten', async () => {
    const { request } = serve()
    const answer = await request({ method: 'PUT', url: '/_index_template/logs', payload: '{"index_patterns":["*"]}' })
    assert.deepEqual(answer.json, { acknowledged: true })
  })
})

describe('what clients of the bulk protocol do and its tables do not say', () => {
  const BODY = lines({ index: { _index: 'web' } }, { n: 1 })

  for (const type of [
    'application/x-ndjson',
    'application/vnd.elasticsearch+x-ndjson; compatible-with=8',
    'application/vnd.elasticsearch+x-ndjson; compatible-with=9',
    'application/vnd.elasticsearch+x-ndjson;compatible-with=7',
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain; charset=utf-8',
  ]) {
    test(`a body called ${type} is read`, async () => {
      const { engine, post } = serve()
      const answer = await post('/_bulk', BODY, { 'content-type': type })
      assert.deepEqual([answer.status, answer.json.errors], [200, false])
      assert.match(String(answer.headers['content-type']), /^application\/json/)
      assert.equal(engine.events.length, 1)
    })
  }

  test('a body without a type is read', async () => {
    const { engine, request } = serve()
    assert.equal((await request({ method: 'POST', url: '/_bulk', payload: Buffer.from(BODY) })).status, 200)
    assert.equal(engine.events.length, 1)
  })

  test('blank lines after documents, between actions and at the end do no harm', async () => {
    const { engine, post } = serve()
    const body = '\n{"index":{}}\n{"n":1}\n\n\r\n{"create":{}}\r\n{"n":2}\r\n\n{"index":{}}\n\n{"n":3}\n\n\n'
    const answer = await post('/_bulk', body, NDJSON)
    assert.deepEqual(outcomes(answer.json.items), ['index 201', 'create 201', 'index 201'])
    assert.deepEqual(
      engine.events.map(event => event.fields.get('n')),
      [1, 2, 3],
    )
  })

  test('unknown metadata and extra keys in the action line do no harm', async () => {
    const { engine, post } = serve()
    const metadata = {
      _index: 'i',
      _type: '_doc',
      _id: 7,
      routing: 'r',
      pipeline: 'p',
      version: 3,
      new_option: { a: 1 },
    }
    const body = lines({ index: metadata }, { n: 1 }, { comment: 'x', create: { _index: 'j' }, retry: 2 }, { n: 2 })
    const answer = await post('/_bulk', body, NDJSON)
    assert.equal(answer.json.errors, false)
    assert.deepEqual(
      answer.json.items.map(item =>
        Object.entries(item)
          .map(([kind, { _index, _id }]) => [kind, _index, _id])[0]!
          .slice(0, 2),
      ),
      [
        ['index', 'i'],
        ['create', 'j'],
      ],
    )
    assert.equal(answer.json.items[0]?.index?._id, '7')
    assert.equal(engine.events.length, 2)
  })

  test('forty thousand documents are one request', async () => {
    const { engine, post } = serve()
    const body = Array.from({ length: 40_000 }, (_, n) => `{"create":{"_index":"i"}}\n{"n":${n}}\n`).join('')
    const answer = await post('/_bulk', body, NDJSON)
    assert.deepEqual([answer.json.items.length, answer.json.errors], [40_000, false])
    assert.equal(engine.events.length, 40_000)
    assert.equal(engine.events.at(-1)?.fields.get('n'), 39_999)
  })

  test('parameters of the protocol are taken, known or not', async () => {
    const { engine, post } = serve()
    const parameters = 'refresh=wait_for&pipeline=p&timeout=1m&wait_for_active_shards=1&filter_path=errors&whatever=1'
    assert.equal((await post(`/_bulk?${parameters}`, BODY, NDJSON)).status, 200)
    assert.equal(engine.published, 1)
  })

  for (const [method, url] of [
    ['GET', '/_cat/health?format=json&h=status'],
    ['GET', '/web/_refresh'],
    ['POST', '/web/_refresh'],
    ['HEAD', '/_index_template/logs'],
    ['GET', '/_cluster/health?wait_for_status=yellow&timeout=5s'],
    ['GET', '/_cluster/health/web?wait_for_status=yellow'],
  ] as const) {
    test(`${method} ${url} is answered, bare and prefixed`, async () => {
      const { request } = serve()
      for (const base of ['', '/api/v1/es']) {
        const answer = await request({ method, url: base + url })
        assert.equal(answer.status, 200)
        assert.equal(answer.headers['x-elastic-product'], 'Elasticsearch')
      }
    })
  }

  test('what is not served is still an answer its clients can read', async () => {
    const { get, request } = serve()
    for (const answer of [await get('/_sql'), await get('/web/_mapping'), await get('/api/v1/es/_tasks')]) {
      assert.equal(answer.status, 404)
      assert.equal(answer.headers['x-elastic-product'], 'Elasticsearch')
      assert.ok(answer.json.error.type)
    }
    const wrongMethod = await request({ method: 'GET', url: '/_bulk' })
    assert.deepEqual([wrongMethod.status, wrongMethod.headers['x-elastic-product']], [405, 'Elasticsearch'])
    assert.equal((await get('/api/v1/quer')).headers['x-elastic-product'], undefined)
  })

  for (const [method, path] of [
    ['POST', '/web/_doc'],
    ['PUT', '/web/_doc/a1'],
    ['POST', '/web/_doc/a1'],
    ['PUT', '/web/_create/a1'],
    ['POST', '/web/_create/a1'],
  ] as const) {
    test(`${method} ${path} stores one document, bare and prefixed`, async () => {
      for (const base of ['', '/api/v1/es']) {
        const { engine, request } = serve()
        const answer = await request({ method, url: base + path, payload: '{"message":"hi"}' })
        assert.equal(answer.status, 201)
        const { _id, _index } = answer.json as unknown as { readonly _id: string; readonly _index: string }
        assert.deepEqual([_index, path.endsWith('a1') ? _id : 'a1'], ['web', 'a1'])
        assert.equal(engine.events[0]?.fields.get('_source'), 'web')
      }
    })
  }
})
