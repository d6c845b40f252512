/** Plans that are kept: the same question is compiled once, and a plan that something has overtaken is never used. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Catalog } from '../../compiler/catalog.ts'
import { PlanCache } from '../../compiler/plan-cache.ts'
import { type Engine, type EngineOptions, open, type QueryOptions } from '../../engine.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { NOW } from '../case-input.ts'

const EVENT_TIME = new Date(NOW.micros / 1000)

interface Told {
  readonly rows: readonly (readonly Value[])[]
  readonly cached: boolean
  readonly hints: readonly string[]
}

async function ask(engine: Engine, text: string, options: QueryOptions = {}): Promise<Told> {
  const run = engine.query(text, { now: NOW, ...options })
  const { rows } = await run.collect()
  return { rows, cached: run.profile.plan?.cached === true, hints: run.hints.map(({ code }) => code) }
}

async function withEngine(use: (engine: Engine) => Promise<void>, options: EngineOptions = {}): Promise<void> {
  const engine = await open(null, options)
  engine.ingest([{ time: EVENT_TIME, host: 'a', n: 1 }])
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

const COUNT = 'where n >= 1 | stats count() as c'

test('the same query of the same parts is compiled once, and so is that of parts that answer the same', async () => {
  await withEngine(async engine => {
    assert.deepEqual(await ask(engine, COUNT), { rows: [[1]], cached: false, hints: [] })
    assert.deepEqual(await ask(engine, COUNT), { rows: [[1]], cached: true, hints: [] })
    engine.ingest([{ time: EVENT_TIME, host: 'b', n: 2 }])
    assert.deepEqual(await ask(engine, COUNT), { rows: [[2]], cached: true, hints: [] })
    assert.deepEqual(engine.planCache, { size: 1, max: 256, hits: 2, misses: 1, stale: 0 })
    const { analysis, text } = await engine.explain(COUNT, { now: NOW, analyze: true })
    assert.equal((analysis as { plan_cache: { hit: boolean } }).plan_cache.hit, true)
    assert.match(text ?? '', /the plan, from the cache, took/)
  })
})

describe('what a plan rests on is asked again', () => {
  test('a field that comes', async () => {
    await withEngine(async engine => {
      const query = 'where user == "x" | stats count() as c'
      assert.deepEqual((await ask(engine, query)).hints, ['H906'])
      engine.ingest([{ time: EVENT_TIME, user: 'x' }])
      assert.deepEqual(await ask(engine, query), { rows: [[1]], cached: false, hints: [] })
    })
  })

  test('a field that becomes an object', async () => {
    await withEngine(async engine => {
      const query = 'stats count(o) as c'
      engine.ingest([{ time: EVENT_TIME, o: 1 }])
      assert.deepEqual((await ask(engine, query)).rows, [[1]])
      engine.ingest([{ time: EVENT_TIME, o: { inner: 1 } }])
      const { rows, cached } = await ask(engine, query)
      assert.deepEqual([rows, cached], [[[2]], false])
    })
  })

  test('a type that changes', async () => {
    await withEngine(async engine => {
      const query = 'where n == "one" | stats count() as c'
      const before = await ask(engine, query).catch(error => error as Error)
      engine.ingest([{ time: EVENT_TIME, n: 'one' }])
      const after = await ask(engine, query)
      assert.deepEqual([after.rows, after.cached], [[[1]], false])
      assert.ok(before instanceof Error || before.rows[0]?.[0] === 0)
    })
  })

  test('an index that comes', async () => {
    await withEngine(async engine => {
      const query = 'from m* | stats count() as c'
      assert.deepEqual((await ask(engine, query)).rows, [[1]])
      engine.ingest([{ time: EVENT_TIME, host: 'b' }], { index: 'more' })
      const { rows, cached } = await ask(engine, query)
      assert.deepEqual([rows, cached], [[[2]], false])
    })
  })

  test('a saved stage that is saved anew', async () => {
    await withEngine(async engine => {
      const save = (q: string) => engine.documents.put('queries', 'id', { name: 'mine', q })
      await save('where n == 1')
      const query = 'use mine | stats count() as c'
      assert.deepEqual((await ask(engine, query)).rows, [[1]])
      assert.equal((await ask(engine, query)).cached, true)
      await save('where n == 2')
      const { rows, cached } = await ask(engine, query)
      assert.deepEqual([rows, cached], [[[0]], false])
    })
  })

  test('a lookup table that is written anew, with other columns or only other rows', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quern-plans-'))
    const path = join(directory, 'hosts.csv')
    let second = 1000
    const write = (text: string): void => {
      writeFileSync(path, text)
      utimesSync(path, ++second, second)
    }
    try {
      write('host,team\na,red\n')
      await withEngine(
        async engine => {
          const query = 'lookup hosts on host | keep host, team'
          assert.deepEqual((await ask(engine, query)).rows, [['a', 'red']])
          write('host,team\na,blue\n')
          assert.deepEqual((await ask(engine, query)).rows, [['a', 'blue']])
          write('host,n2\na,7\n')
          assert.equal((await ask(engine, query)).cached, false)
          write('host,team\na,green\n')
          const again = await ask(engine, query)
          assert.deepEqual([again.rows, (await ask(engine, query)).cached], [[['a', 'green']], true])
        },
        { lookups: { hosts: path } },
      )
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  test('that there is much data', async () => {
    await withEngine(
      async engine => {
        const query = 'where n >= 0 | keep n'
        assert.deepEqual((await ask(engine, query)).hints, [])
        engine.ingest([{ time: EVENT_TIME, host: 'b', n: 2 }])
        assert.deepEqual(await ask(engine, query), { rows: [[1], [2]], cached: false, hints: ['H902'] })
      },
      { muchDataRows: 2 },
    )
  })
})

describe('time does not stand still in a plan', () => {
  const at = (minutes: number): { now: DateTime } => ({ now: new DateTime(NOW.micros + minutes * 60e6) })
  const texts = [
    ['from main[-1h] | stats count() as c', {}],
    ['where _time > now() - 1h | stats count() as c', {}],
    ['stats count() as c', { from: '-1h' }],
    ['let $late = from main[-1h]; from $late | stats count() as c', {}],
    ['extend late = if(now() - _time < 1h, 1, null) | stats count(late) as c', {}],
  ] as const
  for (const [text, options] of texts) {
    test(`${text} ${JSON.stringify(options)}`, async () => {
      await withEngine(async engine => {
        assert.deepEqual((await ask(engine, text, { ...options, ...at(1) })).rows, [[1]])
        assert.deepEqual((await ask(engine, text, { ...options, ...at(59) })).rows, [[1]])
        assert.deepEqual((await ask(engine, text, { ...options, ...at(61) })).rows, [[0]])
      })
    })
  }

  test('now() in rows is that of the run', async () => {
    await withEngine(async engine => {
      const query = 'extend t = now() | keep t'
      assert.deepEqual((await ask(engine, query, at(1))).rows, [[at(1).now]])
      assert.deepEqual((await ask(engine, query, at(2))).rows, [[at(2).now]])
    })
  })

  test('instants and all time are kept', async () => {
    await withEngine(async engine => {
      const query = 'from main[2000-01-01..2100-01-01] | stats count() as c'
      await ask(engine, query, at(1))
      assert.deepEqual(await ask(engine, query, at(2)), { rows: [[1]], cached: true, hints: [] })
    })
  })
})

test('other options, other plans', async () => {
  await withEngine(async engine => {
    const query = 'extend v = $x | keep v'
    const variables: Value[] = [
      1,
      '1',
      true,
      null,
      -0,
      new DateTime(1),
      new Duration(1),
      [1],
      ['1'],
      { a: 1 },
      10n ** 17n,
    ]
    const typed = 'extend v = $x, t = typeof($x) | keep v, t'
    for (const x of variables) {
      const fresh = await open(null)
      fresh.ingest([{ time: EVENT_TIME, n: 1 }])
      const expected = await ask(fresh, typed, { variables: { x } })
      await fresh.close()
      assert.deepEqual(await ask(engine, typed, { variables: { x } }), expected)
    }
    await ask(engine, query, { variables: { x: 1 } })
    assert.equal((await ask(engine, query, { variables: { x: 1 } })).cached, true)
    assert.equal((await ask(engine, query, { variables: { x: 1 }, without: ['all'] })).cached, false)
    const range = { variables: { x: 1 }, from: '2000-01-01', to: '2001-01-01' }
    assert.deepEqual(await ask(engine, query, range), { rows: [], cached: false, hints: [] })
    // Spaces do not matter to a plan, and do to where its mistakes and hints stand.
    assert.equal((await ask(engine, ` ${query}`, { variables: { x: 1 } })).cached, false)
  })
})

test('a catalog is asked nothing that is not asked again', () => {
  const asked: string[] = []
  const noted = <T>(question: string, answer: T): T => {
    asked.push(question)
    return answer
  }
  const fields = new Map([
    ['host', 'string'],
    ['n', 'int'],
  ] as const)
  const catalog: Catalog = {
    indexes: ['main'],
    sources: [],
    lookups: [],
    lookup: name => noted(`lookup ${name}`, null),
    fields: indexes => noted(`fields ${indexes}`, fields),
    rowCount: indexes => noted(`rowCount ${indexes}`, 10),
    hasRows: (indexes, rows) => noted(`hasRows ${indexes} ${rows}`, false),
    statistics: (indexes, field) => noted(`statistics ${indexes} ${field}`, null),
  }
  const plans = new PlanCache()
  const text = 'where n > 1 and host == "a" | join on host with [from main | stats sum(n) as m by host] | keep host, m'
  plans.compile(text, { catalog, now: NOW })
  const first = new Set(asked)
  assert.ok(first.size > 3, [...first].join('; '))
  asked.length = 0
  assert.equal(plans.compile(text, { catalog, now: NOW }).cached, true)
  assert.deepEqual(new Set(asked), first)
})

test('what is asked least goes first, and a query with mistakes is not kept', async () => {
  const catalog: Catalog = { indexes: ['main'], sources: [], lookups: [], lookup: () => null, fields: () => null }
  const plans = new PlanCache(2)
  const isKept = (text: string): boolean => plans.compile(text, { catalog, now: NOW }).cached
  for (const text of ['where a == 1', 'where b == 1', 'where a == 1', 'where c == 1']) isKept(text)
  assert.deepEqual([isKept('where a == 1'), isKept('where b == 1')], [true, false])
  assert.throws(() => isKept('where ('))
  assert.throws(() => isKept('where ('))
  assert.equal(plans.status.size, 2)
})
