import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CompileError } from '../../grammar/diagnostics.ts'
import { CorruptPartError } from '../../storage/errors.ts'
import { emptyProfile } from './fake-engine.ts'
import { serve } from './served.ts'

const SHAPE = { kind: 'aggregate', columns: null, interval: null } as const

describe('POST /query', () => {
  test('answers events with total, has_more and what was scanned', async () => {
    const { engine, post } = serve()
    const rows = [
      ['hi', 1, undefined],
      ['ho', 9007199254740993n, null],
      ['counted', 1, 1],
    ]
    engine.canned = { collected: { columns: ['_raw', 'n', 'm'], rows } }
    const answer = await post('/api/v1/query', { q: 'level=error', from: '-1h', to: null, limit: 2 })
    assert.equal(answer.status, 200)
    assert.match(
      answer.text,
      /^\{"data":\{"type":"events","events":\[\{"_raw":"hi","n":1\},\{"_raw":"ho","n":9007199254740993,"m":null\}\],"total":3,"has_more":true\},"meta":\{/,
    )
    const { meta } = answer.json
    assert.deepEqual(meta.scanned, { rows: 100, bytes: 2000, blocks: 4, parts: 2 })
    assert.equal(meta.complete, true)
    assert.match(String(meta.query_id), /^qry_[0-9a-f]{16}$/)
    assert.equal(answer.headers['x-query-id'], meta.query_id)
    assert.equal(typeof meta.took_ms, 'number')
    assert.equal(engine.queries[0]?.text, 'level=error')
    assert.equal(engine.queries[0]?.options?.from, '-1h')
    assert.equal(engine.queries[0]?.options?.to, undefined)
  })

  test('answers aggregates and timecharts as columns and rows', async () => {
    const { engine, post } = serve()
    const collected = {
      columns: ['host', 'n'],
      types: ['string', 'int'],
      rows: [
        ['a', 1],
        [undefined, 2],
      ],
      total: 2,
    }
    engine.canned = { collected: { ...collected, shape: SHAPE } }
    const { data } = (await post('/api/v1/query', { q: '| stats count()' })).json
    assert.deepEqual(data, {
      type: 'aggregate',
      columns: ['host', 'n'],
      types: ['string', 'int'],
      rows: [
        ['a', 1],
        [null, 2],
      ],
      total_rows: 2,
      has_more: false,
    })
    engine.canned = { collected: { ...collected, shape: { kind: 'timechart', columns: null, interval: '5m' } } }
    const chart = (await post('/api/v1/query', { q: '| stats count()' })).json.data as unknown as { interval: string }
    assert.equal(chart.interval, '5m')
  })

  test('an incomplete answer says why', async () => {
    const { engine, post } = serve()
    engine.canned = { collected: { warnings: ['part p1 is damaged'] } }
    const { meta } = (await post('/api/v1/query', { q: 'x' })).json
    assert.deepEqual(
      [meta.complete, meta.warnings],
      [false, ['part p1 is damaged; its events are missing from this answer']],
    )
  })

  test('hints, rewrites and a profile come along when there are any', async () => {
    const { engine, post } = serve()
    const rewrites = [{ before: 'a', after: 'b', reason: 'c' }]
    const hints = [{ code: 'H904', message: 'head before sort', span: { start: 2, end: 6 } }] as const
    engine.canned = { run: { rewrites, hints } }
    const { meta } = (await post('/api/v1/query', { q: '| head 5', profile: 'full' })).json
    assert.deepEqual(meta.rewrites, rewrites)
    const position = { offset: 2, line: 1, column: 3, length: 4 }
    assert.deepEqual(meta.hints, [{ code: 'H904', message: 'head before sort', position }])
    assert.deepEqual(Object.keys(meta.profile as object), [
      'scan',
      'plan_cache',
      'kernel_cache',
      'memory_bytes',
      'spilled_bytes',
      'counters',
      'operators',
      'kernels',
    ])
    assert.equal((await post('/api/v1/query', { q: 'x' })).json.meta.profile, undefined)
  })

  test('limit and offset have their defaults', async () => {
    const { engine, post } = serve()
    engine.canned = { collected: { columns: ['n'], rows: Array.from({ length: 1200 }, (_, n) => [n]) } }
    assert.equal((await post('/api/v1/query', { q: 'x' })).json.data.events.length, 1000)
    const page = (await post('/api/v1/query', { q: 'x', limit: 2, offset: 7 })).json.data
    assert.deepEqual(page.events, [{ n: 7 }, { n: 8 }])
    assert.deepEqual((await post('/api/v1/query', { q: 'x', limit: 0 })).json.data.events, [])
  })

  test('aliases stand for their names, and must not contradict them', async () => {
    const { engine, post } = serve()
    await post('/api/v1/query', { query: 'x', earliest: '-2h', latest: 'now' })
    assert.deepEqual(engine.queries[0]?.text, 'x')
    assert.deepEqual([engine.queries[0]?.options?.from, engine.queries[0]?.options?.to], ['-2h', 'now'])
    const answer = await post('/api/v1/query', { q: 'x', query: 'y' })
    assert.equal(answer.json.error.code, 'VALIDATION_ERROR')
  })

  test('variables are typed values with exact integers', async () => {
    const { engine, post } = serve()
    await post('/api/v1/query', '{"q":"x","variables":{"$id":9007199254740993,"hosts":["a","b"],"on":true}}')
    const { variables } = engine.queries[0]?.options ?? {}
    assert.deepEqual({ ...variables }, { id: 9007199254740993n, hosts: ['a', 'b'], on: true })
    const answer = await post('/api/v1/query', { q: 'x', variables: { o: { deep: 1 } } })
    assert.equal(answer.json.error.code, 'VALIDATION_ERROR')
  })

  for (const [what, body, message] of [
    ['a missing query', {}, /q is missing/],
    ['a limit over the maximum', { q: 'x', limit: 50_001 }, /50000/],
    ['a negative offset', { q: 'x', offset: -1 }, /offset/],
    ['a limit that is text', { q: 'x', limit: '5' }, /limit/],
    ['a misspelt field', { q: 'x', limt: 5 }, /limt/],
    ['an unknown format', { q: 'x', format: 'xml' }, /xml/],
    ['an unknown profile', { q: 'x', profile: 'all' }, /profile/],
    ['a negative wait', { q: 'x', wait: -1 }, /wait/],
    ['a body that is no object', [1], /body/],
  ] as const) {
    test(`${what} is 400 VALIDATION_ERROR`, async () => {
      const { engine, post } = serve()
      const answer = await post('/api/v1/query', body)
      assert.equal(answer.status, 400)
      assert.equal(answer.json.error.code, 'VALIDATION_ERROR')
      assert.match(answer.json.error.message, message)
      assert.equal(engine.queries.length, 0)
    })
  }

  test('a body that is not JSON is INVALID_JSON', async () => {
    const { post, request } = serve()
    assert.equal((await post('/api/v1/query', '{"q":')).json.error.code, 'INVALID_JSON')
    assert.equal((await request({ method: 'POST', url: '/api/v1/query' })).json.error.code, 'INVALID_JSON')
  })

  test('a query over the limit is QUERY_TOO_LARGE', async () => {
    const { post } = serve()
    const answer = await post('/api/v1/query', { q: 'é'.repeat(600_000) })
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error.code, 'QUERY_TOO_LARGE')
  })

  test('a wrong query has its code, place, frame and correction', async () => {
    const { engine, post } = serve()
    const text = 'from main | where status = 500'
    const span = { start: 25, end: 26 }
    const diagnostic = {
      code: 'E304',
      message: "'=' assigns",
      span,
      suggestion: '==',
      edit: { span, text: '==' },
    } as const
    engine.canned = { compileError: new CompileError({ text }, [diagnostic]) }
    const answer = await post('/api/v1/query', { q: text })
    assert.equal(answer.status, 400)
    const { code, message, suggestion, position, fix, errors } = answer.json.error
    assert.deepEqual([code, suggestion], ['INVALID_QUERY', '=='])
    assert.match(message, /^E304/)
    assert.deepEqual(position, { offset: 25, line: 1, column: 26, length: 1 })
    assert.equal(fix, 'from main | where status == 500')
    assert.match(String(errors?.[0]?.frame), /\^ did you mean '=='/)
  })

  test('a damaged part that stops the query is QUERY_ERROR', async () => {
    const { engine, post } = serve()
    engine.canned = { runError: new CorruptPartError('p1', 7, 'checksum') }
    const answer = await post('/api/v1/query', { q: 'x' })
    assert.deepEqual([answer.status, answer.json.error.code], [500, 'QUERY_ERROR'])
  })

  test('a query that runs too long is 504 QUERY_TIMEOUT; one that is not waited for is a job', async () => {
    const { engine, post } = serve({ 'query.max_query_runtime': '20ms' })
    engine.canned = { isEndless: true }
    const answer = await post('/api/v1/query', { q: 'x' })
    assert.deepEqual([answer.status, answer.json.error.code], [504, 'QUERY_TIMEOUT'])
    const other = serve()
    other.engine.canned = { isEndless: true }
    const waited = await other.post('/api/v1/query', { q: 'x', wait: 0.02 })
    assert.deepEqual([waited.status, waited.json.data.status], [202, 'running'])
    await other.app.close()
  })

  test('queries beyond the running and the waiting are 429 with Retry-After', async () => {
    const flags = { 'query.max_concurrent': '1', 'query.max_queued': '1', 'query.max_query_runtime': '50ms' }
    const { engine, post } = serve(flags)
    engine.canned = { isEndless: true }
    const answers = await Promise.all([1, 2, 3].map(() => post('/api/v1/query', { q: 'x' })))
    assert.deepEqual(answers.map(a => a.status).sort(), [429, 504, 504])
    assert.ok(answers.find(a => a.status === 429)?.headers['retry-after'])
    engine.canned = {}
    assert.equal((await post('/api/v1/query', { q: 'x' })).status, 200)
  })
})

describe('GET /query', () => {
  test('takes everything from the query string', async () => {
    const { engine, get } = serve()
    const answer = await get('/api/v1/query?q=level%3Derror&from=-1h&limit=5&offset=2&profile=true&wait=10')
    assert.equal(answer.status, 200)
    assert.ok(answer.json.meta.profile)
    assert.equal(engine.queries[0]?.text, 'level=error')
  })

  test('refuses what it does not know and names what is near', async () => {
    const { get } = serve()
    const answer = await get('/api/v1/query?q=x&limits=5')
    assert.equal(answer.json.error.code, 'VALIDATION_ERROR')
    assert.match(String(answer.json.error.suggestion), /limit/)
    assert.equal((await get('/api/v1/query?q=x&limit=five')).json.error.code, 'VALIDATION_ERROR')
  })

  test('format=ndjson is rows alone, one a line', async () => {
    const { engine, get } = serve()
    engine.canned = { collected: { columns: ['a'], rows: [[1], [2]], total: 2 } }
    const answer = await get('/api/v1/query?q=x&format=ndjson')
    assert.match(String(answer.headers['content-type']), /x-ndjson/)
    assert.equal(answer.text, '{"a":1}\n{"a":2}\n')
  })
})

describe('other formats than JSON', () => {
  for (const [format, type, text] of [
    ['csv', 'text/csv', 'a,b\r\n1,"x,y"\r\n2,\r\n'],
    ['tsv', 'text/tab-separated-values', 'a\tb\n1\tx,y\n2\t\n'],
    ['table', 'text/plain', 'a  b\n─  ───\n1  x,y\n2\n'],
  ] as const) {
    test(`${format} is a head and the rows`, async () => {
      const { engine, post } = serve()
      engine.canned = {
        collected: {
          columns: ['a', 'b'],
          rows: [
            [1, 'x,y'],
            [2, undefined],
          ],
          total: 2,
        },
      }
      const answer = await post('/api/v1/query', { q: 'x', format })
      assert.ok(String(answer.headers['content-type']).startsWith(type))
      assert.equal(answer.text, text)
      assert.ok(answer.headers['x-query-id'])
    })
  }
})

describe('POST /query/stream', () => {
  test('is the rows as NDJSON and a last line that says they are all', async () => {
    const { engine, post } = serve()
    engine.canned = { rows: [{ a: 1 }, { b: 'x' }] }
    const answer = await post('/api/v1/query/stream', { query: 'x', earliest: '-1h' })
    assert.equal(answer.status, 200)
    assert.match(String(answer.headers['content-type']), /x-ndjson/)
    const lines = answer.text.trimEnd().split('\n')
    assert.deepEqual(lines.slice(0, 2), ['{"a":1}', '{"b":"x"}'])
    const { __meta: meta } = JSON.parse(lines[2]!)
    assert.deepEqual([meta.total, meta.complete, meta.query_id], [2, true, answer.headers['x-query-id']])
    assert.equal(engine.queries[0]?.options?.from, '-1h')
  })

  test('an empty result is the last line alone', async () => {
    const { post } = serve()
    const answer = await post('/api/v1/query/stream', { q: 'x' })
    assert.deepEqual(JSON.parse(answer.text).__meta.total, 0)
  })

  for (const field of ['limit', 'offset', 'wait', 'profile', 'format']) {
    test(`${field} is refused with VALIDATION_ERROR`, async () => {
      const { post } = serve()
      const answer = await post('/api/v1/query/stream', { q: 'x', [field]: 1 })
      assert.deepEqual([answer.status, answer.json.error.code], [400, 'VALIDATION_ERROR'])
      assert.match(answer.json.error.message, new RegExp(field))
    })
  }

  test('a failure before anything was sent has its status', async () => {
    const { engine, post } = serve()
    engine.canned = { rows: [{ a: 1 }], runError: new CorruptPartError('p1', 7, 'checksum') }
    assert.equal((await post('/api/v1/query/stream', { q: 'x' })).status, 500)
    engine.canned = {
      compileError: new CompileError({ text: 'x' }, [{ code: 'E301', message: 'm', span: { start: 0, end: 1 } }]),
    }
    assert.equal((await post('/api/v1/query/stream', { q: 'x' })).json.error.code, 'INVALID_QUERY')
  })

  test('a failure after rows were sent is the last line', async () => {
    const { engine, post } = serve()
    const rows = Array.from({ length: 3000 }, () => ({ text: 'x'.repeat(100) }))
    engine.canned = { rows, runError: new CorruptPartError('p1', 7, 'checksum') }
    const answer = await post('/api/v1/query/stream', { q: 'x' })
    assert.equal(answer.status, 200)
    const lines = answer.text.trimEnd().split('\n')
    assert.equal(lines.length, 3001)
    assert.equal(JSON.parse(lines.at(-1)!).__error.code, 'QUERY_ERROR')
  })

  test('parts that are missing from the answer are named', async () => {
    const { engine, post } = serve()
    engine.canned = { run: { profile: { ...emptyProfile(), damaged: ['p1'] } } }
    const { __meta: meta } = JSON.parse((await post('/api/v1/query/stream', { q: 'x' })).text)
    assert.equal(meta.complete, false)
    assert.match(meta.warnings[0], /p1/)
  })

  test('a stream gives its slot back', async () => {
    const { engine, post } = serve({ 'query.max_concurrent': '1', 'query.max_queued': '0' })
    for (let n = 0; n < 3; n++) assert.equal((await post('/api/v1/query/stream', { q: 'x' })).status, 200)
    assert.equal(engine.cancels, 3)
  })
})

describe('GET /query/explain', () => {
  test('answers 200 for a right and for a wrong query, and passes on what is asked', async () => {
    const { get } = serve()
    const answer = await get('/api/v1/query/explain?q=x&analyze=true&js=true&from=-1h')
    assert.equal(answer.status, 200)
    assert.deepEqual(JSON.parse(answer.json.data.text), {
      from: '-1h',
      signal: {},
      memoryBytes: 512 * 1024 * 1024,
      diskBytes: 10 * 1024 ** 3,
      analyze: true,
      js: true,
    })
    const wrong = await get('/api/v1/query/explain?q=%7C')
    assert.deepEqual([wrong.status, wrong.json.data.is_valid], [200, false])
  })
})
