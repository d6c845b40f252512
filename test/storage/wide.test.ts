import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncomingEvent } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { allRows, event, rowOf, T0, withDirectory } from './store-support.ts'

const NEVER = { flushAgeMs: 1e9, compactionWorkers: 0 }
const FIELDS = 2000

/** Every kind of value, in fields that have one type, one value, or any of them. */
const VALUES: readonly Value[] = [
  1,
  -0,
  2.5,
  2n ** 60n,
  'text',
  '\ud800',
  true,
  null,
  new DateTime(T0, 7),
  new Duration(5),
  [1, 'a'],
  { deep: 1 },
]

function wideEvent(n: number): IncomingEvent {
  const fields: Record<string, Value> = { n, _source: 'wide' }
  for (let at = 0; at < 12; at++) {
    const number = ((n * 12 + at) * 7919) % FIELDS
    const value = number % 3 === 0 ? VALUES[(n + at) % VALUES.length] : VALUES[number % VALUES.length]
    fields[`field_${number}`] = value
  }
  // Late, early and far in the future, within a day each: where it lies in its part is no matter.
  return event(fields, { micros: T0 + ((n * 7907) % 2500) * 1000 })
}

test('two thousand fields of one source, each rare, of any type: nothing is refused, nothing lost, before and after merging', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, blockRows: 300 })
    const events = Array.from({ length: 800 }, (_, n) => wideEvent(n))
    const expected = events.map(rowOf)
    for (let from = 0; from < events.length; from += 200) {
      store.append(events.slice(from, from + 200))
      await store.flush()
    }
    const byNumber = (rows: ReturnType<typeof allRows>) => rows.sort((a, b) => Number(a.n) - Number(b.n))
    assert.deepStrictEqual(byNumber(allRows(store)), expected)
    await store.compact()
    assert.equal(store.status().partCount, 1)
    assert.deepStrictEqual(byNumber(allRows(store)), expected)
    const fields = new Set(store.snapshot().parts.flatMap(part => part.fields.map(field => field.name)))
    assert.ok(fields.size > 1900, `${fields.size} fields`)
    // A field of one event costs by its value, not by the rows of the block.
    assert.ok(store.status().storageBytes < 1_000_000, `${store.status().storageBytes} bytes`)
    await store.close()
  }))
