import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/config.ts'
import { METRICS } from '../../server/metrics.ts'
import { ROUTES } from '../../server/routes/index.ts'
import { FakeEngine } from './fake-engine.ts'
import { LATER, SPECIFIED } from './specified-routes.ts'

const app = createApp(new FakeEngine(), loadConfig({ environment: {}, flags: { 'log.level': 'silent' } }))

for (const [table, routes] of Object.entries(SPECIFIED)) {
  const now = routes.filter(({ method, path }) => !LATER.has(`${method} ${path}`))
  test(`every route of the table "${table}" is served`, { skip: now.length === 0 }, () => {
    const missing = now.filter(({ method, path }) => {
      const wanted = path.replace(/\/$/, '').replace(/\{\w+\}/g, ':')
      return !ROUTES.some(
        route =>
          // fastify answers HEAD wherever there is GET.
          (route.method === method || (method === 'HEAD' && route.method === 'GET')) &&
          route.path.replace(/\/$/, '').replace(/:\w+|\*/g, ':') === wanted,
      )
    })
    assert.deepEqual(missing, [])
  })
}

/** Where the interface specification lies, if it does; it is no part of the project. */
const SPECIFICATION = process.env.QUERN_SPECIFICATION ?? '/work/shared/spec/rest-interface.md'

test('the listing has every route of every table of the specification itself', {
  skip: !existsSync(SPECIFICATION) && `${SPECIFICATION} is not here`,
}, () => {
  const listed = new Set(
    Object.values(SPECIFIED).flatMap(routes =>
      routes.map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`),
    ),
  )
  const missing: string[] = []
  let count = 0
  // | POST | /path | …: as they stand under a heading; those of the root have their prefix or none.
  for (const [, methods, path] of readFileSync(SPECIFICATION, 'utf8').matchAll(
    /^\| ([A-Z, ]+) \| (\/[^ |]*)[^|]*\|/gm,
  )) {
    const paths = path === '/auth/...' ? ['/auth/keys'] : [path!]
    for (const method of methods!.split(', ')) {
      for (const each of paths) {
        if (each === '/auth/keys' && method === 'DELETE') continue
        count++
        const bare = `${method} ${each.replace(/\/$/, '')}`
        if (!listed.has(bare) && !listed.has(bare.replace(' ', ' /api/v1'))) missing.push(bare)
      }
    }
  }
  assert.ok(count >= 69, `${count} routes found in the text`)
  assert.deepEqual(missing, [])
})

test('a route of the interface that is still to come says so', async () => {
  for (const { method, path } of SPECIFIED['Materialized views']!) {
    const answer = await app.inject({
      method,
      url: path.replace('{name}', 'mv_x'),
      ...(method !== 'GET' && { payload: '{}' }),
    })
    assert.equal(answer.statusCode, 404)
    assert.deepEqual(answer.json(), { error: { code: 'NOT_FOUND', message: 'this server has no materialized views' } })
  }
})

test('the OpenAPI document has every route of the table, each with its scope and a name of its own', async () => {
  const { statusCode, payload } = await app.inject('/openapi.json')
  assert.equal(statusCode, 200)
  const { openapi, paths } = JSON.parse(payload) as {
    openapi: string
    paths: Record<string, Record<string, { operationId: string; summary: string; 'x-scope': string }>>
  }
  assert.equal(openapi, '3.1.0')
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  assert.equal(operations.length, ROUTES.length)
  assert.equal(new Set(operations.map(each => each.operationId)).size, ROUTES.length)
  for (const { method, path, scope } of ROUTES) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')]?.[method.toLowerCase()]
    assert.equal(operation?.['x-scope'], scope)
    assert.ok(operation.summary.length > 5)
  }
})

test('the page for people names every route and needs nothing from elsewhere', async () => {
  const { payload, headers } = await app.inject('/docs')
  assert.match(String(headers['content-type']), /^text\/html/)
  for (const { path } of ROUTES) assert.ok(payload.includes(path.replace('&', '&amp;')), path)
  assert.doesNotMatch(payload, /https?:\/\//)
})

test('every metric is exposed for Prometheus and as JSON, with its help', async () => {
  await app.inject('/health')
  const text = (await app.inject('/metrics')).payload
  const { data } = (await app.inject('/api/v1/metrics')).json()
  for (const [name, { type, help }] of Object.entries(METRICS)) {
    assert.ok(text.includes(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`), name)
    assert.equal(data[name].type, type)
  }
  assert.match(text, /quern_http_requests_total\{method="GET",route="\/health",status="200"\} 1/)
  for (const name of ['shard_active', 'nodes_alive', 'meta_loss_duplicate_parts', 'rebalance_duration_ns'])
    assert.match(text, new RegExp(`^${name} \\d`, 'm'))
})
