import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { test } from 'node:test'
import { BackpressureError, ClosedError } from '../../storage/errors.ts'
import { ReceiveTime } from '../../storage/ingest/receive-time.ts'
import { openStore } from '../../storage/store.ts'
import { allRows, DAY, event, fillableFilesystem, numbersIn, range, rowOf, T0, withDirectory } from './store-support.ts'

const NEVER = { flushAgeMs: 1e9 }

test('a store without a directory keeps everything in the buffer', async () => {
  const store = await openStore({ directory: null, blockRows: 3 })
  const events = range(0, 10).map(n => event({ n }))
  const receipt = store.append(events)
  assert.deepEqual([receipt.first, receipt.count], [1, 10])
  await receipt.published()
  assert.deepEqual(allRows(store), events.map(rowOf))
  assert.equal(store.append([event({ n: 10 })]).first, 11)
  assert.equal(store.status().bufferedCount, 11)
  await store.close()
  assert.throws(() => store.append([]), ClosedError)
})

test('a flush replaces buffered events by parts, one per index and day, and nothing is there twice or missing', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, blockRows: 4 })
    const events = range(0, 30).map(n =>
      event(
        { n, s: `v${n % 3}` },
        { micros: T0 + (n % 2) * DAY + n, index: n % 3 === 0 ? 'other' : 'main', raw: `line ${n}` },
      ),
    )
    store.append(events)
    const before = store.snapshot()
    await store.flush()
    assert.equal(store.status().partCount, 4)
    assert.equal(store.status().bufferedCount, 0)
    assert.equal(store.status().bufferedBytes, 0)
    assert.equal(store.status().eventCount, 30)
    assert.deepEqual(numbersIn(store), range(0, 30))
    assert.deepEqual(store.snapshot().indexes, ['main', 'other'])
    assert.equal(
      before.parts.reduce((sum, part) => sum + part.rowCount, 0),
      30,
    )
    before.release()
    const byNumber = (rows: ReturnType<typeof allRows>) => rows.sort((a, b) => Number(a.n) - Number(b.n))
    assert.deepEqual(byNumber(allRows(store)), events.map(rowOf))
    await store.close()
  }))

test('while events come and flushes run, every snapshot shows each event exactly once', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, flushAgeMs: 1, blockRows: 5, fsync: false })
    for (let n = 0; n < 60; n += 3) {
      store.append([event({ n }), event({ n: n + 1 }, { micros: T0 + DAY }), event({ n: n + 2 }, { index: 'b' })])
      assert.deepEqual(numbersIn(store), range(0, n + 3))
      await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual(numbersIn(store), range(0, n + 3))
    }
    await store.flush()
    assert.deepEqual(numbersIn(store), range(0, 60))
    await store.close()
  }))

test('a store opens with what it was closed with, and goes on counting', () =>
  withDirectory(async directory => {
    const first = await openStore({ directory, ...NEVER })
    first.append(range(0, 5).map(n => event({ n })))
    await first.close()
    const second = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(second), range(0, 5))
    assert.equal(second.append([event({ n: 5 })]).first, 6)
    await second.close()
    await second.close()
    const third = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(third), range(0, 6))
    const ids = third.snapshot().parts.map(part => part.id)
    assert.deepEqual(ids, [...ids].sort())
    await third.close()
  }))

test('rows and bytes start a flush before age does', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, flushRows: 10 })
    await store.append(range(0, 10).map(n => event({ n }))).published()
    assert.equal(store.status().partCount, 1)
    await store.close()
    const other = await openStore({ directory, ...NEVER, flushBytes: 1000 })
    await other.append([event({ n: 10 }, { raw: 'x'.repeat(1000) })]).published()
    assert.equal(other.status().partCount, 2)
    await other.close()
  }))

test('everyone who appended meanwhile is published by one write', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, flushAgeMs: 1 })
    await Promise.all(range(0, 50).map(n => store.append([event({ n })]).published()))
    assert.ok(store.status().partCount <= 2, `${store.status().partCount} parts`)
    await store.close()
  }))

test('a full buffer takes nothing of a request, and takes it after a flush', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, bufferBytesMax: 2000 })
    const batch = [event({ n: 0 }, { raw: 'x'.repeat(700) }), event({ n: 1 })]
    store.append(batch)
    const before = store.status()
    assert.throws(() => store.append(batch), BackpressureError)
    assert.deepEqual(store.status(), before)
    assert.deepEqual(numbersIn(store), [0, 1])
    await store.flush()
    store.append([event({ n: 2 })])
    assert.deepEqual(numbersIn(store), [0, 1, 2])
    await store.close()
  }))

test('an event without a time refuses the whole request', async () => {
  const store = await openStore({ directory: null })
  assert.throws(() => store.append([event({ n: 1 }), event({ n: 2 }, { micros: Number.NaN })]), TypeError)
  assert.deepEqual(allRows(store), [])
  await store.close()
})

test('a disk that is full keeps events readable, refuses more, and publishes them when there is room', () =>
  withDirectory(async directory => {
    const filesystem = fillableFilesystem()
    const store = await openStore({ directory, ...NEVER, filesystem })
    const receipt = store.append(range(0, 9).map(n => event({ n }, { micros: T0 + (n % 3) * DAY })))
    filesystem.full = true
    await assert.rejects(store.flush(), /ENOSPC/)
    assert.match(store.status().lastFlushError ?? '', /ENOSPC/)
    assert.deepEqual(numbersIn(store), range(0, 9))
    assert.ok(store.status().isDiskFull)
    const isRefusal = (error: unknown) => error instanceof BackpressureError && /disk is full/.test(error.message)
    assert.throws(() => store.append([event({ n: 9 })]), isRefusal)
    await assert.rejects(store.flush(), /ENOSPC/)
    assert.deepEqual(numbersIn(store), range(0, 9))
    assert.deepEqual(fs.readdirSync(`${directory}/parts`), [])
    filesystem.full = false
    await store.flush()
    await receipt.published()
    assert.equal(store.status().lastFlushError, null)
    assert.equal(store.status().isDiskFull, false)
    assert.equal(store.status().bufferedCount, 0)
    store.append([event({ n: 9 })])
    assert.deepEqual(numbersIn(store), range(0, 10))
    await store.close()
    const again = await openStore({ directory, ...NEVER })
    assert.deepEqual(numbersIn(again), range(0, 10))
    await again.close()
  }))

test('a failed background flush is tried again by itself', () =>
  withDirectory(async directory => {
    const filesystem = fillableFilesystem()
    const store = await openStore({ directory, flushAgeMs: 1, filesystem })
    filesystem.full = true
    const receipt = store.append([event({ n: 1 })])
    while (store.status().lastFlushError === null) await new Promise(resolve => setTimeout(resolve, 2))
    filesystem.full = false
    await receipt.published()
    assert.deepEqual(numbersIn(store), [1])
    await store.close()
  }))

test('a store that cannot write at its end says so to everyone who waits', () =>
  withDirectory(async directory => {
    const filesystem = fillableFilesystem()
    const store = await openStore({ directory, ...NEVER, filesystem })
    const published = store.append([event({ n: 1 })]).published()
    filesystem.full = true
    await assert.rejects(store.close(), /ENOSPC/)
    await assert.rejects(published, /ENOSPC/)
    const again = await openStore({ directory, ...NEVER })
    await again.close()
  }))

test('an event sent again is not stored again while it is remembered, and is published with the one it repeats', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, dedupCapacity: 4 })
    const first = store.append([event({ n: 1 }), event({ n: 2 }), event({ n: 1 })])
    assert.deepEqual([first.first, first.count, first.duplicates], [1, 2, 1])
    const again = store.append([event({ n: 2 }), event({ n: 1 })])
    assert.deepEqual([again.first, again.count, again.duplicates], [3, 0, 2])
    assert.equal(store.status().bufferedCount, 2)
    await again.published()
    assert.equal(store.status().bufferedCount, 0)
    // Everything counts: time, index, text, type, and a field more; the order of fields does not.
    const others = [
      event({ n: 1 }, { micros: T0 + 1 }),
      event({ n: 1 }, { index: 'other' }),
      event({ n: 1 }, { raw: 'n=1' }),
      event({ n: '1' }),
    ]
    assert.equal(store.append(others).count, 4)
    // Four more were seen since: forgotten.
    assert.equal(store.append([event({ n: 1 })]).count, 1)
    assert.equal(store.append([event({ a: 1, b: undefined, c: 3 })]).count, 1)
    assert.equal(store.append([event({ c: 3, a: 1 })]).count, 0)
    assert.equal(store.status().duplicateCount, 4)
    // Two equal lines without a time are two events, even of one moment.
    const now = new ReceiveTime(T0)
    const untimed = { ...event({ n: 9 }), time: now }
    assert.equal(store.append([untimed, untimed]).count, 2)
    assert.equal(store.append([untimed]).count, 1)
    await store.close()
  }))

test('an event that was refused is not remembered: it is to be sent again', async () => {
  const store = await openStore({ directory: null, bufferBytesMax: 200, dedupCapacity: 10 })
  store.append([event({ n: 1, s: 'x'.repeat(150) })])
  assert.throws(() => store.append([event({ n: 2 })]), BackpressureError)
  assert.throws(() => store.append([event({ n: 2 })]), BackpressureError)
  await store.close()
})
