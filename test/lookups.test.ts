/** Lookup tables and saved fragments as an engine finds them: in its data directory, in what it is given, and changed meanwhile. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CompileError, type Engine, type EngineOptions, open, QueryMemoryError, SAVED_QUERIES } from '../engine.ts'
import { openStore } from '../storage/store.ts'
import { NOW, readEvents } from './case-input.ts'

async function withData(
  options: EngineOptions,
  use: (engine: Engine, directory: string) => Promise<void>,
  prepare: (directory: string) => Promise<void> | void = () => {},
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'quern-lookups-'))
  try {
    mkdirSync(join(directory, 'lookups'))
    await prepare(directory)
    const engine = await open(directory, { fsync: false, ...options })
    try {
      engine.ingest(readEvents([{ index: 'main', text: '{"id":1,"ms":5}\n{"id":2,"ms":50}' }]))
      await use(engine, directory)
    } finally {
      await engine.close()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function rowsOf(engine: Engine, text: string): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const row of engine.query(text, { now: NOW }).rows()) rows.push(row)
  return rows
}

const messageOf = (error: unknown): string =>
  error instanceof CompileError ? error.diagnostics.map(each => each.message).join() : assert.fail(String(error))

test('files of lookups/ are tables, CSV and NDJSON', async () => {
  await withData({}, async (engine, directory) => {
    writeFileSync(join(directory, 'lookups', 'names.csv'), 'id,name\r\n1,"Ann, ""the"" first"\r\n')
    writeFileSync(join(directory, 'lookups', 'teams.ndjson'), '{"id":2,"team":{"name":"ops"}}\n\n')
    assert.deepEqual(
      await rowsOf(engine, 'lookup names on id | lookup teams on id | keep id, name, team.name | sort id'),
      [
        { id: 1, name: 'Ann, "the" first' },
        { id: 2, 'team.name': 'ops' },
      ],
    )
  })
})

test('a table that changes is read again, by the next query', async () => {
  await withData({}, async (engine, directory) => {
    const path = join(directory, 'lookups', 'names.csv')
    writeFileSync(path, 'id,name\n1,ann\n')
    const text = 'lookup names on id | where id == 1 | keep name'
    assert.deepEqual(await rowsOf(engine, text), [{ name: 'ann' }])
    const run = engine.query(text, { now: NOW })
    writeFileSync(path, 'id,name\n1,bob\n')
    utimesSync(path, 2_000_000_000, 2_000_000_000)
    assert.equal((await run.collect()).rows[0]?.[0], 'ann')
    assert.deepEqual(await rowsOf(engine, text), [{ name: 'bob' }])
  })
})

test('a table that is given goes before one of the same name in the directory', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'quern-given-'))
  const given = join(elsewhere, 'x.csv')
  writeFileSync(given, 'id,name\n1,given\n')
  await withData({ lookups: { names: given } }, async (engine, directory) => {
    writeFileSync(join(directory, 'lookups', 'names.csv'), 'id,name\n1,found\n')
    assert.deepEqual(await rowsOf(engine, 'lookup names on id | where id == 1 | keep name'), [{ name: 'given' }])
  })
  rmSync(elsewhere, { recursive: true })
})

test('what is wrong with a file is told where the query names the table', async () => {
  const broken: readonly (readonly [text: string, message: RegExp])[] = [
    ['', /it is empty/],
    ['id,id\n1,2\n', /two columns are named id/],
    ['id,\n1,2\n', /a column has no name/],
    ['id\n1,2\n', /row 1 has 2 cells/],
    ['id\n"1\n', /the quote in line 2 never ends/],
    ['_time\n1\n', /cannot be named _time/],
  ]
  await withData({}, async (engine, directory) => {
    for (const [index, [text, message]] of broken.entries()) {
      writeFileSync(join(directory, 'lookups', `t${index}.csv`), text)
      await assert.rejects(rowsOf(engine, `lookup t${index} on id`), error => message.test(messageOf(error)))
    }
    writeFileSync(join(directory, 'lookups', 'lines.ndjson'), '{"id":1}\nnot json\n')
    await assert.rejects(rowsOf(engine, 'lookup lines on id'), error => /line 2/.test(messageOf(error)))
  })
})

test('a table of no rows has its columns', async () => {
  await withData({}, async (engine, directory) => {
    writeFileSync(join(directory, 'lookups', 'names.csv'), 'id,name\n')
    assert.deepEqual(await rowsOf(engine, 'lookup names on id | where exists(name) | keep name'), [])
    assert.equal((await rowsOf(engine, 'lookup names on id')).length, 2)
  })
})

test('saved queries are fragments, by their name; what is given goes before', async () => {
  const saved = async (directory: string): Promise<void> => {
    const store = await openStore({ directory, fsync: false })
    await store.documents.put(SAVED_QUERIES, 'sq_1', { name: 'slow', q: 'where ms > 10' })
    await store.documents.put(SAVED_QUERIES, 'sq_2', { name: 'fast', q: 'where ms > 10' })
    await store.close()
  }
  await withData(
    { fragments: { fast: 'where ms < 10' } },
    async engine => {
      assert.deepEqual(await rowsOf(engine, 'use slow | keep id'), [{ id: 2 }])
      assert.deepEqual(await rowsOf(engine, 'use fast | keep id'), [{ id: 1 }])
    },
    saved,
  )
})

test('what a join holds is charged to the memory of the query', async () => {
  const engine = await open(null)
  try {
    const lines = Array.from({ length: 20_000 }, (_, id) => `{"id":"key ${id}"}`).join('\n')
    engine.ingest(readEvents([{ index: 'main', text: lines }]))
    const run = (memoryBytes: number) =>
      engine.query('join on id with [from main] | stats count()', { now: NOW, memoryBytes, diskBytes: 0 }).collect()
    await assert.rejects(run(100_000), QueryMemoryError)
    assert.equal((await run(10_000_000)).rows[0]?.[0], 20_000)
  } finally {
    await engine.close()
  }
})
