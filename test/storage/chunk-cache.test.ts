import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { CacheBudget } from '../../storage/part/cache-budget.ts'
import { type ChunkCache, createChunkCache } from '../../storage/part/chunk-cache.ts'

const KIB = 1024
const SECOND = 1000

interface Shared {
  readonly budget: CacheBudget
  readonly caches: readonly ChunkCache[]
  wait(ms: number): void
}

function sharedBy(count: number, maxBytes: number): Shared {
  let nowMs = 1_800_000_000_000
  const budget = CacheBudget.of(maxBytes, count)
  const caches = Array.from({ length: count }, () =>
    createChunkCache({ budget, share: budget.take()!, now: () => nowMs }),
  )
  return {
    budget,
    caches,
    wait(ms) {
      nowMs += ms
    },
  }
}

const fill = (cache: ChunkCache, part: string, count: number, bytes = KIB): void => {
  for (let block = 0; block < count; block++) cache.set(part, block, 'a', { part, block }, bytes)
}
const countOf = (cache: ChunkCache, part: string, count: number): number =>
  Array.from({ length: count }, (_, block) => cache.get(part, block, 'a')).filter(value => value !== undefined).length

test('who needs room is given what another has not used for long', () => {
  const { caches, wait } = sharedBy(2, 4096 * KIB)
  const [one, two] = caches as [ChunkCache, ChunkCache]
  fill(one, 'p', 4096)
  wait(2 * SECOND)
  fill(two, 'q', 3000)
  assert.equal(countOf(two, 'q', 3000), 3000)
  assert.equal(one.get('p', 0, 'a'), undefined, 'it gives up when it comes to its cache')
  assert.ok(one.bytes + two.bytes <= 4096 * KIB)
  assert.ok(countOf(one, 'p', 4096) > 0)
})

test('threads at work at the same time do not take from each other', () => {
  const { caches, wait } = sharedBy(2, 4096 * KIB)
  const [one, two] = caches as [ChunkCache, ChunkCache]
  fill(one, 'p', 2048)
  fill(two, 'q', 2048)
  wait(100)
  fill(two, 'r', 1000)
  assert.equal(countOf(one, 'p', 2048), 2048)
  assert.equal(countOf(two, 'r', 1000), 1000)
  assert.equal(countOf(two, 'q', 2048), 1048)
})

test('there is room where only what nobody has used lately would have to go', () => {
  const { budget, caches, wait } = sharedBy(2, 100 * KIB)
  const [one, two] = caches as [ChunkCache, ChunkCache]
  fill(one, 'p', 40)
  wait(10 * SECOND)
  fill(one, 'q', 40)
  assert.ok(one.hasRoomFor(20 * KIB))
  assert.ok(!one.hasRoomFor(60 * KIB), 'who has waited comes back to what he read last')
  for (let query = 0; query < 4; query++) budget.noteQuery()
  assert.ok(one.hasRoomFor(50 * KIB), 'the first forty are stale')
  assert.ok(!one.hasRoomFor(61 * KIB))
  assert.ok(!one.hasRoomFor(30 * KIB, 51 * KIB), 'nothing goes for what could not be kept')
  assert.ok(one.hasRoomFor(20 * KIB, 500 * KIB))
  assert.ok(two.hasRoomFor(50 * KIB), 'of what another holds half is taken to be, where the oldest is')
  assert.ok(!two.hasRoomFor(61 * KIB))
  countOf(one, 'p', 40)
  assert.ok(!one.hasRoomFor(21 * KIB), 'all was used just now')
})

test('what a thread held is free when it lets go of its share, and another may take it', () => {
  const { budget, caches } = sharedBy(2, 100 * KIB)
  fill(caches[0]!, 'p', 100)
  assert.equal(budget.take(), null)
  caches[0]!.close()
  fill(caches[1]!, 'q', 100)
  assert.equal(countOf(caches[1]!, 'q', 100), 100)
  assert.equal(budget.take(), 0)
})

test('what was found and what was decoded is counted over all threads', () => {
  const { budget, caches } = sharedBy(2, 100 * KIB)
  fill(caches[0]!, 'p', 3)
  fill(caches[1]!, 'p', 2)
  caches[0]!.get('p', 0, 'a')
  caches[0]!.get('p', 7, 'a')
  assert.deepEqual(budget.status, { bytes: 5 * KIB, maxBytes: 100 * KIB, hits: 1, misses: 5 })
})

test('whatever threads do, they stay within the budget, and hold what they say', () => {
  const action = fc.record({
    cache: fc.nat(2),
    kind: fc.constantFrom('set', 'set', 'set', 'get', 'drop', 'wait'),
    part: fc.constantFrom('p', 'q', 'r'),
    block: fc.nat(8),
    bytes: fc.integer({ min: 1, max: 40 * KIB }),
    ms: fc.nat(1500),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), actions => {
      const { budget, caches, wait } = sharedBy(3, 100 * KIB)
      const last = caches.map(() => new Map<string, object>())
      for (const { cache: number, kind, part, block, bytes, ms } of actions) {
        const cache = caches[number]!
        const known = last[number]!
        const key = `${part} ${block}`
        if (kind === 'wait') wait(ms)
        else if (kind === 'drop') {
          cache.drop(part)
          for (const each of known.keys()) if (each.startsWith(part)) known.delete(each)
        } else if (kind === 'set') {
          const value = {}
          cache.set(part, block, 'a', value, bytes)
          known.set(key, value)
          assert.equal(cache.get(part, block, 'a'), value)
        } else {
          const found = cache.get(part, block, 'a')
          if (found !== undefined) assert.equal(found, known.get(key))
        }
      }
      for (const cache of caches) cache.get('p', 0, 'a')
      const held = caches.reduce((sum, cache) => sum + cache.bytes, 0)
      assert.ok(held <= 100 * KIB, `${held}`)
      // Each is told in whole KiB.
      assert.ok(budget.status.bytes - held < caches.length * KIB)
    }),
  )
})

test('a thread without work hears that it is to give up', async () => {
  const budget = CacheBudget.of(4096 * KIB, 2)
  const cache = createChunkCache({ budget, share: budget.take()! })
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    Promise.all([import(workerData.cache), import(workerData.budget)]).then(([{ createChunkCache }, { CacheBudget }]) => {
      const budget = CacheBudget.at(workerData.memory)
      const onGivenUp = () => parentPort.postMessage(theirs.bytes)
      const theirs = createChunkCache({ budget, share: workerData.share, now: () => Date.now() - 60_000 }, { onGivenUp })
      for (let block = 0; block < 4; block++) theirs.set('p', block, 'a', {}, 1 << 20)
      parentPort.on('message', () => {})
      parentPort.postMessage('full')
    })`
  const workerData = {
    cache: new URL('../../storage/part/chunk-cache.js', import.meta.url).href,
    budget: new URL('../../storage/part/cache-budget.js', import.meta.url).href,
    memory: budget.memory,
    share: budget.take()!,
  }
  const worker = new Worker(code, { eval: true, workerData })
  try {
    assert.deepEqual(await once(worker, 'message'), ['full'])
    const given = once(worker, 'message')
    cache.set('q', 0, 'a', {}, 2 << 20)
    const bytes: number[] = (await given) as number[]
    while (budget.status.bytes > 4096 * KIB) await setTimeout(1)
    assert.ok(bytes[0]! < 4 << 20)
    assert.notEqual(cache.get('q', 0, 'a'), undefined)
  } finally {
    await worker.terminate()
    cache.close()
  }
})

test('it is told when so much was dropped to make room, by whichever thread', () => {
  const { budget, caches } = sharedBy(2, 100 * KIB)
  const [one, two] = caches as [ChunkCache, ChunkCache]
  let told = 0
  budget.whenDropped(50 * KIB, () => told++)
  fill(one, 'p', 100)
  one.drop('p')
  fill(one, 'q', 100)
  assert.equal(told, 0, 'the chunks of a part that is closed made no room for others')
  fill(one, 'r', 49)
  assert.equal(told, 0)
  fill(one, 's', 1)
  assert.equal(told, 1)
  fill(one, 't', 100)
  assert.equal(told, 3)
  const elsewhere = CacheBudget.at(budget.memory)
  elsewhere.share(1).noteDropped(50 * KIB)
  assert.equal(told, 3, 'another thread dropped it')
  budget.noteQuery()
  assert.equal(told, 4)
  assert.equal(two.bytes, 0)
})
