import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { open } from '../../engine.ts'
import { loadConfig } from '../../server/config.ts'
import { listen } from '../../server/listen.ts'
import { eventsOf, readEvents } from './running.ts'

const QUIET = { port: '0', 'log.level': 'silent', 'otlp.http': 'off', 'otlp.grpc': 'off' }

test('tails and jobs do not hold up the stop, what is in memory is written, and the port is closed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-stop-'))
  const engine = await open(directory, { threads: 0, flushAgeMs: 60_000 })
  engine.ingest(eventsOf(10, n => ({ n }), Date.now()))
  const { url, closed, stop } = await listen(engine, loadConfig({ environment: {}, flags: QUIET }))
  const tail = await fetch(`${url}/api/v1/tail?q=n%3D*`)
  const seen: string[] = []
  const following = (async () => {
    for await (const { event } of readEvents(tail)) seen.push(event)
  })()
  const job = await fetch(`${url}/api/v1/query`, { method: 'POST', body: '{"q":"stats count()","wait":0}' })
  assert.equal(job.status, 202)
  while (!seen.includes('catchup_done')) await new Promise(resolve => setTimeout(resolve, 5))
  stop()
  await closed
  // It ended as a stream does, not as a connection that is cut.
  await following
  await assert.rejects(fetch(`${url}/health`))
  const again = await open(directory, { threads: 0 })
  assert.equal(again.status().eventCount, 10)
  await again.close()
  rmSync(directory, { recursive: true })
})

test('SIGHUP reads the file again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'quern-hup-'))
  const file = join(directory, 'quern.yaml')
  writeFileSync(file, 'query: {default_limit: 5}')
  const engine = await open(null, { threads: 0 })
  engine.ingest(eventsOf(10, n => ({ n })))
  const { url, closed, stop } = await listen(engine, loadConfig({ file, environment: {}, flags: QUIET }))
  const rows = async (): Promise<number> => {
    const answer = (await (await fetch(`${url}/api/v1/query?q=n%3D*`)).json()) as { data: { events: unknown[] } }
    return answer.data.events.length
  }
  assert.equal(await rows(), 5)
  writeFileSync(file, 'query: {default_limit: 7}')
  process.emit('SIGHUP')
  assert.equal(await rows(), 7)
  writeFileSync(file, 'query: {default_limits: 9}')
  process.emit('SIGHUP')
  assert.equal(await rows(), 7)
  stop()
  await closed
  assert.equal(process.listenerCount('SIGHUP'), 0)
  rmSync(directory, { recursive: true })
})
