/** What holds for every way in: how much may be in memory, what is not stored twice, and what becomes fields. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { open } from '../../engine.ts'
import { BodyBudget } from '../../server/body-budget.ts'
import { loadConfig } from '../../server/config.ts'
import { runningServer } from './running.ts'
import { serve } from './served.ts'

const turn = () => new Promise(setImmediate)

describe('the budget for bodies', () => {
  test('lets in what fits, and the next ones in their order as room is given back', async () => {
    const budget = new BodyBudget(() => 100)
    const [first, second, third] = [budget.open(), budget.open(), budget.open()]
    await first.hold(60)
    const order: string[] = []
    const waiting = [second.hold(70).then(() => order.push('second')), third.hold(10).then(() => order.push('third'))]
    await turn()
    assert.deepEqual([order, budget.held], [[], 60])
    first.close()
    first.close()
    await Promise.all(waiting)
    assert.deepEqual([order, budget.held], [['second', 'third'], 80])
    await second.hold(20)
    assert.equal(budget.held, 30)
    second.close()
    third.close()
    assert.equal(budget.held, 0)
  })

  test('what is larger than all of it comes in alone', async () => {
    const budget = new BodyBudget(() => 100)
    const share = budget.open()
    await share.hold(500)
    assert.equal(budget.held, 500)
    share.close()
  })

  test('a request that is over while it waits holds nothing', async () => {
    const budget = new BodyBudget(() => 100)
    const [first, second] = [budget.open(), budget.open()]
    await first.hold(100)
    const held = second.hold(50)
    second.close()
    first.close()
    await held
    assert.equal(budget.held, 0)
  })

  test('what waits for too long is told to come again, and whoever stood behind it comes in', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const budget = new BodyBudget(() => 100)
    const [first, second, third] = [budget.open(), budget.open(), budget.open()]
    await first.hold(60)
    const refused = assert.rejects(second.hold(70), { code: 'BACKPRESSURE', retryAfterSeconds: 1 })
    t.mock.timers.tick(5000)
    const behind = third.hold(30)
    t.mock.timers.tick(5000)
    await refused
    await behind
    assert.equal(budget.held, 90)
  })

  test('is given back when requests are answered, refused, and when their client goes away', async () => {
    const { app } = serve({ 'ingest.inflight_bytes_max': '1kb', 'ingest.max_body_size': '1mb' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const options = { port, host: '127.0.0.1', method: 'POST', path: '/api/v1/ingest/raw' }
    const status = async (body: string, headers: Record<string, string | number> = {}) => {
      const sent = request({ ...options, headers })
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }]
      response.resume()
      return response.statusCode
    }
    // Announces more than it sends, and leaves.
    const gone = request({ ...options, headers: { 'content-length': 900 } })
    gone.on('error', () => {})
    gone.write('x')
    await new Promise(resolve => app.server.once('request', resolve))
    gone.destroy()
    for (let n = 0; n < 5; n++) {
      assert.equal(await status('x'.repeat(900)), 200)
      assert.equal(await status('x', { 'content-encoding': 'gzip' }), 400)
    }
    await app.close()
  })
})

test('deduplication is off unless asked for; then what is sent again is accepted and not stored, whatever brought it', async () => {
  const timed = '{"time":"2026-06-01T10:00:00Z","n":1}'
  for (const [enabled, stored] of [
    ['false', 6],
    ['true', 4],
  ] as const) {
    const config = loadConfig({ environment: {}, flags: { 'ingest.dedup_enabled': enabled } })
    const engine = await open(null, { ...config.engineOptions(), threads: 0 })
    const server = await runningServer(engine)
    for (let n = 0; n < 2; n++) {
      assert.equal((await server.post('/api/v1/ingest', timed)).json.data.accepted, 1)
      // Without a time of its own, nothing says that it is the same.
      assert.equal((await server.post('/api/v1/ingest', '{"n":2}')).json.data.accepted, 1)
      const bulk = `{"create":{}}\n{"@timestamp":"2026-06-01T10:00:00Z","n":3}\n`
      assert.equal((await server.post('/_bulk', bulk)).json.errors, false)
    }
    assert.equal(engine.status().eventCount, stored)
    const metrics = await server.get('/metrics')
    assert.match(metrics.text, new RegExp(`^quern_events_duplicate_total ${6 - stored}$`, 'm'))
    await server.stop()
    await engine.close()
  }
})

describe('ingest.mode lightweight', () => {
  const light = () => serve({ 'ingest.mode': 'lightweight' })
  const DOCUMENT = '{"timestamp":"2026-06-01T10:00:00Z","level":"warn","host":"h","a":{"b":1},"c":9007199254740993}'
  const KEPT = { timestamp: '2026-06-01T10:00:00Z', level: 'warn', host: 'h' }

  for (const [path, body] of [
    ['/api/v1/ingest', DOCUMENT],
    ['/api/v1/ingest', `[{"event":${DOCUMENT}}]`],
    ['/api/v1/ingest', JSON.stringify([{ event: DOCUMENT }])],
    ['/api/v1/ingest/raw', DOCUMENT],
    ['/_bulk', `{"index":{}}\n${DOCUMENT}\n`],
    ['/services/collector', `{"event":${DOCUMENT}}`],
    ['/loki/api/v1/push', JSON.stringify({ streams: [{ stream: {}, values: [['1780308000000000000', DOCUMENT]] }] })],
  ] as const) {
    test(`${path}: of a document only labels and the time become fields, and _raw is all of it`, async () => {
      const { engine, post } = light()
      await post(path, body)
      const [stored] = engine.events
      assert.equal(stored?.raw, DOCUMENT)
      assert.deepEqual(Object.fromEntries(stored!.fields), KEPT)
      assert.equal(stored?.time.micros, Date.UTC(2026, 5, 1, 10) * 1000)
    })
  }

  test('what stands in no text is kept as ever', async () => {
    const { engine, post } = light()
    await post('/api/v1/ingest', [{ event: 'text', fields: { a: 1 } }])
    assert.equal(engine.events[0]?.fields.get('a'), 1)
  })
})
