/** Queries over a pipe: what arrives can be read once, however many pipelines of the query read it; what it is like is told at its end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompileError, QueryMemoryError, queryStream } from '../engine.ts'
import { applyFixes } from '../grammar/index.ts'
import type { IncomingEvent } from '../storage/index.ts'
import { NOW, readEvents } from './case-input.ts'

/** Batches of two events, and how many of them were asked for. */
function arriving(count: number): { readonly events: AsyncGenerator<readonly IncomingEvent[]>; read(): number } {
  let read = 0
  async function* batches(): AsyncGenerator<readonly IncomingEvent[]> {
    for (let id = 0; id < count; id += 2) {
      read++
      yield readEvents([{ index: 'main', text: `{"id":${id},"wide":"x"}\n{"id":${id + 1},"other":"y"}` }])
    }
  }
  return { events: batches(), read: () => read }
}

async function ids(text: string, events: AsyncGenerator<readonly IncomingEvent[]>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const row of queryStream(text, events, { now: NOW }).rows()) found.push(row.id)
  return found
}

test('two pipelines over one pipe both see all of it', async () => {
  const { events } = arriving(6)
  assert.deepEqual(await ids('where id < 2 | union [where id > 3] | keep id', events), [0, 1, 4, 5])
})

test('a pipeline that stops early leaves the rest to the next', async () => {
  const { events } = arriving(6)
  assert.deepEqual(await ids('head 1 | union [tail 1] | keep id', events), [0, 5])
})

test('what nobody will read again is not read to the end', async () => {
  const { events, read } = arriving(100)
  assert.deepEqual(await ids('where id < 3 | head 1 | union [head 3] | keep id', events), [0, 0, 1, 2])
  assert.ok(read() <= 3, `${read()} batches read`)
})

test('what is kept for a later pipeline is charged to the memory of the query', async () => {
  const run = (text: string) => queryStream(text, arriving(2000).events, { now: NOW, memoryBytes: 20_000 }).collect()
  await assert.rejects(run('stats count() | union [stats count()]'), QueryMemoryError)
  assert.equal((await run('stats count()')).rows[0]?.[0], 2000)
})

async function hintsOf(query: string, ...batches: readonly string[]): Promise<string[]> {
  async function* events() {
    for (const text of batches) yield readEvents([{ index: 'main', text }])
  }
  const run = queryStream(query, events(), { now: NOW })
  await run.collect()
  return run.hints.map(({ code, message, suggestion }) => `${code}: ${message}${suggestion ? ` → ${suggestion}` : ''}`)
}

test('fields no event of a pipe has are told once all of it is read', async () => {
  const hints = await hintsOf('where hots == "a" or a.b == 1 or o == 2', '{"host":"a"}', '{"a":{"b":2},"o":{"x":1}}')
  assert.deepEqual(hints, ["H906: no event has a field 'hots' → host"])
})

test('of a query with mistakes a sample of the events says which fields it misspells, and all are told at once', () => {
  const text = 'status=500 | stats cont() by hots | sort -count() | hed 5'
  const sample = readEvents([{ index: 'main', text: '{"host":"a","status":500}\n{"host":"b","status":200}' }])
  assert.throws(
    () => queryStream(text, arriving(0).events, { now: NOW, sample }),
    (error: unknown) => {
      assert.ok(error instanceof CompileError)
      assert.deepEqual(
        error.diagnostics.map(({ code, message }) => `${code}: ${message}`),
        [
          "E104: no aggregate 'cont'",
          "E101: none of the first 2 events has a field 'hots'",
          "E102: there is no stage 'hed'",
        ],
      )
      assert.equal(
        applyFixes(error.source, error.diagnostics),
        'status=500 | stats count() by host | sort -count() | head 5',
      )
      return true
    },
  )
})

test('of a pipe that was not read to its end, or made by parse, nothing is said', async () => {
  assert.deepEqual(await hintsOf('extend x = later | head 1', '{"host":"a"}', '{"later":1}'), [])
  assert.deepEqual(await hintsOf('parse json | where status == 1', '{"host":"a"}'), [])
  assert.deepEqual(await hintsOf('where status == 1'), [])
  const joined = 'join on id with [keep *] as r | where r.ms > 1 | join on id with [where id == 1] | where ms_right > 1'
  assert.deepEqual(await hintsOf(joined, '{"id":1,"ms":1}'), [])
})

test('coercions are counted over all of it', async () => {
  const hints = await hintsOf('where status >= 400 | stats count()', '{"status":"200"}', '{"status":"500"}')
  assert.deepEqual(hints, ['H905: status holds strings; 2 were read as numbers, use int(status) → int(status)'])
})

test('a key of a transaction that every event has anyway is one column', async () => {
  const run = queryStream('transaction id, _raw', arriving(2).events, { now: NOW })
  for await (const { names } of run.batches()) assert.deepEqual([...new Set(names)], names)
})
