/**
 * The interface specification, walked table by table on a running server: what each line promises is asked for as a client would ask.
 * Sections are named as there; what the specification leaves open is decided in its companion, and tested here too.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { api, Conforming, iso, isTime, type Named } from './conformance-client.ts'
import { runningServer } from './running.ts'

const conforming = new Conforming()
const { get, send, query } = conforming
const NOW = Date.now()

const EVENTS = [
  ['disk full', 'syslog-a', 60_000, { level: 'error', status: 503, ms: 1.5, ok: true }],
  ['disk fine', 'syslog-a', 30_000, { level: 'info', status: 200, ms: 2.5, ok: false }],
  ['net fine', 'net', 7_200_000, { level: 'info', status: 200 }],
] as const

before(async () => {
  await conforming.start()
  const events = EVENTS.map(([event, source, age, fields]) => ({
    event,
    source,
    fields: { ...fields, timestamp: iso(NOW - age) },
  }))
  await send('POST', api('/ingest'), events)
})
after(() => conforming.stop())

describe('Query', () => {
  test('POST /query: events, aggregates, timecharts, and what was scanned', async () => {
    const { status, body, headers } = await send('POST', api('/query'), {
      q: 'level=error',
      from: '-1h',
      to: 'now',
      limit: 10,
      offset: 0,
    })
    assert.equal(status, 200)
    assert.equal(body.data.type, 'events')
    assert.equal(body.data.total, 1)
    assert.equal(body.meta.query_id, headers.get('x-query-id'))
    assert.ok(headers.get('x-request-id'))
    assert.ok(Number.isInteger(body.meta.took_ms))
    assert.deepEqual(Object.keys(body.meta.scanned), ['rows', 'bytes', 'blocks', 'parts'])
    const table = await query('stats count() by level | sort level')
    assert.deepEqual([table.type, table.columns], ['aggregate', ['level', 'count()']])
    const chart = await query('stats count() by bin(_time, 5m)', { from: '-3h' })
    assert.deepEqual([chart.type, chart.interval, chart.columns[0]], ['timechart', '5m', '_time'])
  })

  test('an event says its index, however it is answered, unless the query chose its fields', async () => {
    const shown = (await query('level=error')).events[0]
    assert.equal(shown.index, 'main')
    assert.deepEqual((await query('level=error | keep _raw')).events, [{ _raw: 'disk full' }])
    assert.deepEqual((await query('level=error | keep index')).events, [{ index: 'main' }])
    for (const q of ['level=error | drop index', 'level=error | rename index as app'])
      assert.equal('index' in (await query(q)).events[0], false, q)
    const { text } = await send('POST', api('/query/stream'), { q: 'level=error' })
    assert.deepEqual(JSON.parse(text.split('\n')[0]!), shown)
    const job = (await send('POST', api('/query'), { q: 'level=error', wait: 0 })).body.data.job_id
    await send('GET', api(`/query/jobs/${job}/stream`))
    assert.deepEqual((await get(api(`/query/jobs/${job}`))).body.data.results.events, [shown])
    const csv = await send('POST', api('/query'), { q: 'level=error | drop ms, ok, timestamp', format: 'csv' })
    assert.match(csv.text.split('\n')[0]!, /,index\r$/)
  })

  test('`=` binds in a search filter and `==` compares in where; a parse error has code, position and suggestion', async () => {
    assert.equal((await query('status=503')).total, 1)
    assert.equal((await query('where status == 503')).total, 1)
    const { status, body } = await send('POST', api('/query'), { q: 'from main | where status = 503' })
    assert.equal(status, 400)
    const { code, message, suggestion, position } = body.error!
    assert.deepEqual([code, suggestion], ['INVALID_QUERY', '=='])
    assert.ok(message.includes('E3') && position.offset === 25)
  })

  test('stages and functions named in the interface', async () => {
    for (const q of [
      'from main | where status >= 200 | extend up = upper(level) | keep level, up, status',
      'parse regex r"(?<word>[a-z]+)" | drop word | rename level as severity | head 1',
      'stats count(), avg(ms), sum(ms), p95(ms), p99(ms) by level | sort -level',
      'stats count() by bin(_time, 1h) | sort -count()',
      'top 5 level',
    ])
      assert.equal((await send('POST', api('/query'), { q })).status, 200, q)
  })

  test('wait: 0 is a job at once, a number waits so long, null waits for the answer', async () => {
    assert.equal((await send('POST', api('/query'), { q: 'head 1', wait: null })).status, 200)
    assert.equal((await send('POST', api('/query'), { q: 'head 1', wait: 5 })).status, 200)
    const { status, body } = await send('POST', api('/query'), { q: 'head 1', wait: 0 })
    assert.equal(status, 202)
    assert.equal(body.data.type, 'job')
    const id = body.data.job_id!
    assert.ok(id.startsWith('qry_'))
    while ((await get(api(`/query/jobs/${id}`))).body.data.status === 'running')
      await new Promise(resolve => setTimeout(resolve, 5))
    const done = (await get(api(`/query/jobs/${id}`))).body.data!
    assert.deepEqual([done.status, done.query, done.results.type], ['done', 'head 1', 'events'])
    assert.ok((await get(api('/query/jobs'))).body.data.jobs.some((job: { job_id: string }) => job.job_id === id))
    const events = await conforming.server.events(api(`/query/jobs/${id}/stream`))
    assert.equal(events.at(-1)!.event, 'complete')
    assert.deepEqual((await send('DELETE', api(`/query/jobs/${id}`))).body.data, {
      job_id: id,
      status: 'done',
      canceled: false,
    })
  })

  test('variables are typed values, formats are other bodies, a profile comes when asked for', async () => {
    assert.equal(
      (await query('where level == $l and status in $s', { variables: { l: 'error', s: [503, 504] } })).total,
      1,
    )
    for (const [format, type] of [
      ['csv', 'text/csv'],
      ['tsv', 'text/tab-separated-values'],
      ['ndjson', 'application/x-ndjson'],
      ['table', 'text/plain'],
      ['arrow', 'application/vnd.apache.arrow.stream'],
      ['json', 'application/json'],
    ])
      assert.ok(
        (await send('POST', api('/query'), { q: 'head 1', format })).headers.get('content-type')!.startsWith(type!),
      )
    assert.ok((await send('POST', api('/query'), { q: 'head 1', profile: true })).body.meta.profile)
    const asked = await send('POST', api('/query'), { q: 'head 1' }, { accept: 'application/x-ndjson' })
    assert.equal(asked.body.data.type, 'events')
  })

  test('GET /query is the same in short', async () => {
    const { status, body } = await get(api('/query?q=level%3Derror&limit=1'))
    assert.deepEqual([status, body.data.total], [200, 1])
  })

  test('POST /query/stream is NDJSON, takes its aliases and refuses what it does not take', async () => {
    const { headers, text } = await send('POST', api('/query/stream'), {
      query: 'level=error',
      earliest: '-1h',
      latest: 'now',
    })
    assert.ok(headers.get('content-type')!.startsWith('application/x-ndjson'))
    const lines = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.equal(lines.length, 2)
    assert.deepEqual([lines[1].__meta.total, lines[1].__meta.complete], [1, true])
    for (const field of ['limit', 'offset', 'wait', 'profile', 'format']) {
      const refused = await send('POST', api('/query/stream'), { q: 'a', [field]: 1 })
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_ERROR'])
    }
  })

  test('GET /query/explain is 200 for right and for wrong queries', async () => {
    const right = (await get(api('/query/explain?q=level%3Derror%20%7C%20stats%20count()'))).body.data!
    assert.equal(right.is_valid, true)
    for (const key of [
      'query',
      'parsed',
      'acceleration',
      'has_time_bounds',
      'estimated',
      'rewrites',
      'plan',
      'text',
      'rules',
      'pushed',
      'residual',
      'skipping',
      'views',
      'hints',
    ])
      assert.ok(key in right, key)
    const wrong = (await get(api('/query/explain?q=where%20%3D%3D'))).body.data!
    assert.equal(wrong.is_valid, false)
    assert.ok(wrong.errors[0].code && wrong.errors[0].position)
  })
})

test('Live tail: catch-up, catchup_done, heartbeat and live results; what it cannot do is 422 with a plain string', async () => {
  const events = await conforming.server.events(`${api('/tail')}?q=level%3D*&count=2&from=-1h`, all =>
    all.some(e => e.event === 'catchup_done'),
  )
  assert.deepEqual(
    events.map(each => each.event),
    ['result', 'result', 'catchup_done'],
  )
  assert.deepEqual(JSON.parse(events[2]!.data), { count: 2 })
  const refused = await get(`${api('/tail')}?q=%7C%20stats%20count()`)
  assert.deepEqual([refused.status, typeof refused.body.error], [422, 'string'])
  const wrong = await get(`${api('/tail')}?q=where%20%3D%3D`)
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'INVALID_QUERY'])
  assert.equal((await get(api('/tail'))).status, 400)
  assert.equal((await get(`${api('/tail')}?q=a&count=10001`)).status, 400)
})

describe('Histogram', () => {
  test('aligned, contiguous buckets with a total; q filters; to is now unless given', async () => {
    const { body } = await get(api('/histogram?from=-1h&q=level%3D*'))
    const { interval, buckets, total } = body.data!
    assert.equal(interval, '1m')
    assert.ok(buckets.length >= 60 && buckets.length <= 61)
    assert.equal(total, 2)
    assert.equal(
      buckets.reduce((sum: number, bucket: { count: number }) => sum + bucket.count, 0),
      2,
    )
    for (const [n, { time }] of buckets.entries()) {
      assert.equal(Date.parse(time) % 60_000, 0)
      if (n > 0) assert.equal(Date.parse(time) - Date.parse(buckets[n - 1].time), 60_000)
    }
    assert.equal(typeof body.meta.took_ms, 'number')
    assert.equal((await get(api('/histogram?from=-1h&q=level%3Derror%20%2F%2F%20comment'))).body.data.total, 1)
  })

  test('the interval follows the range as the table says, and the buckets asked for', async () => {
    for (const [from, interval] of [
      ['-1m', '1s'],
      ['-4m', '5s'],
      ['-30m', '1m'],
      ['-3h', '5m'],
      ['-12h', '15m'],
      ['-3d', '1h'],
      ['-14d', '6h'],
      ['-90d', '1d'],
    ])
      assert.equal((await get(api(`/histogram?from=${from}`))).body.data.interval, interval, from)
    assert.equal((await get(api('/histogram?from=-1h&buckets=10'))).body.data.interval, '5m')
  })

  test('group_by counts by value; from is required and must be before to', async () => {
    const { buckets } = (await get(api('/histogram?from=-1h&group_by=level'))).body.data!
    const sums: Record<string, number> = {}
    for (const { counts } of buckets)
      for (const [level, n] of Object.entries(counts)) sums[level] = (sums[level] ?? 0) + Number(n)
    assert.equal(sums.error, 1)
    for (const path of [
      '/histogram',
      '/histogram?from=now&to=-1h',
      '/histogram?from=whenever',
      '/histogram?from=-1h&buckets=0',
    ])
      assert.deepEqual(
        [(await get(api(path))).status, (await get(api(path))).body.error.code],
        [400, 'VALIDATION_ERROR'],
        path,
      )
    assert.equal((await get(api('/histogram?from=-1h&q=where%20%3D%3D'))).body.error.code, 'INVALID_QUERY')
  })
})

describe('Fields and sources', () => {
  const fieldNamed = async (name: string, more = '') =>
    (await get(api(`/fields?prefix=${name}${more}`))).body.data.fields.find((field: Named) => field.name === name)

  test('GET /fields: types, counts, coverage, bounds and top values', async () => {
    const status = await fieldNamed('status', '&source=syslog-a')
    assert.deepEqual(status, {
      name: 'status',
      type: 'integer',
      count: 2,
      coverage: 1,
      min: 200,
      max: 503,
      avg: 351.5,
      p50: status.p50,
      p99: status.p99,
      approximate: true,
      top_values: [
        { value: 200, count: 1 },
        { value: 503, count: 1 },
      ],
    })
    assert.equal((await fieldNamed('ms')).type, 'float')
    assert.equal((await fieldNamed('ok')).type, 'boolean')
    assert.equal((await fieldNamed('_time')).type, 'datetime')
    const level = await fieldNamed('level', '&from=-1h')
    assert.equal(level.type, 'string')
    assert.equal(level.count, 2)
    assert.ok(!('avg' in level) && Array.isArray(level.top_values))
    const all = (await get(api('/fields'))).body.data.fields!
    assert.ok(
      all.length > 5 &&
        all.every(
          (field: Named & { count: number; coverage: number }) =>
            field.count > 0 && field.coverage > 0 && field.coverage <= 1,
        ),
    )
    assert.deepEqual(
      (await get(api('/fields?prefix=st'))).body.data.fields.map((field: Named) => field.name),
      ['status'],
    )
    assert.deepEqual((await get(api('/fields?source=nobody'))).body.data.fields, [])
    assert.equal((await get(api('/fields?from=whenever'))).status, 400)
  })

  test('GET /fields/{name}/values: exact counts and shares, the effective range', async () => {
    const { data, meta } = (await get(api('/fields/level/values?from=-3h&limit=1'))).body
    assert.deepEqual(data, {
      field: 'level',
      type: 'string',
      values: [{ value: 'info', count: 2, percent: 66.67 }],
      unique_count: 2,
      total_count: 3,
    })
    assert.ok(isTime(meta.from) && isTime(meta.to))
    assert.deepEqual((await get(api('/fields/no-such-field/values'))).body.data.values, [])
    for (const limit of [0, 101, 'x']) assert.equal((await get(api(`/fields/level/values?limit=${limit}`))).status, 400)
  })

  test('GET /sources', async () => {
    const { sources } = (await get(api('/sources'))).body.data!
    const a = sources.find((source: Named) => source.name === 'syslog-a')!
    assert.deepEqual(
      [a.event_count, Date.parse(a.first_event), Date.parse(a.last_event)],
      [2, NOW - 60_000, NOW - 30_000],
    )
    assert.ok(a.rate > 0 && Number.isInteger(a.storage_bytes))
  })
})

test('Saved queries: made, read, replaced, listed, deleted', async () => {
  const made = await send('POST', api('/queries'), { name: 'errors', q: 'level=error', from: '-1h' })
  assert.equal(made.status, 201)
  const { id, created_at, updated_at } = made.body.data!
  assert.ok(id.startsWith('sq_') && isTime(created_at) && created_at === updated_at)
  assert.deepEqual((await get(api(`/queries/${id}`))).body.data, made.body.data)
  await new Promise(resolve => setTimeout(resolve, 5))
  const put = await send('PUT', api(`/queries/${id}`), { name: 'all', q: 'level=*' })
  assert.equal(put.status, 200)
  assert.deepEqual([put.body.data.created_at, put.body.data.q, put.body.data.from], [created_at, 'level=*', undefined])
  assert.ok(put.body.data.updated_at > updated_at)
  assert.equal((await get(api('/queries'))).body.data.queries.length, 1)
  for (const body of [{ q: 'a' }, { name: 'a' }, {}, { name: '', q: 'a' }, { name: 'a', q: 'a', more: 1 }])
    assert.equal((await send('POST', api('/queries'), body)).body.error.code, 'VALIDATION_ERROR')
  assert.equal((await send('POST', api('/queries'), { name: 'a', q: 'where ==' })).body.error.code, 'INVALID_QUERY')
  const gone = await send('DELETE', api(`/queries/${id}`))
  assert.deepEqual([gone.status, gone.text], [204, ''])
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await send(method, api('/queries/sq_none'), method === 'PUT' ? { name: 'a', q: 'a' } : undefined)
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'])
  }
})

describe('Operational routes', () => {
  test('GET /health and /metrics', async () => {
    const { body } = await get('/health')
    assert.deepEqual(Object.keys(body.data), ['status', 'degraded', 'version'])
    assert.deepEqual([body.data.status, body.data.degraded], ['healthy', false])
    const { text, headers } = await conforming.server.get('/metrics')
    assert.ok(headers.get('content-type')!.startsWith('text/plain'))
    for (const name of 'shard_active shard_draining shard_migrating shard_splitting shard_map_epoch rebalance_total rebalance_move_total rebalance_duration_ns nodes_alive nodes_suspect nodes_dead leader_changes_total split_total split_duration_ns meta_loss_duration_ns meta_loss_duplicate_parts'.split(
      ' ',
    ))
      assert.match(text, new RegExp(`^${name} \\d`, 'm'))
    assert.match(text, /^quern_ingest_events_total\{route="\/api\/v1\/ingest"\} \d+/m)
  })

  test('GET /status, /stats, /metrics, /cluster/status, /compaction/history, /cache/stats, /shippers', async () => {
    await conforming.engine.flush()
    const { data: status } = (await get(api('/status'))).body
    for (const key of [
      'version',
      'uptime_seconds',
      'health',
      'storage',
      'events',
      'queries',
      'views',
      'tail',
      'memory',
    ])
      assert.ok(key in status, key)
    const { data: stats } = (await get(api('/stats'))).body
    for (const key of [
      'total_events',
      'events_today',
      'storage_bytes',
      'raw_bytes',
      'compression_ratio',
      'parts',
      'blocks',
      'buffered_events',
      'sources',
      'oldest_event',
      'newest_event',
    ])
      assert.ok(key in stats, key)
    assert.ok(stats.total_events >= 3 && isTime(stats.oldest_event) && stats.storage_bytes > 0)
    const { data: metrics } = (await get(api('/metrics'))).body
    assert.equal(metrics.quern_events_stored.value, stats.total_events)
    const { data: cluster } = (await get(api('/cluster/status'))).body
    assert.deepEqual(
      [cluster.mode, cluster.nodes.length, cluster.nodes[0].state, cluster.shard_map_epoch],
      ['single', 1, 'alive', 0],
    )
    await conforming.engine.storage.compact()
    const { compactions } = (await get(api('/compaction/history'))).body.data!
    assert.ok(Array.isArray(compactions))
    for (const each of compactions)
      assert.deepEqual(Object.keys(each), [
        'id',
        'level',
        'inputs',
        'output',
        'rows',
        'bytes_in',
        'bytes_out',
        'duration_ms',
        'started_at',
      ])
    const { data: cache } = (await get(api('/cache/stats'))).body
    for (const key of ['hits', 'misses', 'hit_rate', 'entries', 'size_bytes', 'evictions'])
      assert.equal(typeof cache[key], 'number')
    assert.equal((await send('DELETE', api('/cache'))).status, 200)
    await send('POST', api('/ingest'), [{ event: 'x' }], { 'user-agent': 'Filebeat/8.1.0 (linux)' })
    const shipper = (await get(api('/shippers'))).body.data.find((each: { tool: string }) => each.tool === 'filebeat')!
    assert.deepEqual(
      [shipper.version, shipper.status, shipper.endpoint, shipper.events_per_min, shipper.user_agent],
      ['8.1.0', 'active', '/api/v1/ingest', 1, 'Filebeat/8.1.0 (linux)'],
    )
    assert.ok(isTime(shipper.last_seen_at) && shipper.remote_ip)
  })

  test('GET and PATCH /config', async () => {
    const { config } = (await get(api('/config'))).body.data!
    assert.deepEqual([config['query.max_concurrent'].value, config['query.max_concurrent'].origin], [10, 'default'])
    const changed = await send('PATCH', api('/config'), { query: { max_concurrent: 20 }, 'ingest.flush_age': '2s' })
    assert.deepEqual(
      [changed.body.data.applied, changed.body.data.restart_required],
      [['query.max_concurrent'], ['ingest.flush_age']],
    )
    assert.deepEqual(changed.body.data.config['query.max_concurrent'].origin, 'runtime')
    const unknown = await send('PATCH', api('/config'), { 'query.max_concurent': 20 })
    assert.equal(unknown.status, 400)
    assert.match(unknown.body.error.message, /max_concurrent/)
    assert.equal(
      (await send('PATCH', api('/config'), { 'query.max_concurrent': 'lots', 'query.max_queued': 1 })).status,
      400,
    )
    assert.equal((await get(api('/config'))).body.data.config['query.max_queued'].origin, 'default')
  })

  test('/auth/… is 404 without authentication', async () => {
    for (const [method, path] of [
      ['GET', '/auth/keys'],
      ['DELETE', '/auth/keys/x'],
      ['POST', '/auth/rotate-root'],
    ] as const)
      assert.equal((await send(method, api(path))).status, 404)
  })
})

describe('Errors and limits', () => {
  for (const [what, method, path, body, headers, status, code] of [
    ['a body that is not JSON', 'POST', '/query', '{', {}, 400, 'INVALID_JSON'],
    ['a query that does not parse', 'POST', '/query', { q: 'where ==' }, {}, 400, 'INVALID_QUERY'],
    ['a query too large', 'POST', '/query', { q: `"${'x'.repeat(1_100_000)}"` }, {}, 400, 'QUERY_TOO_LARGE'],
    ['a field that is not accepted', 'POST', '/query', { q: 'a', limt: 1 }, {}, 400, 'VALIDATION_ERROR'],
    ['a limit beyond the maximum', 'POST', '/query', { q: 'a', limit: 50_001 }, {}, 400, 'VALIDATION_ERROR'],
    ['a path that is nowhere', 'GET', '/nowhere', undefined, {}, 404, 'NOT_FOUND'],
    ['a method that is not taken', 'DELETE', '/query', undefined, {}, 405, 'METHOD_NOT_ALLOWED'],
    [
      'an encoding nobody knows',
      'POST',
      '/ingest/raw',
      'x',
      { 'content-encoding': 'lzma' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  ] as const) {
    test(`${what} is ${status} ${code}`, async () => {
      const answer = await send(method, api(path), body, headers)
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text)
      assert.equal(typeof answer.body.error.message, 'string')
      assert.ok(answer.headers.get('x-request-id'))
    })
  }

  test('a client is echoed its own request id', async () => {
    const { headers } = await get('/health', { 'x-request-id': 'abc-123' })
    assert.equal(headers.get('x-request-id'), 'abc-123')
  })

  test('a body over the limit is 413 and stores nothing', async () => {
    const small = await runningServer(conforming.engine, { 'ingest.max_body_size': '1kb' })
    const before = conforming.engine.status().eventCount
    const answer = await small.post(api('/ingest/raw'), 'x\n'.repeat(1000))
    assert.deepEqual([answer.status, answer.json.error.code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.equal(conforming.engine.status().eventCount, before)
    await small.stop()
  })
})
