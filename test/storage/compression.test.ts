/** `StoreOptions.compression`: what new and merged parts are compressed with, and that any mix of them is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../server/config.ts'
import { NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import type { Codec, IncomingEvent, Store } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { inspectPart } from '../../storage/tools/index.ts'
import { event, numbersIn, withDirectory } from './store-support.ts'

const NEVER = { flushAgeMs: 1e9, compactionWorkers: 0 }
const ROWS = 500

/** Text that repeats itself enough for any codec, in words too many for codes. */
const events = (from: number): IncomingEvent[] =>
  Array.from({ length: ROWS }, (_, at) => {
    const n = from + at
    return event({ n, path: `/a/path/that/is/long/enough/${(n * 7919) % 100_003}/index.html` })
  })

/** Of all columns that are worth compressing. */
function codecsIn(store: Store): string[] {
  const snapshot = store.snapshot()
  const codecs = snapshot.parts.flatMap(({ path }) =>
    path === null ? [] : inspectPart(NODE_FILESYSTEM, path).columns.flatMap(column => Object.keys(column.codecs)),
  )
  snapshot.release()
  return [...new Set(codecs)].filter(codec => codec !== 'none').sort()
}

const expected = (rows: number): number[] => Array.from({ length: rows }, (_, n) => n)

test('parts are compressed as the store was told, and read whatever they were compressed with', () =>
  withDirectory(async directory => {
    const found: Record<string, string[]> = {}
    let rows = 0
    for (const compression of ['none', 'lz4', 'zstd'] as const satisfies readonly Codec[]) {
      const store = await openStore({ directory, ...NEVER, compression })
      const before = codecsIn(store)
      store.append(events(rows))
      await store.flush()
      rows += ROWS
      found[compression] = codecsIn(store).filter(codec => !before.includes(codec))
      assert.deepEqual(numbersIn(store), expected(rows))
      await store.close()
    }
    assert.deepEqual(found, { none: [], lz4: ['lz4'], zstd: ['zstd'] })
    for (const compression of ['lz4', 'none', 'zstd'] as const satisfies readonly Codec[]) {
      const store = await openStore({ directory, ...NEVER, compression })
      store.append(events(rows))
      await store.flush()
      rows += ROWS
      await store.compact()
      assert.equal(store.status().partCount, 1)
      assert.deepEqual(codecsIn(store), compression === 'none' ? [] : [compression], 'a merge writes all anew')
      assert.deepEqual(numbersIn(store), expected(rows))
      await store.close()
    }
  }))

test('storage.compression is what the engine is opened with', () => {
  const codecOf = (environment: Record<string, string>) => loadConfig({ environment }).engineOptions().compression
  assert.equal(codecOf({}), 'zstd')
  assert.equal(codecOf({ QUERN_STORAGE_COMPRESSION: 'lz4' }), 'lz4')
  assert.equal(codecOf({ SERVICE_STORAGE_COMPRESSION: 'none' }), 'none')
  assert.throws(() => codecOf({ QUERN_STORAGE_COMPRESSION: 'gzip' }), /zstd, lz4, none/)
})
