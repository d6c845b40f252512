/** Work shared between threads: what crosses over arrives as it left, and the answer is the one a single thread gives. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { FUNCTIONS } from '../../../compiler/functions/index.ts'
import { compile } from '../../../compiler/index.ts'
import { packPlan, unpackPlan } from '../../../compiler/physical/transfer.ts'
import { type Engine, open } from '../../../engine.ts'
import type { SharedAggregation } from '../../../runtime/connect.ts'
import { Interner } from '../../../runtime/helpers/interner.ts'
import type { Place } from '../../../runtime/operators/scan.ts'
import { type Lanes, type LaneTask, NOT_RUN } from '../../../runtime/parallel/lanes.ts'
import type { WholeTask } from '../../../runtime/parallel/messages.ts'
import { ThreadPool } from '../../../runtime/parallel/pool.ts'
import { shareWork } from '../../../runtime/parallel/share.ts'
import { packValue, unpackValue } from '../../../runtime/parallel/values.ts'
import { SHARED_MS_MIN, WorkLedger } from '../../../runtime/parallel/work.ts'
import { emptyProfile } from '../../../runtime/profile.ts'
import type { Program } from '../../../runtime/program.ts'
import type { IncomingEvent } from '../../../storage/index.ts'
import { CacheBudget } from '../../../storage/part/cache-budget.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { NOW } from '../../case-input.ts'
import { InlineLanes } from '../../inline-lanes.ts'
import { InlineWhole } from '../../inline-whole.ts'
import { anyValue } from '../helpers/arbitrary-values.ts'

const QUERIES = [
  'stats count(), sum(n), avg(n), min(n), max(host), dc(host), p90(n), values(level), mode(level) by level',
  'stats count(), first(host), last(n), list(n), earliest(host), latest(n), median(n), stdev(n), estdc(n)',
  'where n > 10 | extend twice = n * 2, d = 1m | stats sum(twice), max(d) by bin(_time, 5m), host',
  'extend o = {a: n, b: [level]} | stats count(), max(o) by o | sort -count(), o | head 5',
  'stats count() by host, level, n | stats count(), max(n) by host',
] as const

function events(count: number): IncomingEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    index: 'main',
    time: new DateTime(NOW.micros + n * 1_000_000),
    raw: null,
    fields: new Map<string, Value>([
      ['n', n % 97 === 0 ? null : n % 89],
      ['host', `web-${n % 13}`],
      ['level', n % 7 === 0 ? 'error' : 'info'],
    ]),
  }))
}

async function onDisk<T>(
  options: { readonly lanes?: Lanes; readonly threads?: number },
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'quern-parallel-'))
  const engine = await open(directory, { threads: 0, parallelRowsMin: 0, fsync: false, blockRows: 64, ...options })
  try {
    for (let part = 0; part < 3; part++) {
      engine.ingest(events(500))
      await engine.flush()
    }
    // Not flushed: only the main thread has these.
    engine.ingest(events(50))
    return await use(engine)
  } finally {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Rows as text in an order of their own; sums may round differently. */
async function answerOf(engine: Engine, query: string): Promise<string[]> {
  const { rows } = await engine.query(query, { now: NOW }).collect()
  const round = (_: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return `${value}n`
    return typeof value === 'number' ? Number(value.toPrecision(10)) : value
  }
  return rows.map(row => JSON.stringify(row, round)).sort()
}

describe('work shared between threads', () => {
  it('takes values across', () => {
    fc.assert(
      fc.property(anyValue, value => {
        assert.deepEqual(unpackValue(structuredClone(packValue(value))), value)
      }),
    )
    const times = [new DateTime(5, 7), new Duration(-3), [new DateTime(0)], { __proto: 1, d: new Duration(1) }]
    for (const value of times) assert.deepEqual(unpackValue(structuredClone(packValue(value))), value)
  })

  it('takes plans across, with everything a literal may be', () => {
    const odd = 'where x in [9007199254740993, 1.5, null, "a", 5m, 2026-01-01T00:00:00Z] and y != {`$`: [-0.0]}'
    for (const query of [...QUERIES, `${odd} | stats p99(n, where n > 1e300) by lower(host)`]) {
      const catalog = { indexes: ['main'], sources: [], fields: () => new Map(), lookups: [], lookup: () => null }
      const { program } = compile(query, { catalog, now: NOW })
      const text = program.splits[0]?.text() ?? assert.fail(`${query} is not split`)
      assert.equal(packPlan(unpackPlan(text, FUNCTIONS), FUNCTIONS), text)
    }
  })

  it('gives the answer of one thread', async () => {
    const lanes = new InlineLanes(3)
    const alone = await onDisk({}, engine => Promise.all(QUERIES.map(query => answerOf(engine, query))))
    const shared = await onDisk({ lanes }, engine => Promise.all(QUERIES.map(query => answerOf(engine, query))))
    assert.deepEqual(shared, alone)
    assert.equal(lanes.answered, 3 * QUERIES.length)
  })

  it('does itself what a thread could not', async () => {
    const failing: Lanes = {
      rowsMin: 0,
      work: null,
      ready: () => 2,
      expected: () => 2,
      run: () => ({ result: Promise.resolve(null), cancel: () => {} }),
    }
    const alone = await onDisk({}, engine => answerOf(engine, QUERIES[0]))
    assert.deepEqual(await onDisk({ lanes: failing }, engine => answerOf(engine, QUERIES[0])), alone)
  })

  it('takes in what a thread found that was only starting, and does not wait for one that comes too late', async () => {
    const lanes = new InlineLanes(1)
    const ways: string[] = []
    let canceled = 0
    const late: Lanes = {
      rowsMin: 1,
      work: { isShared: () => true, note: (_plan, _rows, way) => void ways.push(way) },
      ready: () => 0,
      expected: () => 2,
      run: (lane, task, interner) =>
        lane === 0 ? lanes.run(lane, task, interner) : { result: new Promise(() => {}), cancel: () => void canceled++ },
    }
    const alone = await onDisk({}, engine => answerOf(engine, QUERIES[0]))
    assert.deepEqual(await onDisk({ lanes: late }, engine => answerOf(engine, QUERIES[0])), alone)
    assert.equal(lanes.answered, 1)
    assert.equal(canceled, 2, 'that one, and all of them when the run is over')
    assert.deepEqual(ways, [], 'it was neither way')
    const never = { ...late, run: () => ({ result: new Promise<null>(() => {}), cancel: () => {} }) }
    assert.deepEqual(await onDisk({ lanes: never }, engine => answerOf(engine, QUERIES[0])), alone)
    assert.deepEqual(ways, ['alone'])
  })

  it('goes through blocks as they lie in the file while no thread is there yet', async () => {
    const places = Array.from({ length: 9 }, (_, number) => ({
      number,
      partNumber: 0,
      part: { path: '/p' },
      block: { rowCount: 64 },
    }))
    const orderWith = async (ready: number): Promise<number[]> => {
      const work = shareWork({ query: '', hash: '' } as Program, places as unknown as Place[], {
        lanes: { rowsMin: 0, work: null, ready: () => ready, expected: () => 2, run: () => NOT_RUN },
        of: { split: { text: () => '' }, aggregate: { keys: [] } } as unknown as SharedAggregation,
        profile: emptyProfile(),
        nowMicros: 0,
        memoryBytes: 0,
        isCanceled: () => true,
      })
      for await (const share of work) return share.places.map(({ number }) => number)
      return []
    }
    assert.deepEqual(await orderWith(0), [0, 1, 2, 3, 4, 5, 6, 7, 8])
    assert.notDeepEqual(await orderWith(2), [0, 1, 2, 3, 4, 5, 6, 7, 8], 'its own first')
  })

  it('goes the way that was quicker, until it is no longer', async () => {
    const lanes = new InlineLanes(1)
    const work = new WorkLedger(2)
    const asked: string[] = []
    const choosing: Lanes = {
      rowsMin: 1,
      work: {
        isShared: (plan, rows, otherwise) => work.isShared(plan, rows, otherwise),
        note: (plan, rows, way) => {
          asked.push(way)
          // Shared is quicker until it is slower.
          work.note(plan, rows, way, way === 'alone' ? 10 : asked.length < 12 ? 8 : 20)
        },
      },
      ready: () => 1,
      expected: () => 1,
      run: (lane, task, interner) => lanes.run(lane, task, interner),
    }
    await onDisk({ lanes: choosing }, async engine => {
      const query = 'stats sum(n) as s by level | sort level'
      const first = await answerOf(engine, query)
      for (let run = 0; run < 16; run++) assert.deepEqual(await answerOf(engine, query), first)
    })
    assert.deepEqual(asked.slice(0, 6), ['shared', 'alone', 'alone', 'alone', 'shared', 'shared'], 'each has its tries')
    assert.deepEqual([...new Set(asked.slice(6, 12))], ['shared'])
    assert.equal(asked.at(-1), 'alone')
  })

  it('leaves what one does at once to one, and what would take one long to all', () => {
    const work = new WorkLedger(2)
    assert.equal(work.isShared('new', 1000, true), true)
    assert.equal(work.isShared('new', 1000, false), false)
    work.note('short', 1000, 'alone', SHARED_MS_MIN / 2)
    assert.equal(work.isShared('short', 1000, true), false)
    assert.equal(work.isShared('short', 10_000, false), true, 'ten times the rows')
    work.note('long', 1000, 'shared', 100)
    assert.equal(work.isShared('long', 1000, true), true)
    for (let run = 0; run < 63; run++) work.note('slow', 1000, run < 3 ? 'alone' : 'shared', run < 3 ? 20 : 10)
    assert.equal(work.isShared('slow', 1000, true), false, 'once in so many runs the other way')
  })

  it('runs in threads', async () => {
    const alone = await onDisk({}, engine => Promise.all(QUERIES.map(query => answerOf(engine, query))))
    await onDisk({ threads: 2 }, async engine => {
      // The first query starts the threads and does not wait for them.
      for (let tries = 0; tries < 300; tries++) {
        const run = engine.query('stats count()')
        await run.collect()
        if (run.profile.kernels.some(kernel => kernel.calls > 0 && kernel.name.endsWith('_merge'))) break
        await setTimeout(20)
      }
      for (const [index, query] of QUERIES.entries()) assert.deepEqual(await answerOf(engine, query), alone[index])
    })
  })

  it('stops when the query is canceled', async () => {
    const lanes = new InlineLanes(1)
    let canceled = 0
    const counting: Lanes = {
      rowsMin: 0,
      work: null,
      ready: () => 1,
      expected: () => 1,
      run: (lane, task, interner) => ({ ...lanes.run(lane, task, interner), cancel: () => void canceled++ }),
    }
    await onDisk({ lanes: counting }, async engine => {
      const run = engine.query(QUERIES[0])
      run.cancel()
      await assert.rejects(run.collect(), { name: 'CanceledError' })
    })
    assert.equal(canceled, 1)
  })
})

/** Besides those of `QUERIES`: with what stands above an aggregation, and what comes back in several batches. */
const WHOLE = [
  ...QUERIES,
  'stats count() as c, max(_time) as last by n | where c > 3 | sort -c, n | head 20 | extend d = c * 1m, o = {c: c}',
  'stats count() by _time, host | eventstats count() as all | sort _time, host',
  'stats count() by bin(_time, 30s) | streamstats sum(count()) as so_far',
  'where host == "web-3" | stats values(level), list(n) by level | where level == "nothing"',
  'parse regex "(?<x>a+)" from host | stats count() by x, index',
] as const

describe('a whole query in another thread', () => {
  const whole = { threads: 2, elsewhere: 'always' } as const

  it('gives the same answer, in the same order, and the same figures', async () => {
    const ask = (engine: Engine) =>
      Promise.all(
        WHOLE.map(async query => {
          const run = engine.query(query, { now: NOW })
          const { columns, types, rows, total } = await run.collect()
          const { partsTotal, blocksTotal } = run.profile.scan
          return { query, columns, types, rows, total, partsTotal, blocksTotal, root: run.profile.root?.rowsOut }
        }),
      )
    const alone = await onDisk({}, ask)
    assert.deepEqual(await onDisk(whole, ask), alone)
  })

  it('is found there', async () => {
    await onDisk(whole, async engine => {
      const run = engine.query(QUERIES[0])
      await run.collect()
      // Kernels were made there: here nothing was compiled under their names.
      assert.ok(run.profile.kernels.length > 0)
      assert.equal(run.profile.scan.rows, 1550)
    })
  })

  it('fails as it fails here, and what fails only there is done here', async () => {
    await onDisk(whole, async engine => {
      await assert.rejects(engine.query('stats count() by int!(host)').collect(), /web-/)
      const { rows } = await engine.query('stats list(_time), list(host) by n', { memoryBytes: 60_000 }).collect()
      assert.equal(rows.length, 90)
    })
  })

  it('ends when its reader leaves amid the answer', async () => {
    const inline = new InlineWhole()
    const engine = await open(null, { whole: inline, elsewhere: 'always' })
    engine.ingest(events(20_000))
    for await (const row of engine.query('stats count() by _time').rows()) {
      assert.equal(row['count()'], 1)
      break
    }
    await setTimeout(20)
    const { messages } = inline
    assert.ok(messages >= 2, 'some batches came')
    // Longer than progress is told.
    await setTimeout(450)
    assert.equal(inline.messages, messages)
    assert.equal(inline.answered, 0)
    await engine.close()
  })

  it('ends when it is canceled, before and while it runs, and by its signal', async () => {
    await onDisk(whole, async engine => {
      const early = engine.query(QUERIES[0])
      early.cancel()
      await assert.rejects(early.collect(), { name: 'CanceledError' })
      const late = engine.query(QUERIES[0])
      const answer = late.collect()
      setImmediate(() => late.cancel())
      await assert.rejects(answer, { name: 'CanceledError' })
      const aborting = new AbortController()
      const aborted = engine.query(QUERIES[0], { signal: aborting.signal }).collect()
      setImmediate(() => aborting.abort())
      await assert.rejects(aborted, { name: 'CanceledError' })
      assert.deepEqual((await engine.query('stats count() as n').collect()).rows, [[1550]])
    })
  })
})

describe('a thread that is not started yet', () => {
  it('is expected, and forgets what it was given when nobody waits for it any more', async () => {
    const budget = CacheBudget.of(1, 1)
    const entry = pathToFileURL(join(tmpdir(), 'no such file'))
    const pool = new ThreadPool({ entry, threads: 1, budget, poolBytes: 1, rowsMin: 1 })
    assert.deepEqual([pool.expected(), pool.ready()], [1, 0])
    const { result, cancel } = pool.run(0, {} as LaneTask, new Interner())
    cancel()
    assert.equal(await result, null)
    assert.equal(budget.take(), null, 'it has its share')
    await pool.close()
    assert.notEqual(budget.take(), null)
  })
})

describe('threads that fail', () => {
  it('are told of where the system has none left, and what they were given is done by who asked', async () => {
    const warnings: string[] = []
    const heard = (warning: Error): void => void (warning.name === 'QuernWarning' && warnings.push(warning.message))
    process.on('warning', heard)
    const budget = CacheBudget.of(1, 1)
    // An entry that no thread can be made of, as `new Worker` says itself.
    const pool = new ThreadPool({ entry: new URL('http://nowhere/'), threads: 1, budget, poolBytes: 1, rowsMin: 0 })
    try {
      assert.equal(pool.expected(), 1)
      assert.equal(await pool.run(0, {} as LaneTask, new Interner()).result, null)
      await setTimeout(10)
      assert.equal(warnings.length, 1)
      const failed = await new Promise(hear => pool.whole()!.runWhole({} as WholeTask, hear))
      assert.deepEqual(failed, { failed: 'the thread has ended' })
      // A warning is heard a turn later.
      await setTimeout(10)
      assert.equal(warnings.length, 2)
      assert.notEqual(budget.take(), null, 'their share is given back')
    } finally {
      process.off('warning', heard)
      await pool.close()
    }
  })

  it('are told of, and after three nobody starts another', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quern-threads-'))
    const entry = join(directory, 'entry.mjs')
    writeFileSync(entry, "throw new Error('cannot start here')")
    const warnings: string[] = []
    const heard = (warning: Error): void => void (warning.name === 'QuernWarning' && warnings.push(warning.message))
    process.on('warning', heard)
    const pool = new ThreadPool({
      entry: pathToFileURL(entry),
      threads: 1,
      budget: CacheBudget.of(1, 8),
      poolBytes: 1,
      rowsMin: 0,
    })
    try {
      for (let tries = 0; tries < 200 && warnings.length < 3; tries++) {
        assert.equal(pool.ready(), 0)
        await setTimeout(50)
      }
      for (let tries = 0; tries < 5; tries++) {
        assert.equal(pool.ready(), 0)
        await setTimeout(10)
      }
      assert.deepEqual(
        warnings.map(message => message.replace('a thread that scans failed: ', '')),
        ['cannot start here', 'cannot start here', 'cannot start here; no other is started'],
      )
    } finally {
      process.off('warning', heard)
      await pool.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
