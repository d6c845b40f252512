import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import { openPart } from '../../storage/part/read.ts'
import { textVectorOf } from '../../storage/part/shape.ts'
import { writePart } from '../../storage/part/write.ts'
import { openStore } from '../../storage/store.ts'
import { inspectPart } from '../../storage/tools/index.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import { valuesOf } from './part-support.ts'
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

test('the text of events of rare fields is written and read without making a column of them whole', () =>
  withDirectory(async directory => {
    const rowCount = 1000
    const shapes = 200
    const lines = Array.from({ length: rowCount }, (_, n) => `{"n":${n},"rare_${n % shapes}":"${n} times"}`)
    const full = { rowCount, presence: null }
    const thin = Array.from({ length: shapes }, (_, shape) => {
      const rows = Uint32Array.from({ length: rowCount / shapes }, (_, at) => at * shapes + shape)
      return [`rare_${shape}`, { rows, values: textVectorOf(Array.from(rows, n => `${n} times`)) }] as const
    })
    const block: BlockColumns = {
      rowCount,
      columns: new Map<string, Vector>([
        ['_time', { ...full, kind: 'time', micros: new Float64Array(rowCount).fill(T0), nanos: null }],
        ['_raw', textVectorOf(lines)],
        ['n', { ...full, kind: 'number', values: Float64Array.from(lines, (_, n) => n) }],
      ]),
      thin,
    }
    writePart(NODE_FILESYSTEM, directory, { id: 'p', index: 'main', blocks: [block], fsync: false })
    const path = `${directory}/p.part`
    const raw = inspectPart(NODE_FILESYSTEM, path).columns.find(({ field }) => field === '_raw')
    assert.deepEqual(raw?.encodings, { rebuilt: 1 })

    const made: string[] = []
    const cache = createChunkCache(1e9)
    const part = openPart(NODE_FILESYSTEM, path, {
      ...{
        bytes: 0,
        maxBytes: 1e9,
        get: cache.get.bind(cache),
        has: cache.has.bind(cache),
        drop: cache.drop.bind(cache),
        close() {},
      },
      set: (id, number, field, value, bytes) => {
        made.push(field)
        cache.set(id, number, field, value, bytes)
      },
      hasRoomFor: cache.hasRoomFor.bind(cache),
    })
    assert.deepEqual(valuesOf(part.block(0).column('_raw'), rowCount), lines)
    assert.deepEqual(
      made.filter(field => field.startsWith('rare_')),
      [],
    )
    // One that somebody has made whole is taken as it is.
    const again = openPart(NODE_FILESYSTEM, path, createChunkCache(1e9))
    assert.equal(valuesOf(again.block(0).column('rare_7'), rowCount)[207], '207 times')
    assert.deepEqual(valuesOf(again.block(0).column('_raw'), rowCount), lines)
    part.close()
    again.close()
  }))
