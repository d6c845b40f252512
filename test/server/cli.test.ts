import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Engine, open } from '../../engine.ts'
import { eventsOf, type Running, runningServer } from './running.ts'

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url))

let engine: Engine
let server: Running
before(async () => {
  engine = await open(null, { threads: 0 })
  engine.ingest(eventsOf(20, n => ({ n }), Date.now() - 1000))
  server = await runningServer(engine)
})
after(async () => {
  await server.stop()
  await engine.close()
})

function quern(...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended>; out(): string } {
  const child = spawn(process.execPath, [MAIN, ...args, '--server', server.url], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<Ended>(resolve => {
    child.on('close', code => resolve({ code, out, errors }))
  })
  return { child, ended, out: () => out }
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly errors: string
}

describe('quern tail', () => {
  test('prints the newest results and those that come, comes back after a cut, and ends with 130 when interrupted', async () => {
    const { child, ended, out } = quern('tail', 'where n >= 0 | keep n', '--count', '2')
    while (out() !== '{"n":18}\n{"n":19}\n') await new Promise(resolve => setTimeout(resolve, 10))
    await server.dropConnections()
    engine.ingest(eventsOf(2, n => ({ n: 20 + n })))
    while (!out().endsWith('{"n":21}\n')) await new Promise(resolve => setTimeout(resolve, 10))
    child.kill('SIGINT')
    const { code } = await ended
    assert.equal(code, 130)
    assert.equal(out(), '{"n":18}\n{"n":19}\n{"n":20}\n{"n":21}\n')
  })

  test('ends at head, and with 4 for a wrong query', async () => {
    const counted = await quern('tail', 'where n >= 0 | head 3', '--format', 'text').ended
    assert.equal(counted.code, 0)
    assert.equal(counted.out.trimEnd().split('\n').length, 3)
    const wrong = await quern('tail', 'where ==').ended
    assert.equal(wrong.code, 4)
    const unsupported = await quern('tail', '| stats count()').ended
    assert.deepEqual([unsupported.code, unsupported.errors.includes('stats cannot stand in a live tail')], [2, true])
  })
})

test('a query with mistakes is told with all of it corrected', async () => {
  const { code, errors } = await quern('query', 'where n > 1 | stats cont() by n').ended
  assert.deepEqual([code, errors.trimEnd().split('\n').at(-1)], [4, 'try: where n > 1 | stats count() by n'])
})

test('quern jobs lists, shows and cancels', async () => {
  const { json } = await server.post('/api/v1/query', { q: 'where n < 2 | keep n', wait: 0 })
  const { job_id: id } = json.data as unknown as { job_id: string }
  const shown = await quern('jobs', 'show', id, '--wait').ended
  assert.deepEqual([shown.code, shown.out], [0, '{"n":0}\n{"n":1}\n'])
  const listed = await quern('jobs').ended
  assert.ok(listed.out.includes(id) && listed.out.includes('done'))
  const canceled = await quern('jobs', 'cancel', id).ended
  assert.match(canceled.errors, /had ended already: done/)
  assert.equal((await quern('jobs', 'show', 'qry_none').ended).code, 1)
})
