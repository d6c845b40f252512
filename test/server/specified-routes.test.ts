import assert from 'node:assert/strict'
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
