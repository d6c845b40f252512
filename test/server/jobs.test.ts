import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Engine, open } from '../../engine.ts'
import { batchOf, vectorOf } from '../../runtime/column-batch.ts'
import { JobRows } from '../../server/query/job-result.ts'
import { RowStore } from '../../server/query/row-store.ts'
import { eventsOf, type Running, runningServer } from './running.ts'

interface JobData {
  readonly type: string
  readonly job_id: string
  readonly status: string
  readonly query: string
  readonly created_at: string
  readonly completed_at?: string
  readonly progress: Readonly<Record<string, number | string>>
  readonly results?: {
    readonly events: readonly { readonly n: number }[]
    readonly total: number
    readonly has_more: boolean
  }
  readonly error?: { readonly code: string; readonly message: string }
}

const MANY = Array.from({ length: 20 }, (_, n) => n + 1)
let engine: Engine
let server: Running

before(async () => {
  // Small blocks, so that a query has many turns.
  engine = await open(null, { blockRows: 16, threads: 0 })
  engine.ingest(eventsOf(5000, n => ({ n, level: n % 10 === 0 ? 'error' : 'info', many: MANY })))
  server = await runningServer(engine, { 'query.max_concurrent': '2' })
})
after(() => server.stop())

async function job(id: string, query = ''): Promise<JobData> {
  return (await server.get(`/api/v1/query/jobs/${id}${query}`)).json.data as unknown as JobData
}

async function ended(id: string): Promise<JobData> {
  for (;;) {
    const data = await job(id)
    assert.ok(data?.status, 'no such job')
    if (data.status !== 'running') return data
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** Every row against every member of a long list keeps a core busy for seconds. */
const SLOW = 'where any(many, x -> any(many, y -> any(many, z -> x * y * z * n < 0))) | stats count()'

describe('a query that is not waited for', () => {
  test('is a job at once, and every row of its result is reached by paging', async () => {
    const started = await server.post('/api/v1/query', { q: 'keep n', wait: 0, limit: 10 })
    assert.equal(started.status, 202)
    const { type, job_id, status, progress } = started.json.data as unknown as JobData
    assert.equal(type, 'job')
    assert.match(job_id, /^qry_[0-9a-f]{16}$/)
    assert.equal(status, 'running')
    assert.ok('percent' in progress && 'parts_total' in progress)
    assert.equal(started.headers.get('x-query-id'), job_id)
    const done = await ended(job_id)
    assert.equal(done.status, 'done')
    assert.equal(done.progress.percent, 100)
    assert.ok(done.completed_at! >= done.created_at)
    const seen: number[] = []
    for (let offset = 0; ; offset += 700) {
      const { results } = await job(job_id, `?limit=700&offset=${offset}`)
      assert.equal(results!.total, 5000)
      seen.push(...results!.events.map(event => event.n))
      if (!results!.has_more) break
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 5000 }, (_, n) => n),
    )
  })

  test('is told at once when its text is wrong', async () => {
    const answer = await server.post('/api/v1/query', { q: 'where ==', wait: 0 })
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error.code, 'INVALID_QUERY')
  })

  test('is listed newest first, by status too', async () => {
    const first = (await server.post('/api/v1/query', { q: 'head 1', wait: 0 })).json.data as unknown as JobData
    const second = (await server.post('/api/v1/query', { q: 'head 2', wait: 0 })).json.data as unknown as JobData
    await ended(first.job_id)
    await ended(second.job_id)
    const listed = (await server.get('/api/v1/query/jobs?status=done')).json.data as unknown as { jobs: JobData[] }
    assert.deepEqual(
      listed.jobs.slice(0, 2).map(each => each.job_id),
      [second.job_id, first.job_id],
    )
    assert.equal(listed.jobs[0]!.query, 'head 2')
    assert.equal((await server.get('/api/v1/query/jobs?status=sleeping')).status, 400)
    assert.equal((await server.get('/api/v1/query/jobs/qry_none')).status, 404)
  })
})

describe('a query that takes longer than its client waits', () => {
  test('becomes a job with all rows, counted ones included', async () => {
    const { status, json } = await server.post('/api/v1/query', {
      q: 'where any(many, x -> any(many, y -> x * y == 99 * n + 999)) or n >= 0 | keep n',
      wait: 0.02,
      limit: 3,
    })
    assert.equal(status, 202)
    const { job_id } = json.data as unknown as JobData
    const done = await ended(job_id)
    assert.equal(done.status, 'done', JSON.stringify(done.error))
    assert.equal(done.results!.total, 5000)
    const { results } = await job(job_id, '?limit=2&offset=4998')
    assert.deepEqual(
      results!.events.map(event => event.n),
      [4998, 4999],
    )
  })

  test('is canceled by DELETE, within moments, and frees its turn', async () => {
    const { json } = await server.post('/api/v1/query', { q: SLOW, wait: 0 })
    const { job_id } = json.data as unknown as JobData
    const answer = await server.request('DELETE', `/api/v1/query/jobs/${job_id}`)
    assert.deepEqual(answer.json.data, { job_id, status: 'canceled', canceled: true })
    const again = await server.request('DELETE', `/api/v1/query/jobs/${job_id}`)
    assert.deepEqual(again.json.data, { job_id, status: 'canceled', canceled: false })
    assert.equal((await server.post('/api/v1/query', { q: 'head 1' })).status, 200)
    assert.equal((await server.request('DELETE', '/api/v1/query/jobs/qry_none')).status, 404)
  })

  test('waits for its turn when others are at work, and is refused when too many wait', async () => {
    const small = await runningServer(engine, { 'query.max_concurrent': '1', 'query.max_queued': '1' })
    try {
      const ids: string[] = []
      for (let n = 0; n < 2; n++) {
        const { json } = await small.post('/api/v1/query', { q: SLOW, wait: 0 })
        ids.push((json.data as unknown as JobData).job_id)
      }
      const waiting = (await small.get(`/api/v1/query/jobs/${ids[1]}`)).json.data as unknown as JobData
      assert.equal(waiting.progress.phase, 'queued')
      const refused = await small.post('/api/v1/query', { q: 'head 1' })
      assert.equal(refused.status, 429)
      assert.equal(refused.json.error.code, 'TOO_MANY_QUERIES')
      assert.ok(refused.headers.get('retry-after'))
      for (const id of ids) await small.request('DELETE', `/api/v1/query/jobs/${id}`)
      assert.equal((await small.post('/api/v1/query', { q: 'head 1' })).status, 200)
    } finally {
      await small.stop()
    }
  })

  test('is stopped with 504 when it runs longer than any may', async () => {
    const strict = await runningServer(engine, { 'query.max_query_runtime': '30ms' })
    try {
      const answer = await strict.post('/api/v1/query', { q: SLOW })
      assert.equal(answer.status, 504)
      assert.equal(answer.json.error.code, 'QUERY_TIMEOUT')
    } finally {
      await strict.stop()
    }
  })

  test('ends with its client while that waits', async () => {
    const client = new AbortController()
    const asked = server.post('/api/v1/query', { q: SLOW }, {}, client.signal)
    await until(async () => (await metric('quern_queries_running')) === 1)
    client.abort()
    await assert.rejects(asked)
    await until(async () => (await metric('quern_queries_running')) === 0)
  })
})

describe('the progress of a job', () => {
  test('comes as events, with a glimpse of the groups, and ends with the result', async () => {
    const q = 'where any(many, x -> any(many, y -> x * y * n < 0) or x == 20) | stats count() by level | sort level'
    const { json } = await server.post('/api/v1/query', { q, wait: 0 })
    const { job_id } = json.data as unknown as JobData
    const events = await server.events(`/api/v1/query/jobs/${job_id}/stream`)
    assert.equal(events.at(-1)!.event, 'complete')
    const last = JSON.parse(events.at(-1)!.data)
    assert.deepEqual(last.data.rows, [
      ['error', 500],
      ['info', 4500],
    ])
    assert.equal(last.meta.query_id, job_id)
    assert.ok(events.slice(0, -1).every(({ event }) => event === 'progress'))
    assert.ok(events.length >= 2)
    const after = await server.events(`/api/v1/query/jobs/${job_id}/stream`)
    assert.deepEqual(
      after.map(({ event }) => event),
      ['complete'],
    )
  })

  test('ends with canceled, or with failed and why', async () => {
    const slow = (await server.post('/api/v1/query', { q: SLOW, wait: 0 })).json.data as unknown as JobData
    const watching = server.events(`/api/v1/query/jobs/${slow.job_id}/stream`)
    await server.request('DELETE', `/api/v1/query/jobs/${slow.job_id}`)
    assert.equal((await watching).at(-1)!.event, 'canceled')
    const wrong = (await server.post('/api/v1/query', { q: 'extend x = int!(level)', wait: 0 })).json
      .data as unknown as JobData
    const failed = (await server.events(`/api/v1/query/jobs/${wrong.job_id}/stream`)).at(-1)!
    assert.equal(failed.event, 'failed')
    assert.equal(JSON.parse(failed.data).code, 'QUERY_ERROR')
    assert.equal((await ended(wrong.job_id)).error?.code, 'QUERY_ERROR')
  })
})

test('a glimpse is what the groups are so far, and leaves the run as it was', async () => {
  const run = engine.query('stats count() by level | sort -count() | head 1')
  assert.equal(run.preview(10), null)
  const collected = run.collect()
  await new Promise(resolve => setImmediate(resolve))
  const glimpse = run.preview(10)
  if (glimpse !== null) assert.deepEqual(glimpse.columns, ['level', 'count()'])
  assert.deepEqual((await collected).rows, [['info', 4500]])
})

test('rows of a job are the same from memory and from its file, whatever the page', () => {
  const inMemory = new RowStore('test-a')
  const onDisk = new RowStore('test-b', 1)
  const rows = Array.from({ length: 9000 }, (_, n) => JSON.stringify({ n, text: 'é'.repeat(n % 200) }))
  for (const row of rows) {
    inMemory.add(row)
    onDisk.add(row)
  }
  for (const [limit, offset] of [
    [10, 0],
    [5000, 2000],
    [10, 8995],
    [10, 9000],
    [0, 5],
    [9000, 0],
  ] as const) {
    assert.deepEqual(onDisk.page(limit, offset), rows.slice(offset, offset + limit))
    assert.deepEqual(inMemory.page(limit, offset), rows.slice(offset, offset + limit))
  }
  inMemory.close()
  onDisk.close()
})

test('a table of a job has the types its values have', () => {
  const job = new JobRows('test-c', { kind: 'aggregate', columns: null, interval: null })
  for (const _ of job.pushing(
    batchOf(
      new Map([
        ['a', vectorOf([1, 2.5])],
        ['b', vectorOf(['x', null])],
      ]),
      2,
    ),
  ));
  const data = JSON.parse(job.pageText(1, 1))
  assert.deepEqual(data, {
    type: 'aggregate',
    columns: ['a', 'b'],
    types: ['float', 'string'],
    rows: [[2.5, null]],
    total_rows: 2,
    has_more: false,
  })
  job.close()
})

async function metric(name: string): Promise<number> {
  const { data } = (await server.get('/api/v1/metrics')).json as unknown as {
    data: Record<string, { value: number }>
  }
  return data[name]!.value
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 5))
}
