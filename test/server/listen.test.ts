import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../server/config.ts'
import { listen } from '../../server/listen.ts'
import { FakeEngine } from './fake-engine.ts'

async function start(flags: Readonly<Record<string, string>> = {}) {
  const engine = new FakeEngine()
  const config = loadConfig({ flags: { 'log.level': 'silent', port: '0', ...flags }, environment: {} })
  return { engine, ...(await listen(engine, config)) }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2)
}

/** Everything the server sends until it hangs up. */
async function received(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

describe('a server on a port', () => {
  test('serves, stops on request, and closes the engine last', async () => {
    const { engine, url, closed, stop } = await start()
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const answer = await fetch(`${url}/api/v1/ingest`, { method: 'POST', body: '[{"n":1}]' })
    assert.deepEqual(await answer.json(), { data: { accepted: 1, failed: 0 } })
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200)
    stop()
    await closed
    assert.equal(engine.closes, 1)
    await assert.rejects(fetch(url))
  })

  test('a port that is taken is told in a sentence, and the engine is left to its owner', async () => {
    const { url, closed, stop } = await start()
    const { port } = new URL(url)
    const engine = new FakeEngine()
    const config = loadConfig({ flags: { 'log.level': 'silent', port }, environment: {} })
    const message = `cannot listen on 127.0.0.1:${port}: another program does already; --port takes another`
    await assert.rejects(listen(engine, config), { name: 'ConfigError', message })
    assert.equal(engine.closes, 0)
    stop()
    await closed
  })

  test('SIGTERM is a request to stop', async () => {
    const { engine, closed } = await start()
    process.emit('SIGTERM')
    await closed
    assert.equal(engine.closes, 1)
    assert.equal(process.listenerCount('SIGTERM'), 0)
  })

  test('what is no request is answered in the envelope too', async () => {
    const { url, closed, stop } = await start()
    const { hostname, port } = new URL(url)
    for (const [sent, status] of [
      ['HELLO\r\n\r\n', '400 Bad Request'],
      [`GET /?q=${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431 Request Header Fields Too Large'],
    ] as const) {
      const socket = connect(Number(port), hostname)
      socket.write(sent)
      const text = await received(socket)
      assert.ok(text.startsWith(`HTTP/1.1 ${status}`))
      assert.equal(JSON.parse(text.slice(text.indexOf('{'))).error.code, 'INVALID_REQUEST')
    }
    stop()
    await closed
  })

  test('while it stops, running requests end and new ones get 503 SHUTTING_DOWN', async () => {
    const { engine, url, closed, stop } = await start({ 'query.max_query_runtime': '150ms' })
    engine.canned = { isEndless: true }
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /api/v1/query?q=x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => engine.queries.length === 1)
    stop()
    await sleep(20)
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    const text = await received(socket)
    assert.match(text, /504 Gateway.*503 Service.*"SHUTTING_DOWN"/s)
    assert.match(text, /retry-after: 5/i)
    await closed
  })

  test('connections that ask for nothing do not hold it up', async () => {
    const { url, closed, stop } = await start()
    const { hostname, port } = new URL(url)
    const silent = connect(Number(port), hostname)
    const kept = connect(Number(port), hostname)
    kept.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await new Promise(resolve => kept.once('data', resolve))
    const ends = Promise.all([received(silent), received(kept)])
    stop()
    await closed
    await ends
  })

  test('what does not end within the grace period is cut off', async () => {
    const { engine, url, closed, stop } = await start({ shutdown_grace: '30ms' })
    engine.canned = { isEndless: true }
    const answer = fetch(`${url}/api/v1/query?q=x`)
    answer.catch(() => {})
    await until(() => engine.queries.length === 1)
    stop()
    await closed
    await assert.rejects(answer)
    assert.equal(engine.closes, 1)
  })

  test('a client that goes away ends its query', async () => {
    const { engine, url, closed, stop } = await start()
    engine.canned = { isEndless: true }
    for (const path of ['query', 'query/stream']) {
      const leave = new AbortController()
      const answer = fetch(`${url}/api/v1/${path}`, { method: 'POST', body: '{"q":"x"}', signal: leave.signal })
      answer.catch(() => {})
      const before = engine.queries.length
      await until(() => engine.queries.length > before)
      const { signal } = engine.queries.at(-1)!.options!
      assert.equal(signal?.aborted, false)
      leave.abort()
      await until(() => signal?.aborted === true)
    }
    stop()
    await closed
  })

  test('a stream is pulled no faster than its client reads', async () => {
    const { engine, url, closed, stop } = await start()
    let pulled = 0
    const row = { text: 'x'.repeat(60_000) }
    engine.canned = {
      rows: {
        *[Symbol.iterator]() {
          for (; pulled < 1500; pulled++) yield row
        },
      },
    }
    const answer = await fetch(`${url}/api/v1/query/stream`, { method: 'POST', body: '{"q":"x"}' })
    await sleep(100)
    assert.ok(pulled < 1000, `${pulled} rows were read ahead of a client that reads nothing`)
    const text = await answer.text()
    assert.ok(text.endsWith('}}\n'))
    assert.equal(JSON.parse(text.slice(text.lastIndexOf('{"__meta"'))).__meta.total, 1500)
    stop()
    await closed
  })

  test('a stream its client leaves ends its query and gives its slot back', async () => {
    const { engine, url, closed, stop } = await start({ 'query.max_concurrent': '1', 'query.max_queued': '0' })
    const row = { text: 'x'.repeat(60_000) }
    engine.canned = { rows: Array.from({ length: 1500 }, () => row) }
    const answer = await fetch(`${url}/api/v1/query/stream`, { method: 'POST', body: '{"q":"x"}' })
    await answer.body?.cancel()
    await until(() => engine.cancels === 1)
    engine.canned = {}
    assert.equal((await fetch(`${url}/api/v1/query?q=x`)).status, 200)
    stop()
    await closed
  })
})
