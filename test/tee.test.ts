/** tee: what comes to it is in the file, all of it, whatever is done with the rows after. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompileError, open } from '../engine.ts'
import { NOW, readEvents } from './case-input.ts'

const LINES = '{"id":1,"ms":5}\n{"id":2,"ms":50}\n{"id":3,"ms":70}'

/** The rows of a query and what it wrote, by path. */
async function run(text: string): Promise<{ readonly rows: number; readonly files: ReadonlyMap<string, string> }> {
  const files = new Map<string, string>()
  const openFile = (path: string) => {
    files.set(path, '')
    return { write: (lines: string) => void files.set(path, files.get(path) + lines), close: () => {} }
  }
  const engine = await open(null)
  try {
    engine.ingest(readEvents([{ index: 'main', text: LINES }]))
    const { total } = await engine.query(text, { now: NOW, openFile }).collect()
    return { rows: total, files }
  } finally {
    await engine.close()
  }
}

const codesOf = (error: unknown): string[] =>
  error instanceof CompileError ? error.diagnostics.map(each => each.code) : assert.fail(String(error))

test('rows are written as NDJSON and go on', async () => {
  const { rows, files } = await run('where ms > 10 | keep id, ms | tee "/tmp/slow" | where id == 2')
  assert.equal(rows, 1)
  assert.deepEqual([...files], [['/tmp/slow', '{"id":2,"ms":50}\n{"id":3,"ms":70}\n']])
})

test('a head after it does not cut the file short', async () => {
  const { rows, files } = await run('keep id | tee "/tmp/all" | head 1')
  assert.equal(rows, 1)
  assert.equal(files.get('/tmp/all'), '{"id":1}\n{"id":2}\n{"id":3}\n')
})

test('two files of one query', async () => {
  const { files } = await run('keep id | tee "/tmp/a" | where id > 2 | tee "/tmp/b" | stats count()')
  assert.equal(files.get('/tmp/a'), '{"id":1}\n{"id":2}\n{"id":3}\n')
  assert.equal(files.get('/tmp/b'), '{"id":3}\n')
})

test('a file is named by its whole path', async () => {
  await assert.rejects(run('tee "slow.ndjson"'), error => codesOf(error).join() === 'E206')
})

test('it stands in the query itself: lets and brackets may run more than once', async () => {
  await assert.rejects(run('head 1 | union [tee "/tmp/a"]'), error => codesOf(error).join() === 'E401')
  await assert.rejects(run('let $a = tee "/tmp/a"; from $a'), error => codesOf(error).join() === 'E401')
})
