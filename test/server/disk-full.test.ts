import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from '../../engine.ts'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/config.ts'
import { fillableFilesystem, withDirectory } from '../storage/store-support.ts'

test('while the disk is full ingest answers 503 and says why, queries answer, and all is well once there is room', () =>
  withDirectory(async directory => {
    const filesystem = fillableFilesystem()
    const config = loadConfig({ flags: { 'log.level': 'silent' }, environment: {} })
    const engine = await open(directory, { ...config.engineOptions(), flushAgeMs: 1e9, filesystem })
    const app = createApp(engine, config)
    const ask = async (url: string, payload?: string) => {
      const method = payload === undefined ? 'GET' : 'POST'
      const headers = payload === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
      return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.payload) }
    }
    const counted = async () => (await ask('/api/v1/query', '{"q":"stats count()"}')).body.data.rows[0][0]

    assert.equal((await ask('/api/v1/ingest', '[{"event":"one"}]')).status, 200)
    filesystem.full = true
    await assert.rejects(engine.flush(), /ENOSPC/)

    const refused = await ask('/api/v1/ingest', '[{"event":"two"}]')
    assert.equal(refused.status, 503)
    assert.equal(refused.body.error.code, 'BACKPRESSURE')
    assert.match(refused.body.error.message, /the disk is full/)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    const bulk = await ask('/_bulk', '{"index":{}}\n{"level":"info"}\n')
    assert.equal(bulk.body.errors, true)
    assert.equal(await counted(), 1)
    assert.equal((await ask('/health')).body.data.degraded, true)

    filesystem.full = false
    // Tried again by itself after a second.
    while (engine.status().isDiskFull) await new Promise(resolve => setTimeout(resolve, 20))
    assert.equal((await ask('/api/v1/ingest', '[{"event":"two"}]')).status, 200)
    assert.equal(await counted(), 2)
    assert.equal((await ask('/health')).body.data.degraded, false)
    await app.close()
    await engine.close()
  }))
