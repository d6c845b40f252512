import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Engine, open } from '../../engine.ts'
import { loadConfig } from '../../server/config.ts'
import { listen, type RunningServer } from '../../server/listen.ts'

describe('a server over a real engine', () => {
  let engine: Engine
  let running: RunningServer

  before(async () => {
    const config = loadConfig({ flags: { 'log.level': 'silent', port: '0' }, environment: {} })
    engine = await open(null, config.engineOptions())
    running = await listen(engine, config)
    await send(
      '/api/v1/ingest',
      '[{"event":"disk full","fields":{"level":"error","host":"web-1","n":9007199254740993}}]',
    )
    await send('/_bulk', '{"index":{"_index":"web"}}\n{"@timestamp":"2024-05-06T07:08:09Z","level":"info","ms":12}\n')
    await send('/api/v1/ingest/raw', '{"level":"info","ms":30}\nplain text\n')
  })

  after(async () => {
    running.stop()
    await running.closed
  })

  const send = (path: string, body: string) => fetch(running.url + path, { method: 'POST', body })
  const query = async (body: object) => {
    const answer = await send('/api/v1/query', JSON.stringify(body))
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }

  test('what was sent is found at once, as it was sent', async () => {
    const answer = await send('/api/v1/query', '{"q":"level=error"}')
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    assert.match(text, /"type":"events"/)
    assert.match(text, /"_raw":"disk full"/)
    assert.match(text, /"n":9007199254740993[,}]/)
    assert.equal(JSON.parse(text).data.total, 1)
  })

  test('the bulk index is the source', async () => {
    const { body } = await query({ q: 'source=web' })
    assert.equal(body.data.total, 1)
    assert.equal(body.data.events[0]._time, '2024-05-06T07:08:09.000Z')
  })

  test('an aggregate has columns in query order', async () => {
    const { body } = await query({ q: 'level=info | stats count() as n, sum(ms) as total by level' })
    assert.equal(body.data.type, 'aggregate')
    assert.deepEqual(body.data.columns, ['level', 'n', 'total'])
    assert.deepEqual(body.data.rows, [['info', 2, 42]])
  })

  test('variables are values, whatever their text looks like', async () => {
    const { body } = await query({
      q: '| where level == $level | stats count() as n',
      variables: { level: 'x" or true' },
    })
    assert.deepEqual(body.data.rows, [[0]])
  })

  test('a wrong query is answered with its place and frame', async () => {
    const { status, body } = await query({ q: 'from main | wehre level == "x"' })
    assert.equal(status, 400)
    assert.equal(body.error.code, 'INVALID_QUERY')
    assert.equal(body.error.position.line, 1)
    assert.match(body.error.errors[0].frame, /\^/)
  })

  test('a stream is every event and a last line', async () => {
    const answer = await send('/api/v1/query/stream', '{"q":"from main"}')
    const lines = (await answer.text()).trimEnd().split('\n')
    assert.equal(lines.length, 5)
    assert.equal(JSON.parse(lines.at(-1)!).__meta.total, 4)
  })

  test('explain answers right and wrong queries', async () => {
    const explain = async (q: string) => {
      const answer = await fetch(`${running.url}/api/v1/query/explain?q=${encodeURIComponent(q)}`)
      assert.equal(answer.status, 200)
      return JSON.parse(await answer.text()).data
    }
    assert.equal((await explain('level=error | stats count()')).is_valid, true)
    const wrong = await explain('| wehre x')
    assert.equal(wrong.is_valid, false)
    assert.ok(wrong.errors[0].position)
  })

  test('the catalog is there', async () => {
    const answer = await fetch(`${running.url}/api/v1/catalog`)
    assert.equal(answer.status, 200)
    assert.ok(answer.headers.get('etag'))
  })
})
