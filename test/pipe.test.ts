/** A query over a pipe: what the data is like is told at its end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryStream } from '../engine.ts'
import { NOW, readEvents } from './case-input.ts'

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

test('of a pipe that was not read to its end, or made by parse, nothing is said', async () => {
  assert.deepEqual(await hintsOf('extend x = later | head 1', '{"host":"a"}', '{"later":1}'), [])
  assert.deepEqual(await hintsOf('parse json | where status == 1', '{"host":"a"}'), [])
  assert.deepEqual(await hintsOf('where status == 1'), [])
})

test('coercions are counted over all of it', async () => {
  const hints = await hintsOf('where status >= 400 | stats count()', '{"status":"200"}', '{"status":"500"}')
  assert.deepEqual(hints, ['H905: status holds strings; 2 were read as numbers, use int(status) → int(status)'])
})
