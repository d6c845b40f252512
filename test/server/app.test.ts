import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { ROUTES } from '../../server/routes/index.ts'
import { serve } from './served.ts'

describe('the route table', () => {
  test('every route of the table is served, with its scope, and each just once', () => {
    const { app } = serve()
    const seen = new Set<string>()
    for (const { method, path, scope } of ROUTES) {
      assert.ok(app.hasRoute({ method, url: path }), `${method} ${path}`)
      assert.ok(['open', 'query', 'ingest', 'admin', 'root'].includes(scope))
      assert.ok(!seen.has(`${method} ${path}`), `${method} ${path} twice`)
      seen.add(`${method} ${path}`)
    }
  })

  test('nothing is served that the table does not name', async () => {
    const { app } = serve()
    const served = new Set<string>()
    app.addHook('onRoute', () => assert.fail('a route was added late'))
    await app.ready()
    for (const { method, path } of ROUTES) {
      served.add(`${method} ${path}`)
      // fastify answers HEAD wherever there is GET.
      if (method === 'GET') served.add(`HEAD ${path}`)
    }
    const printed = app.printRoutes({ commonPrefix: false, includeHooks: false })
    const count = [...printed.matchAll(/\(([A-Z, ]+)\)/g)].flatMap(match => match[1]!.split(', ')).length
    assert.equal(count, served.size)
  })

  test('a path that is nowhere is 404 in the envelope, with the nearest route', async () => {
    const { get } = serve()
    const answer = await get('/api/v1/qurey')
    assert.equal(answer.status, 404)
    assert.equal(answer.json.error.code, 'NOT_FOUND')
    assert.match(String(answer.json.error.suggestion), /\/api\/v1\/query/)
    assert.equal((await get('/favicon.ico')).status, 404)
  })

  test('a wrong method is 405 and Allow says which are right', async () => {
    const { request } = serve()
    const answer = await request({ method: 'DELETE', url: '/api/v1/query?q=x' })
    assert.equal(answer.status, 405)
    assert.equal(answer.json.error.code, 'METHOD_NOT_ALLOWED')
    assert.equal(answer.headers.allow, 'GET, POST')
    assert.equal((await request({ method: 'GET', url: '/logs/_bulk' })).status, 405)
  })

  test('a path that cannot be decoded is 400 in the envelope', async () => {
    const { get } = serve()
    const answer = await get('/api/v1/es/%zz')
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error.code, 'INVALID_REQUEST')
    assert.ok(answer.headers['x-request-id'])
  })
})

describe('every answer', () => {
  test('echoes the request id, or has one of ours when the client sent none that is fit', async () => {
    const { get } = serve()
    assert.equal((await get('/health', { 'X-Request-ID': 'abc-1' })).headers['x-request-id'], 'abc-1')
    const first = (await get('/health', { 'X-Request-ID': 'a b' })).headers['x-request-id']
    assert.match(String(first), /^req_[0-9a-f]{18}$/)
    assert.notEqual((await get('/nowhere')).headers['x-request-id'], first)
  })

  test('of an unknown failure names the request and nothing of the inside', async () => {
    const { engine, get } = serve()
    engine.languageCatalog = () => {
      throw new Error('secret at /home/quern')
    }
    const answer = await get('/api/v1/catalog', { 'X-Request-ID': 'abc-1' })
    assert.equal(answer.status, 500)
    assert.equal(answer.json.error.code, 'INTERNAL_ERROR')
    assert.match(answer.json.error.message, /abc-1/)
    assert.doesNotMatch(answer.text, /secret|at \//)
  })
})

describe('GET /health', () => {
  test('is healthy, or degraded when a part is set aside', async () => {
    const { engine, get } = serve()
    const { status, degraded, version } = (await get('/health')).json.data
    assert.deepEqual([status, degraded], ['healthy', false])
    assert.match(version, /^\d+\.\d+\.\d+/)
    const healthy = engine.status()
    engine.status = () => ({ ...healthy, lastFlushError: 'disk full' })
    const answer = await get('/health')
    assert.equal(answer.status, 200)
    assert.deepEqual([answer.json.data.status, answer.json.data.degraded], ['degraded', true])
  })
})

describe('GET /catalog', () => {
  test('has an ETag, and who holds it gets 304', async () => {
    const { get } = serve()
    const answer = await get('/api/v1/catalog')
    assert.deepEqual(answer.json.data, { stages: ['where'] })
    const tag = String(answer.headers.etag)
    const again = await get('/api/v1/catalog', { 'If-None-Match': `"x", W/${tag}` })
    assert.equal(again.status, 304)
    assert.equal(again.text, '')
    assert.equal((await get('/api/v1/catalog', { 'If-None-Match': '"x"' })).status, 200)
  })
})

describe('request bodies', () => {
  const body = Buffer.from('{"n":1}\n{"n":2}\n')
  const encoded = [
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', body],
    ['deflate, gzip', gzipSync(deflateSync(body))],
  ] as const
  for (const [encoding, payload] of encoded) {
    test(`may be encoded as ${encoding} (${payload.length} bytes)`, async () => {
      const { post } = serve()
      const answer = await post('/api/v1/ingest', payload, { 'content-encoding': encoding })
      assert.equal(answer.json.data.accepted, 2)
    })
  }

  test('of an unknown encoding are 415 and the answer names the known ones', async () => {
    const { post } = serve()
    for (const encoding of ['compress', 'gzip, gzip, gzip']) {
      const answer = await post('/api/v1/ingest', body, { 'content-encoding': encoding })
      assert.equal(answer.status, 415)
      assert.equal(answer.json.error.code, 'UNSUPPORTED_MEDIA_TYPE')
      assert.match(String(answer.json.error.suggestion), /gzip, deflate, br/)
    }
  })

  test('that are not what their encoding says are 400', async () => {
    const { post } = serve()
    const answer = await post('/api/v1/ingest', body, { 'content-encoding': 'gzip' })
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error.code, 'INVALID_REQUEST')
  })

  test('over the limit are 413, encoded or decoded, and nothing is stored', async () => {
    const { engine, post } = serve({ 'ingest.max_body_size': '1kb' })
    const large = Buffer.from('{"n":1}\n'.repeat(1000))
    for (const [payload, headers] of [
      [large, {}],
      [gzipSync(large), { 'content-encoding': 'gzip' }],
      [brotliCompressSync(large), { 'content-encoding': 'br' }],
    ] as const) {
      const answer = await post('/api/v1/ingest', payload, headers)
      assert.equal(answer.status, 413)
      assert.equal(answer.json.error.code, 'PAYLOAD_TOO_LARGE')
    }
    assert.equal(engine.events.length, 0)
  })
})
