import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import { open } from '../../engine.ts'
import { rowsToArrow } from '../../runtime/interchange/arrow.ts'
import { ResultCache } from '../../server/query/result-cache.ts'
import { DateTime, Duration } from '../../storage/value.ts'
import { eventsOf, runningServer } from './running.ts'

test('an Arrow stream holds every value exactly', async () => {
  const time = new DateTime(1_750_000_000_123_456, 789)
  const rows = [
    [1, 1.5, 'é', true, time, new Duration(1500), 1, 9007199254740993n, null, [1, 2]],
    [-2, 2, null, false, null, null, 'x', 5, null, { a: 1 }],
    [undefined, null, '', null, new DateTime(0), new Duration(0), true, null, null, undefined],
  ]
  const names = ['i', 'f', 's', 'b', 't', 'd', 'mixed', 'big', 'none', 'nested']
  const table = tableFromIPC(await rowsToArrow(names, rows))
  const column = (name: string): unknown[] => [...table.getChild(name)!.toArray()]
  assert.deepEqual(
    table.schema.fields.map(field => String(field.type)),
    [
      'Int64',
      'Float64',
      'Utf8',
      'Bool',
      'Timestamp<NANOSECOND, UTC>',
      'Duration<NANOSECOND>',
      'Utf8',
      'Int64',
      'Null',
      'Utf8',
    ],
  )
  assert.equal(table.getChild('i')!.get(2), null)
  assert.deepEqual(column('i').slice(0, 2), [1n, -2n])
  assert.equal(table.getChild('t')!.data[0]!.values[0], 1_750_000_000_123_456_789n)
  assert.equal(table.getChild('t')!.get(1), null)
  assert.equal(table.getChild('big')!.get(0), 9007199254740993n)
  assert.deepEqual(
    [0, 1, 2].map(row => table.getChild('mixed')!.get(row)),
    ['1', 'x', 'true'],
  )
  assert.equal(table.getChild('nested')!.get(1), '{"a":1}')
})

test('GET /query?format=arrow is an Arrow stream', async () => {
  const engine = await open(null, { threads: 0 })
  engine.ingest(eventsOf(3, n => ({ n })))
  const server = await runningServer(engine)
  const response = await fetch(`${server.url}/api/v1/query?q=keep%20n&format=arrow`)
  assert.equal(response.headers.get('content-type'), 'application/vnd.apache.arrow.stream')
  const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()))
  assert.deepEqual([...table.getChild('n')!.toArray()], [0n, 1n, 2n])
  await server.stop()
  await engine.close()
})

test('a table has every column that was asked for, though no event has it', async () => {
  const engine = await open(null, { threads: 0 })
  engine.ingest(eventsOf(2, n => ({ n })))
  const server = await runningServer(engine)
  const textOf = async (q: string): Promise<string> =>
    (await fetch(`${server.url}/api/v1/query?format=csv&q=${encodeURIComponent(q)}`)).text()
  assert.equal(await textOf('keep nothing, n'), 'nothing,n\r\n,0\r\n,1\r\n')
  assert.equal(await textOf('keep nothing'), 'nothing\r\n\r\n\r\n')
  assert.equal(await textOf('where n > 5 | keep n, nothing'), 'n,nothing\r\n')
  await server.stop()
  await engine.close()
})

test('the cache answers the same question over the same events, and new events elsewhere leave it be', async () => {
  const engine = await open(null, { threads: 0 })
  const day = Date.UTC(2026, 5, 15)
  engine.ingest(eventsOf(10, n => ({ n }), day))
  engine.ingest(eventsOf(10, n => ({ n }), day, 'other'))
  const server = await runningServer(engine)
  const q = 'stats count()'
  const ask = async (more: object = {}) => {
    const { data, meta } = (await server.post('/api/v1/query', { q, ...more })).json
    return [(data as unknown as { rows: number[][] }).rows[0]![0], meta.cached === true]
  }
  const early = { from: '2026-06-15T00:00:00Z', to: '2026-06-15T00:00:01Z' }
  assert.deepEqual(await ask(), [10, false])
  assert.deepEqual(await ask(), [10, true])
  assert.deepEqual(await ask(early), [10, false])
  assert.deepEqual(await ask(early), [10, true])
  // Another index: nothing that was asked is touched.
  engine.ingest(eventsOf(5, n => ({ n }), day, 'other'))
  assert.deepEqual(await ask(), [10, true])
  // Another day: the range is untouched, the whole is not.
  engine.ingest(eventsOf(5, n => ({ n }), day + 86_400_000))
  assert.deepEqual(await ask(early), [10, true])
  assert.deepEqual(await ask(), [15, false])
  engine.ingest(eventsOf(1, n => ({ n }), day))
  assert.deepEqual(await ask(early), [11, false])
  // The clock, variables and pages are part of the question.
  assert.deepEqual(await ask({ from: '-100000d' }), [16, false])
  assert.deepEqual(await ask({ from: '-100000d' }), [16, false])
  assert.deepEqual(await ask({ q: 'where _time < now() | stats count()' }), [16, false])
  assert.deepEqual(await ask({ q: 'where _time < now() | stats count()' }), [16, false])
  assert.deepEqual(await ask({ q: 'where n < $n | stats count()', variables: { n: 2 } }), [5, false])
  assert.deepEqual(await ask({ q: 'where n < $n | stats count()', variables: { n: 3 } }), [7, false])
  const stats = (await server.get('/api/v1/cache/stats')).json.data as unknown as Record<string, number>
  assert.equal(stats.hits, 4)
  assert.ok(stats.entries! > 0 && stats.size_bytes! > 0)
  assert.deepEqual((await server.request('DELETE', '/api/v1/cache')).json.data, { cleared: stats.entries })
  assert.deepEqual(await ask(early), [11, false])
  await server.stop()
  await engine.close()
})

test('the cache keeps to its size and its time', () => {
  let now = 0
  const cache = new ResultCache(
    () => ({ bytes: 10_000, ttlMs: 100 }),
    () => now,
  )
  for (let n = 0; n < 10; n++) cache.set(`k${n}`, { text: ['x'.repeat(300), 'x'.repeat(400)], meta: null })
  assert.equal(cache.get('k0'), null)
  assert.ok(cache.get('k9'))
  assert.ok(cache.stats().size_bytes <= 10_000)
  assert.equal(cache.stats().evictions, 5)
  cache.set('large', { text: ['x'.repeat(2000)], meta: null })
  assert.equal(cache.get('large'), null)
  now = 101
  assert.equal(cache.get('k9'), null)
})
