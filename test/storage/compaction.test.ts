import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { chooseMerge, type MergeCandidate } from '../../storage/compaction/choose.ts'
import { type Filesystem, NODE_FILESYSTEM } from '../../storage/filesystem.ts'
import type { Store } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { allRows, DAY, event, numbersIn, range, rowsOf, T0, withDirectory } from './store-support.ts'

const NEVER = { flushAgeMs: 1e9 }
const DAY_MS = DAY / 1000

/** Parts of a few events each: `n` from 0 on, in indexes a and b, on two days. */
async function manyParts(store: Store, parts: number, from = 0): Promise<void> {
  for (let part = 0; part < parts; part++) {
    const numbers = range(from + part * 5, from + part * 5 + 5)
    const micros = T0 + (part % 2) * DAY
    const index = part % 4 < 2 ? 'a' : 'b'
    store.append(numbers.map(n => event({ n, s: `v${n % 3}` }, { micros: micros + n, index, raw: `line ${n}` })))
    await store.flush()
  }
}

test('merging changes how many parts there are, not what they hold, and tells what it did', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, blockRows: 4, compactionWorkers: 0 })
    await manyParts(store, 12)
    const byNumber = (rows: ReturnType<typeof allRows>) => rows.sort((x, y) => Number(x.n) - Number(y.n))
    const before = byNumber(allRows(store))
    await store.compact()
    assert.deepEqual(byNumber(allRows(store)), before)
    const { partCount, nextSequence, leavingCount, eventCount } = store.status()
    assert.deepEqual([partCount, nextSequence, leavingCount, eventCount], [4, 61, 0, 60])
    const merges = store.compactions()
    assert.equal(merges.length, 4)
    for (const { rows, inputs, level, output, bytesIn, bytesOut } of merges) {
      assert.deepEqual([rows, inputs.length, level], [15, 3, 1])
      assert.ok(fs.existsSync(`${directory}/parts/${output}.part`))
      for (const input of inputs) assert.ok(!fs.existsSync(`${directory}/parts/${input}.part`))
      assert.ok(bytesIn > 0 && bytesOut > 0)
    }
    await store.close()
    const again = await openStore({ directory, ...NEVER })
    assert.deepEqual(byNumber(allRows(again)), before)
    assert.equal(again.status().nextSequence, 61)
    await again.close()
  }))

test('parts are merged by themselves as they come', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER })
    for (let n = 0; n < 40; n++) {
      store.append([event({ n })])
      await store.flush()
    }
    while (store.status().partCount >= 8) await nextTurn()
    assert.deepEqual(numbersIn(store), range(0, 40))
    assert.ok(store.compactions().length >= 4)
    await store.close()
  }))

test('a snapshot keeps the files of the parts it holds, and they go when it is released', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, compactionWorkers: 0 })
    await manyParts(store, 8)
    const snapshot = store.snapshot()
    const paths = snapshot.parts.map(part => part.path!)
    await store.compact()
    assert.equal(store.status().leavingCount, 8)
    assert.equal(snapshot.parts.flatMap(rowsOf).length, 40)
    for (const path of paths) assert.ok(fs.existsSync(path))
    snapshot.release()
    assert.equal(store.status().leavingCount, 0)
    for (const path of paths) assert.ok(!fs.existsSync(path))
    await store.close()
  }))

test('a start that finds a merged part beside what it was made of serves it alone, and removes the others', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, compactionWorkers: 0 })
    await manyParts(store, 8)
    // Merged twice, while the first inputs are still held: they are named by the second part as well.
    const held = store.snapshot()
    await store.compact()
    await manyParts(store, 4, 40)
    await store.compact()
    assert.equal(store.compactions().length, 8)
    const saved = held.parts.map(part => [part.path!, fs.readFileSync(part.path!)] as const)
    held.release()
    await store.close()
    for (const [path, bytes] of saved) fs.writeFileSync(path, bytes)
    fs.rmSync(`${directory}/catalog`, { recursive: true })
    const again = await openStore({ directory, ...NEVER, compactionWorkers: 0 })
    assert.deepEqual(numbersIn(again), range(0, 60))
    assert.deepEqual(again.status().quarantined, [])
    for (const [path] of saved) assert.ok(!fs.existsSync(path))
    await again.close()
  }))

test('when the merged part is damaged, what it was made of serves again', () =>
  withDirectory(async directory => {
    const store = await openStore({ directory, ...NEVER, compactionWorkers: 0 })
    await manyParts(store, 8)
    const saved = store.snapshot().parts.map(part => [part.path!, fs.readFileSync(part.path!)] as const)
    await store.compact()
    const [merged] = store.compactions()
    await store.close()
    for (const [path, bytes] of saved) fs.writeFileSync(path, bytes)
    fs.truncateSync(`${directory}/parts/${merged!.output}.part`, 100)
    const again = await openStore({ directory, ...NEVER, compactionWorkers: 0 })
    assert.deepEqual(numbersIn(again), range(0, 40))
    assert.equal(again.status().quarantined[0]?.part, merged!.output)
    await again.close()
  }))

test('events go when they are past the retention of their index, and not before; sequence numbers do not go back', () =>
  withDirectory(async directory => {
    let now = T0 / 1000
    const options = { directory, ...NEVER, clock: () => now, retentionMs: 10 * DAY_MS }
    const store = await openStore(options)
    await store.setRetention('logs', DAY_MS)
    await store.setRetention('audit', null)
    for (const [n, index] of ['main', 'logs', 'audit'].entries()) {
      store.append([event({ n }, { index, micros: T0 })])
      await store.flush()
    }
    now += DAY_MS
    await store.compact()
    assert.deepEqual(numbersIn(store), [0, 1, 2])
    now += 1
    await store.compact()
    assert.deepEqual(numbersIn(store), [0, 2])
    assert.deepEqual(
      store.indexes().map(({ name, retentionMs, eventCount }) => [name, retentionMs, eventCount]),
      [
        ['audit', null, 1],
        ['logs', DAY_MS, 0],
        ['main', 10 * DAY_MS, 1],
      ],
    )
    store.append([event({ n: 3 }, { micros: T0 + DAY })])
    await store.close()
    now += 12 * DAY_MS
    fs.rmSync(`${directory}/catalog`, { recursive: true })
    const again = await openStore(options)
    assert.deepEqual(numbersIn(again), [2])
    assert.equal(again.status().nextSequence, 5)
    await again.close()
  }))

test('a cut keeps parts on both sides of it apart, across a restart', () =>
  withDirectory(async directory => {
    const options = { directory, ...NEVER, compactionWorkers: 0 }
    const store = await openStore(options)
    await store.setCut('view', 16)
    await store.close()
    const again = await openStore(options)
    for (let n = 0; n < 30; n += 5) {
      again.append(range(n, n + 5).map(each => event({ n: each })))
      await again.flush()
    }
    await again.compact()
    const ranges = again.snapshot().parts.map(({ firstSequence, lastSequence }) => [firstSequence, lastSequence])
    assert.deepEqual(ranges, [
      [1, 15],
      [16, 30],
    ])
    await again.setCut('view', null)
    await again.compact()
    assert.equal(again.status().partCount, 1)
    await again.close()
  }))

test('readers see every event once while parts are written, merged and expire', () =>
  withDirectory(async directory => {
    let now = T0 / 1000
    const store = await openStore({ directory, flushAgeMs: 1, blockRows: 7, clock: () => now, fsync: false })
    await store.setRetention('short', DAY_MS)
    let appended = 0
    let isWriting = true
    const lifetimes = new Map<number, number>()
    const writer = (async () => {
      while (appended < 600) {
        const index = appended % 5 === 0 ? 'short' : 'main'
        const micros = now * 1000 - (appended % 3) * DAY
        const numbers = range(appended, appended + 4)
        if (index === 'short') for (const n of numbers) lifetimes.set(n, micros / 1000 + DAY_MS)
        store.append(numbers.map(n => event({ n }, { index, micros })))
        appended += 4
        now += 40_000
        await new Promise(resolve => setTimeout(resolve, 1))
      }
      isWriting = false
    })()
    const merger = (async () => {
      while (isWriting) {
        await store.compact()
        await nextTurn()
      }
    })()
    let looks = 0
    while (isWriting) {
      const numbers = numbersIn(store)
      assert.equal(new Set(numbers).size, numbers.length, 'nothing twice')
      const present = new Set(numbers)
      const gone = range(0, appended).filter(n => !present.has(n))
      assert.deepEqual(
        gone.filter(n => (lifetimes.get(n) ?? Number.POSITIVE_INFINITY) >= now),
        [],
      )
      looks++
      await nextTurn()
    }
    await Promise.all([writer, merger])
    assert.ok(looks > 10)
    assert.ok(store.compactions().length > 5)
    await store.close()
  }))

/** Counts what a filesystem is asked to sync. */
function countingSyncs(): Filesystem & { syncs: number } {
  return {
    ...NODE_FILESYSTEM,
    syncs: 0,
    fsync(fd) {
      this.syncs++
      NODE_FILESYSTEM.fsync(fd)
    },
    fsyncDirectory(path) {
      this.syncs++
      NODE_FILESYSTEM.fsyncDirectory(path)
    },
  }
}

test('a thousand callers that wait for publication share a few syncs, and nobody waits for the age of the buffer', () =>
  withDirectory(async directory => {
    const filesystem = countingSyncs()
    const store = await openStore({ directory, ...NEVER, filesystem, compactionWorkers: 0 })
    const waiting: Promise<void>[] = []
    for (let n = 0; n < 1000; n++) {
      waiting.push(store.append([event({ n })]).published())
      if (n % 10 === 9) await nextTurn()
    }
    await Promise.all(waiting)
    assert.deepEqual(numbersIn(store), range(0, 1000))
    assert.ok(filesystem.syncs >= 2)
    // A file and a directory a write, and fewer writes than a hundredth of the callers.
    assert.ok(filesystem.syncs <= 20, `${filesystem.syncs} syncs`)
    await store.close()
  }))

test('a day that is written to a million times has a few dozen parts, and rewrites an event a few times', () => {
  let parts: MergeCandidate[] = []
  let written = 0
  let rewritten = 0
  let most = 0
  const size = 100_000
  for (let number = 1; number <= 20_000; number++) {
    const id = String(number).padStart(8, '0')
    parts.push({ id, index: 'main', minMicros: T0, sizeBytes: size, firstSequence: number, lastSequence: number })
    written += size
    for (;;) {
      const chosen = chooseMerge(parts, { cuts: [], isQuiet: () => false })
      if (chosen === null) break
      const sizeBytes = chosen.reduce((sum, part) => sum + part.sizeBytes, 0)
      rewritten += sizeBytes
      parts = [...parts.filter(part => !chosen.includes(part)), { ...chosen[0]!, sizeBytes }]
    }
    most = Math.max(most, parts.length)
  }
  assert.ok(most < 40, `${most} parts`)
  assert.ok(rewritten / written < 5, `${rewritten / written} times`)
  const tidied = chooseMerge(parts, { cuts: [], isQuiet: () => true })
  assert.ok(tidied === null || tidied.length >= 2)
})

test('a day nobody writes to is tidied though one part is too small for all others', () => {
  const MB = 1_000_000
  const partOf = (sizeBytes: number, number: number): MergeCandidate => ({
    id: String(number),
    index: 'main',
    minMicros: T0,
    sizeBytes,
    firstSequence: number,
    lastSequence: number,
  })
  const parts = [9 * MB, 8 * MB, 37 * MB, 7 * MB, MB / 3].map(partOf)
  const rules = { cuts: [], isQuiet: () => true }
  assert.deepEqual(
    chooseMerge(parts, rules)?.map(({ id }) => id),
    ['0', '1', '2', '3'],
  )
  const uneven = [partOf(61 * MB, 0), partOf(MB / 3, 1)]
  assert.equal(chooseMerge(uneven, rules), null)
  // Two million events were one part or two, as the clock would have it.
  const forced = { ...rules, isForced: true }
  assert.deepEqual(chooseMerge(uneven, forced), uneven)
  assert.equal(chooseMerge([partOf(400 * MB, 0), partOf(300 * MB, 1)], forced), null, 'one part is not so large')
})
