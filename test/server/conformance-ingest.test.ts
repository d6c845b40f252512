/**
 * The interface specification, walked table by table on a running server: what each line promises is asked for as a client would ask.
 * Here the ways in; what may be asked of the data is in conformance.test.ts. Sections are named as in the specification.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { api, Conforming, iso, isTime, type Named } from './conformance-client.ts'

const conforming = new Conforming()
const { get, send, query } = conforming
const NOW = Date.now()

before(() => conforming.start())
after(() => conforming.stop())

describe('Ingest', () => {
  test('POST /ingest takes an array of {event, source, fields}', async () => {
    const answer = await send('POST', api('/ingest'), [
      {
        event: 'disk full',
        source: 'syslog-a',
        fields: { level: 'error', status: 503, ms: 1.5, ok: true, timestamp: iso(NOW - 60_000) },
      },
      {
        event: 'disk fine',
        source: 'syslog-a',
        fields: { level: 'info', status: 200, ms: 2.5, ok: false, timestamp: iso(NOW - 30_000) },
      },
      { event: 'net fine', source: 'net', fields: { level: 'info', status: 200, timestamp: iso(NOW - 7_200_000) } },
    ])
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { data: { accepted: 3, failed: 0 } })
    const { events } = await query('_source="net"')
    assert.equal(events[0]._raw, 'net fine')
    assert.equal(Date.parse(events[0]._time), NOW - 7_200_000)
  })

  test('POST /ingest/raw takes lines, labelled by headers; the index is main unless X-Index says otherwise', async () => {
    const headers = {
      'content-type': 'text/plain',
      'x-source': 'raw-source',
      'x-source-type': 'lines',
      'x-index': 'raws',
    }
    assert.deepEqual((await send('POST', api('/ingest/raw'), 'one\ntwo\n', headers)).body, {
      data: { accepted: 2, failed: 0 },
    })
    const { events } = await query('from raws | keep _source, _sourcetype, index')
    assert.deepEqual([events[0]._source, events[0]._sourcetype, events[0].index], ['raw-source', 'lines', 'raws'])
  })

  test('POST /ingest/hec maps time, event, host, source and sourcetype', async () => {
    const event = { time: 1_718_452_800.5, event: 'hec text', host: 'h1', source: 'hec-source', sourcetype: 'st' }
    const answer = await send('POST', api('/ingest/hec'), event, { authorization: 'Splunk opaque' })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { text: 'Success', code: 0 })
    const [found] = (await query('_source="hec-source"')).events!
    assert.deepEqual([found._raw, found.host, found._sourcetype], ['hec text', 'h1', 'st'])
    assert.equal(Date.parse(found._time), 1_718_452_800_500)
  })

  test('the first timestamp field present is the event time', async () => {
    const times = ['_timestamp', 'timestamp', '@timestamp', 'time', 'ts', 'datetime']
    for (const [n, name] of times.entries()) {
      const later = Object.fromEntries(times.slice(n + 1).map(each => [each, '2020-01-01T00:00:00Z']))
      await send('POST', api('/ingest'), [
        { event: `by ${name}`, fields: { [name]: `2024-06-0${n + 1}T00:00:00Z`, ...later } },
      ])
      const [found] = (await query(`where _raw == "by ${name}"`)).events!
      assert.equal(found._time, `2024-06-0${n + 1}T00:00:00.000Z`, name)
    }
  })

  test('GET and POST /indexes', async () => {
    const made = await send('POST', api('/indexes'), { name: 'kept', retention: '90d' })
    assert.deepEqual([made.status, made.body], [201, { data: { name: 'kept', status: 'created' } }])
    assert.equal((await send('POST', api('/indexes'), { name: 'kept' })).status, 409)
    const { indexes } = (await get(api('/indexes'))).body.data!
    const kept = indexes.find((each: Named) => each.name === 'kept')
    assert.deepEqual(kept, {
      name: 'kept',
      retention: '90d',
      event_count: 0,
      first_event: null,
      last_event: null,
      storage_bytes: 0,
    })
    const main = indexes.find((each: Named) => each.name === 'main')!
    assert.ok(main.event_count > 0 && isTime(main.first_event) && isTime(main.last_event))
  })
})

describe('Bulk compatibility', () => {
  const lines = (index?: string): string =>
    `${JSON.stringify({ index: index ? { _index: index } : {} })}\n{"message":"m","@timestamp":"2024-01-01T00:00:00Z"}\n`
  for (const [path, source] of [
    ['/_bulk', 'meta'],
    ['/from-path/_bulk', 'from-path'],
    ['/_data_stream/stream/_bulk', 'stream'],
    ['/api/v1/es/_bulk', 'meta'],
    ['/api/v1/es/_data_stream/stream2/_bulk', 'stream2'],
    ['/api/v1/ingest/bulk', 'meta'],
  ] as const) {
    test(`POST ${path}`, async () => {
      const answer = await send('POST', path, lines(source === 'meta' ? 'meta' : undefined), {
        'content-type': 'application/x-ndjson',
      })
      assert.equal(answer.status, 200)
      assert.equal(typeof answer.body.took, 'number')
      assert.equal(answer.body.errors, false)
      assert.equal(answer.body.items[0].index.status, 201)
      assert.ok(answer.body.items[0].index._id)
      assert.ok((await query(`_source="${source}"`)).total >= 1)
    })
  }

  test('POST /api/v1/es/{index}/_doc', async () => {
    const answer = await send('POST', '/api/v1/es/docs/_doc', { message: 'one' })
    assert.deepEqual([answer.status, answer.body.result], [201, 'created'])
    assert.ok(answer.body._id)
    assert.equal((await query('_source="docs"')).total, 1)
  })

  test('the handshake and the stubs', async () => {
    const hello = await get('/api/v1/es/')
    assert.deepEqual([hello.body.version.number, hello.body.version.build_flavor], ['8.0.0', 'default'])
    assert.ok(hello.body.name && hello.body.cluster_name && hello.body.tagline)
    assert.equal((await get('/')).body.version.number, '8.0.0')
    for (const [path, check] of [
      ['/_ext', (body: ReturnType<typeof JSON.parse>) => body.license ?? body.features],
      [
        '/_ext/license',
        (body: ReturnType<typeof JSON.parse>) => body.license.status === 'active' && body.license.type === 'basic',
      ],
      ['/_license', (body: ReturnType<typeof JSON.parse>) => body.license.status === 'active'],
      ['/_cat/templates', (body: ReturnType<typeof JSON.parse>) => Array.isArray(body) && body.length === 0],
      ['/_cat/indices', (body: ReturnType<typeof JSON.parse>) => Array.isArray(body) && body.length === 0],
      [
        '/_cluster/health',
        (body: ReturnType<typeof JSON.parse>) => body.status === 'green' && body.number_of_nodes === 1,
      ],
      ['/_index_template/t', (body: ReturnType<typeof JSON.parse>) => body.index_templates.length === 0],
      ['/_nodes/http', (body: ReturnType<typeof JSON.parse>) => body.nodes !== undefined],
      ['/_alias', (body: ReturnType<typeof JSON.parse>) => Object.keys(body).length === 0],
      ['/_data_stream/d', (body: ReturnType<typeof JSON.parse>) => body.data_streams.length === 0],
      ['/_search', (body: ReturnType<typeof JSON.parse>) => body.hits.hits.length === 0],
    ] as const) {
      const { status, body, headers } = await get(path)
      assert.equal(status, 200, path)
      assert.ok(check(body), `${path}: ${JSON.stringify(body)}`)
      assert.equal(headers.get('x-elastic-product'), 'Elasticsearch')
    }
    for (const path of ['/_ilm/policy/p', '/_ingest/pipeline/p']) assert.equal((await get(path)).status, 404, path)
    for (const path of ['/_index_template/t', '/_data_stream/d'])
      assert.deepEqual((await send('PUT', path, {})).body, { acknowledged: true })
    for (const path of ['/_ilm/policy/p', '/_ingest/pipeline/p'])
      assert.ok((await send('PUT', path, {})).status >= 400, path)
    assert.equal((await send('POST', '/_security/user/_authenticate')).status, 200)
    for (const path of ['/', '/some-index']) assert.equal((await send('HEAD', path)).status, 200)
  })
})

test('OTLP logs: the mapping of the table, and protobuf is 415 here', async () => {
  const body = {
    resourceLogs: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'otlp-svc' } },
            { key: 'host.name', value: { stringValue: 'otlp-host' } },
            { key: 'cloud.region', value: { stringValue: 'eu' } },
          ],
        },
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: '1718452800123456789',
                body: { stringValue: 'otlp line' },
                severityText: 'WARN',
                attributes: [{ key: 'n', value: { intValue: '42' } }],
              },
            ],
          },
        ],
      },
    ],
  }
  const answer = await send('POST', api('/otlp/v1/logs'), body)
  assert.equal(answer.status, 200)
  const [found] = (await query('_source="otlp-svc"')).events!
  assert.deepEqual(
    [found._raw, found.level, found.host, found['resource.cloud.region'], found.n, found._time],
    ['otlp line', 'WARN', 'otlp-host', 'eu', 42, '2024-06-15T12:00:00.123456789Z'],
  )
  assert.equal(
    (await send('POST', api('/otlp/v1/logs'), 'x', { 'content-type': 'application/x-protobuf' })).status,
    415,
  )
})
