import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import WebSocket from 'ws'
import { open } from '../../engine.ts'
import { serveContext } from '../../server/app.ts'
import { KeyRing, type KeyScope } from '../../server/auth/keys.ts'
import { loadConfig } from '../../server/config.ts'
import { createContext } from '../../server/context.ts'
import { ROUTES } from '../../server/routes/index.ts'
import type { Scope } from '../../server/routes/route.ts'
import { createMemoryDocuments } from '../../storage/catalog/documents.ts'
import { FakeEngine } from './fake-engine.ts'

const NO_ENVIRONMENT = { environment: {} }

async function guarded(flags: Record<string, string> = {}) {
  const engine = new FakeEngine()
  const config = loadConfig({ flags: { 'auth.enabled': 'true', 'log.level': 'debug', ...flags }, ...NO_ENVIRONMENT })
  const context = createContext(engine, config)
  const ring = context.authority!.keys
  const root = (await ring.bootstrap())!
  const log: string[] = []
  const app = serveContext(context, { log: { write: line => void log.push(line) } })
  const tokens = Object.fromEntries(
    await Promise.all(
      (['query', 'ingest', 'admin'] as const).map(async scope => [
        scope,
        (await ring.create(scope, [scope], null)).token,
      ]),
    ),
  ) as Record<KeyScope, string>
  return { engine, ring, root, app, log, tokens: { ...tokens, root: root.token } }
}

/** Which key opens what. */
const ALLOWED: Readonly<Record<'query' | 'ingest' | 'admin' | 'root', readonly Scope[]>> = {
  query: ['open', 'query'],
  ingest: ['open', 'ingest'],
  admin: ['open', 'query', 'ingest', 'admin'],
  root: ['open', 'query', 'ingest', 'admin', 'root'],
}

const urlOf = (path: string): string => path.replace(/:\w+/g, 'x').replace('*', 'x')
const EVENT = '{"index":{"_index":"a"}}\n{"event":"a secret","message":"a secret"}\n'

describe('every route, by the scope it names', () => {
  test('without a key, with a wrong one, and with every key of too little scope nothing leaks and nothing is stored', async () => {
    const { engine, app, tokens } = await guarded()
    engine.canned = { rows: [{ _raw: 'a secret' }], collected: { columns: ['_raw'], rows: [['a secret']], total: 1 } }
    let refused = 0
    for (const { method, path, scope, dialect } of ROUTES) {
      if (scope === 'open') continue
      // At its own paths the event collector says it as its senders expect.
      const invalid = dialect === 'splunk' && !path.startsWith('/api/') ? 403 : 401
      const attempts: [string, Record<string, string>, number][] = [
        ['no key', {}, 401],
        ['a wrong key', { authorization: 'Bearer qk_nonsense' }, invalid],
        ['no scheme', { authorization: 'nonsense' }, 401],
        ['a broken Basic', { authorization: 'Basic !!!' }, invalid],
      ]
      for (const [held, token] of Object.entries(tokens)) {
        const isAllowed = ALLOWED[held as keyof typeof ALLOWED].includes(scope)
        if (!isAllowed) attempts.push([`a key for ${held}`, { authorization: `Bearer ${token}` }, 403])
      }
      for (const [what, headers, status] of attempts) {
        const answer = await app.inject({
          method,
          url: `${urlOf(path)}?q=a`,
          headers: { 'content-type': 'application/json', ...headers },
          ...(method !== 'GET' && method !== 'HEAD' && { payload: EVENT }),
        })
        assert.equal(answer.statusCode, status, `${method} ${path} with ${what}: ${answer.payload}`)
        assert.doesNotMatch(answer.payload, /a secret/)
        assert.ok(answer.headers['x-request-id'])
        refused++
      }
    }
    assert.ok(refused > 300, `${refused} refusals`)
    assert.deepEqual(engine.events, [])
    assert.deepEqual(engine.queries, [])
  })

  test('the right scope is let through', async () => {
    const { app, tokens } = await guarded()
    for (const { method, path, scope } of ROUTES) {
      // A live tail does not end by itself.
      if (path.endsWith('/tail') || path.endsWith('/rotate-root')) continue
      for (const [held, token] of Object.entries(tokens)) {
        if (!ALLOWED[held as keyof typeof ALLOWED].includes(scope)) continue
        const answer = await app.inject({ method, url: urlOf(path), headers: { authorization: `Bearer ${token}` } })
        assert.ok(![401, 403].includes(answer.statusCode), `${method} ${path} with ${held}: ${answer.payload}`)
      }
    }
  })

  test('health and metrics need no key', async () => {
    const open = ROUTES.filter(route => route.scope === 'open').map(route => `${route.method} ${route.path}`)
    assert.deepEqual(open.sort(), [
      'GET /docs',
      'GET /health',
      'GET /metrics',
      'GET /openapi.json',
      'GET /services/collector/health',
      'GET /services/collector/health/1.0',
    ])
  })
})

describe('credentials', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  test('bearer, ApiKey, Basic, a vendor scheme and _token are all taken', async () => {
    const { app, root } = await guarded()
    const { token, record } = root
    for (const authorization of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `ApiKey ${base64(`${record.id}:${token}`)}`,
      `Basic ${base64(`anyone:${token}`)}`,
      `Splunk ${token}`,
    ]) {
      const answer = await app.inject({ url: '/api/v1/catalog', headers: { authorization } })
      assert.equal(answer.statusCode, 200, authorization)
    }
    assert.equal((await app.inject({ url: `/api/v1/catalog?_token=${token}` })).statusCode, 200)
    assert.equal((await app.inject({ url: `/api/v1/catalog?a=b&%5Ftoken=${token}` })).statusCode, 200)
  })

  test('the id of an ApiKey must be the id of its secret', async () => {
    const { app, root } = await guarded()
    const authorization = `ApiKey ${base64(`ak_other:${root.token}`)}`
    const answer = await app.inject({ url: '/api/v1/catalog', headers: { authorization } })
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.json().error.code, 'INVALID_TOKEN')
  })

  test('an expired key is no key', async () => {
    let now = 1_800_000_000_000
    const ring = new KeyRing(createMemoryDocuments(), () => now)
    const { token } = await ring.create('short', ['query'], 1000)
    assert.ok(ring.find(token))
    now += 1001
    assert.equal(ring.find(token), null)
  })

  test('no secret is in any log line or error, and _token never reaches a handler', async () => {
    const { app, log, root, tokens } = await guarded()
    await app.inject({ url: `/api/v1/query?q=level%3D%3D&_token=${root.token}` })
    await app.inject({ url: `/api/v1/query?_token=${tokens.ingest}&q=x` })
    await app.inject({ url: `/nowhere?_token=${root.token}` })
    await app.inject({ url: '/api/v1/query?q=x', headers: { authorization: 'Bearer qk_very_secret' } })
    const strict = await app.inject({ url: `/api/v1/query?q=x&_token=${root.token}` })
    assert.equal(strict.statusCode, 200, strict.payload)
    const all = log.join('')
    assert.ok(log.length >= 5)
    for (const secret of [root.token, tokens.ingest, 'qk_very_secret']) assert.ok(!all.includes(secret))
    const line = JSON.parse(log.at(-1)!)
    assert.equal(line.route, '/api/v1/query')
    assert.equal(line.status, 200)
    assert.equal(line.key, root.record.id)
    assert.ok(line.reqId)
  })
})

test('a WebSocket is refused without a key of its scope, and _token opens it', async () => {
  const { app, tokens } = await guarded()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const status = (more: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise(resolve => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/tail?q=x${more}`, { headers })
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
      socket.on('error', () => {})
    })
  assert.equal(await status(''), 401)
  assert.equal(await status('&_token=wrong'), 401)
  assert.equal(await status(`&_token=${tokens.ingest}`), 403)
  // The fake engine has no live queries: past the door something goes wrong, and is told without details.
  assert.equal(await status(`&_token=${tokens.query}`), 500)
  assert.equal(await status('', { authorization: `Bearer ${tokens.admin}` }), 500)
  await app.close()
})

describe('key management', () => {
  test('a key is made, listed without its secret, used and ended', async () => {
    const { app, root, engine } = await guarded()
    const headers = { authorization: `Bearer ${root.token}` }
    const made = await app.inject({
      method: 'POST',
      url: '/api/v1/auth/keys',
      headers,
      payload: { name: 'shipper', scopes: ['ingest'], expires_in: '90d' },
    })
    assert.equal(made.statusCode, 201)
    const { id, token } = made.json().data
    assert.match(token, /^qk_[A-Za-z0-9]{32}$/)
    assert.match(id, /^ak_[A-Za-z0-9]{12}$/)
    const listed = await app.inject({ url: '/api/v1/auth/keys', headers })
    assert.ok(!listed.payload.includes(token) && !listed.payload.includes('hash') && !listed.payload.includes('salt'))
    assert.ok(listed.json().data.keys.some((key: { id: string }) => key.id === id))
    assert.ok(!JSON.stringify(engine.documents.list('keys')).includes(token))
    const use = () =>
      app.inject({
        method: 'POST',
        url: '/api/v1/ingest/raw',
        payload: 'x',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
      })
    assert.equal((await use()).statusCode, 200)
    assert.equal((await app.inject({ method: 'DELETE', url: `/api/v1/auth/keys/${id}`, headers })).statusCode, 204)
    assert.equal((await use()).statusCode, 401)
    assert.equal((await app.inject({ method: 'DELETE', url: `/api/v1/auth/keys/${id}`, headers })).statusCode, 404)
  })

  test('the last root key stays, and rotating it ends the old one', async () => {
    const { app, root } = await guarded()
    const headers = { authorization: `Bearer ${root.token}` }
    const last = await app.inject({ method: 'DELETE', url: `/api/v1/auth/keys/${root.record.id}`, headers })
    assert.equal(last.statusCode, 409)
    assert.equal(last.json().error.code, 'LAST_ROOT_KEY')
    const rotated = await app.inject({ method: 'POST', url: '/api/v1/auth/rotate-root', headers })
    assert.match(rotated.json().data.token, /^qk_root_[A-Za-z0-9]{32}$/)
    assert.equal((await app.inject({ url: '/api/v1/auth/keys', headers })).statusCode, 401)
  })

  test('without authentication there is nothing to manage, and without a directory there is no authentication', async () => {
    const app = serveContext(createContext(new FakeEngine(), loadConfig({ ...NO_ENVIRONMENT })))
    assert.equal((await app.inject({ url: '/api/v1/auth/keys' })).statusCode, 404)
    const engine = await open(null)
    assert.throws(
      () => createContext(engine, loadConfig({ flags: { 'auth.enabled': 'true' }, ...NO_ENVIRONMENT })),
      /needs a data directory/,
    )
    await engine.close()
  })

  test('keys outlive the process, and no secret is on the disk', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quern-keys-'))
    const first = await open(directory)
    const { token } = (await new KeyRing(first.documents, Date.now).bootstrap())!
    await first.close()
    const second = await open(directory)
    const ring = new KeyRing(second.documents, Date.now)
    assert.equal(ring.find(token)?.root, true)
    assert.equal(await ring.bootstrap(), null)
    await second.close()
    assert.ok(!readFileSync(join(directory, 'documents', 'data.mdb')).includes(token))
    rmSync(directory, { recursive: true })
  })
})

test('a client that asks too often is told when to come back', async () => {
  const { app, tokens } = await guarded({ 'http.rate_limit': '2' })
  const ask = () => app.inject({ url: '/api/v1/catalog', headers: { authorization: `Bearer ${tokens.query}` } })
  assert.equal((await ask()).statusCode, 200)
  assert.equal((await ask()).statusCode, 200)
  const third = await ask()
  assert.equal(third.statusCode, 429)
  assert.equal(third.json().error.code, 'RATE_LIMITED')
  assert.equal(third.headers['retry-after'], '1')
})
