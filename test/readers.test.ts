/**
 * Whoever asks while parts are written, merged and expire gets the events of one moment, each once, on whichever way the answer is found:
 * rows, statistics of blocks, threads that open the files themselves, token filters, text, the newest first, a time range, a join, from disk.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Engine, open } from '../engine.ts'
import type { Snapshot } from '../storage/index.ts'
import type { Value } from '../storage/value.ts'
import { withDirectory } from './storage/store-support.ts'

const T0 = Date.UTC(2026, 0, 2)
const DAY = 86_400_000
const ROUNDS = 12
const EVENTS_A_ROUND = 60

interface Written {
  readonly n: number
  readonly index: string
  readonly at: number
}

/** Seeded: a failure comes again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

class World {
  now = T0
  readonly written: Written[] = []
  readonly #random: (below: number) => number

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  append(engine: Engine, count: number): void {
    for (let left = count; left > 0; left--) {
      const n = this.written.length
      const index = this.#random(4) === 0 ? 'short' : 'main'
      const at = this.now - this.#random(3) * DAY - this.#random(1000)
      this.written.push({ n, index, at })
      const document = { timestamp: new Date(at).toISOString(), n, kind: `k${n % 5}`, text: `number ${n} unique${n}` }
      engine.ingest([JSON.stringify(document)], { index })
    }
  }
}

type Asked = (
  text: string,
  options?: { from?: string; to?: string; memoryBytes?: number },
) => Promise<Record<string, Value>[]>

/** Every way must give what `expected` says; `all` are the numbers that are there, as the first of them found. */
async function askEveryWay(ask: Asked, expected: readonly Written[], pick: (below: number) => number): Promise<void> {
  const numbers = expected.map(({ n }) => n)
  const sum = numbers.reduce((total, n) => total + n, 0)
  const sorted = (rows: Record<string, Value>[]) => rows.map(({ n }) => Number(n)).sort((a, b) => a - b)

  assert.deepEqual(sorted(await ask('from * | keep n')), numbers, 'rows')
  assert.deepEqual(sorted(await ask('from * | sort n | keep n', { memoryBytes: 20_000 })), numbers, 'sorted on disk')
  const [all] = await ask('from * | stats count() as c, sum(n) as s, min(n) as low, max(n) as high, dc(n) as d')
  assert.deepEqual(
    { ...all },
    { c: numbers.length, s: sum, low: numbers[0], high: numbers.at(-1), d: numbers.length },
    'aggregated',
  )
  assert.equal((await ask('from * | stats count() as c'))[0]?.c, numbers.length, 'counted by statistics')
  const kinds = await ask('from * | stats count() as c by kind, index')
  assert.equal(
    kinds.reduce((total, { c }) => total + Number(c), 0),
    numbers.length,
    'grouped',
  )
  const newest = await ask('from * | sort -_time, -n | head 7 | keep n')
  const latest = [...expected].sort((a, b) => b.at - a.at || b.n - a.n).slice(0, 7)
  assert.deepEqual(
    newest.map(({ n }) => n),
    latest.map(({ n }) => n),
    'newest',
  )
  const one = expected[pick(expected.length)]!
  assert.deepEqual(sorted(await ask(`from * unique${one.n} | keep n`)), [one.n], 'found by its token')
  assert.deepEqual(
    sorted(await ask(`from * | where contains(_raw, "number ${one.n} u")`)),
    [one.n],
    'found in the text',
  )
  const middle = new Date(one.at).toISOString()
  assert.deepEqual(
    sorted(await ask('from * | keep n', { from: middle })),
    expected.filter(({ at }) => at >= one.at).map(({ n }) => n),
    'since',
  )
  assert.deepEqual(
    sorted(await ask('from * | keep n', { to: middle })),
    expected.filter(({ at }) => at < one.at).map(({ n }) => n),
    'until',
  )
  const joined = await ask(
    'from * | join on n with [from * | keep n, kind | rename kind as other] | where kind == other | keep n',
  )
  assert.deepEqual(sorted(joined), numbers, 'joined with itself')
}

for (const [name, threads] of [
  ['this thread', 0],
  ['threads', 2],
] as const) {
  test(`readers of ${name} see every event once on every way while parts are written, merged and expire`, () =>
    withDirectory(async directory => {
      const world = new World(7 + threads)
      const random = createRandom(99)
      const engine = await open(directory, {
        threads,
        parallelRowsMin: 0,
        flushAgeMs: 1,
        blockRows: 16,
        fsync: false,
        cacheBytes: 1 << 16,
        clock: () => world.now,
      })
      await engine.storage.setRetention('short', DAY)
      /** What a snapshot of now shows, found in the plainest way, and held against what was written. */
      const shownBy = async (snapshot: Snapshot): Promise<Written[]> => {
        const alive = new Set<number>()
        for await (const row of engine.query('from * | keep n', { snapshot }).rows()) {
          const n = Number(row.n)
          assert.ok(!alive.has(n), `${n} twice`)
          alive.add(n)
        }
        const { now, written } = world
        assert.equal(snapshot.nextSequence, written.length + 1)
        for (const { n, index, at } of written) {
          const mayBeGone = index === 'short' && at < now - DAY
          assert.ok(alive.has(n) || mayBeGone, `${n} of ${index} is missing`)
        }
        return written.filter(({ n }) => alive.has(n))
      }
      let isOver = false
      let merges = 0
      const merging = (async () => {
        while (!isOver) {
          await engine.storage.compact()
          await setTimeout(1)
        }
      })()
      try {
        for (let round = 0; round < ROUNDS; round++) {
          world.append(engine, EVENTS_A_ROUND)
          if (round % 3 === 0) await engine.flush()
          const snapshot = engine.snapshot()
          const expected = await shownBy(snapshot)
          // The world goes on under the snapshot: its files are merged away, its events expire.
          world.append(engine, random(EVENTS_A_ROUND))
          if (round % 2 === 0) await engine.flush()
          if (round % 4 === 1) world.now += DAY / 3
          merges += engine.storage.compactions().length
          const asking: Asked = async (text, options = {}) => {
            const rows: Record<string, Value>[] = []
            for await (const row of engine.query(text, { ...options, snapshot }).rows()) rows.push(row)
            return rows
          }
          await askEveryWay(asking, expected, random)
          snapshot.release()
          // Who brings no snapshot gets one of the moment he asks.
          const before = world.written.filter(({ index }) => index === 'main').length
          const run = engine.query('from main | stats count() as c, dc(n) as d').collect()
          world.append(engine, 3)
          const { rows } = await run
          assert.deepEqual([...rows[0]!], [before, before])
        }
      } finally {
        isOver = true
        await merging
        await engine.close()
      }
      assert.ok(merges > 0)
      assert.ok(world.written.some(({ index, at }) => index === 'short' && at < world.now - DAY))
    }))
}
