/** Long work gives way: one slice a round of the event loop, and what is computed in pieces is what would have been computed whole. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Engine, open } from '../../engine.ts'
import { batchOf, vectorOf, withSelection } from '../../runtime/column-batch.ts'
import { Pace } from '../../runtime/pace.ts'
import { rowsOf } from '../../runtime/rows.ts'
import { nextTurn } from '../../storage/turns.ts'
import { DateTime } from '../../storage/value.ts'

const NOW = new DateTime(Date.UTC(2026, 0, 2) * 1000)
const ROWS = 40_000

describe('turns', () => {
  test('of all who wait one goes on each time the event loop comes round, in their order', async () => {
    let round = 0
    let isOver = false
    const count = (): void => {
      round++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const seen: [who: string, round: number][] = []
    const work = async (who: string): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        await nextTurn()
        seen.push([who, round])
      }
    }
    await Promise.all([work('a'), work('b'), work('c')])
    isOver = true
    assert.deepEqual(
      seen.map(([who]) => who),
      ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'],
    )
    assert.equal(new Set(seen.map(([, at]) => at)).size, seen.length, JSON.stringify(seen))
  })

  test('queries that run beside each other find what each finds alone', async () => {
    const engine = await open(null, { threads: 0, blockRows: 12_000 })
    engine.ingest(
      Array.from({ length: ROWS }, (_, n) => ({
        index: 'main',
        time: new DateTime(NOW.micros - (n % 7000) * 1_000_000),
        raw: `line ${n} of ${n % 13}`,
        fields: new Map<string, string | number>([
          ['host', `h${n % 50}`],
          ['n', n],
          ['ms', (n * 7919) % 1000],
        ]),
      })),
    )
    const queries = [
      'stats count(), sum(ms), dc(n), first(n), last(n), p95(ms) by host',
      'stats count() by bin(_time, 5m) | sort _time',
      'where ms > 500 | extend half = ms / 2 | stats avg(half) by host | sort host',
      'sort ms, -n | head 500 | keep n, ms',
      'sort ms, n | keep n',
      'dedup host, ms | keep n',
      'eventstats max(ms) as most by host | where ms == most | keep n',
      'streamstats count() as c by host | where c == 700 | keep n, c',
      'head 12345 | keep n',
      'keep n, host',
      'where matches(_raw, "7 of 1[0-2]") | stats count()',
      'join on host with [ stats max(n) as top by host ] | where n == top | keep n',
      'top 3 host',
      'transaction host | keep host, duration | sort host',
    ]
    const alone: unknown[] = []
    for (const query of queries) alone.push(await answerOf(engine, query))
    for (let times = 0; times < 2; times++)
      assert.deepEqual(await Promise.all(queries.map(query => answerOf(engine, query))), alone)
    await engine.close()
  })
})

async function answerOf(engine: Engine, query: string): Promise<unknown> {
  const { columns, rows, total } = await engine.query(query, { now: NOW }).collect()
  return { query, columns, rows, total }
}

describe('a block that takes long is taken in parts, while others wait', () => {
  const block = batchOf(new Map([['n', vectorOf(Array.from({ length: 20_000 }, (_, n) => n))]]), 20_000)
  const sizes = (pace: Pace): number[] => [...pace.parts(block)].map(part => part.selectedCount)

  test('some rows at first, whole where they are quick or nobody waits', () => {
    let mustGiveWay = false
    const pace = new Pace(() => mustGiveWay)
    assert.deepEqual(sizes(pace), [20_000])
    mustGiveWay = true
    assert.deepEqual([...pace.parts(block)][0]?.selectedCount, 512)
    pace.note(20_000, 40)
    assert.deepEqual(new Set(sizes(pace)), new Set([2500]))
    mustGiveWay = false
    assert.deepEqual(sizes(pace), [20_000])
    mustGiveWay = true
    pace.note(20_000, 2)
    assert.deepEqual(sizes(pace), [20_000])
  })

  test('whole again where parts take as long: then the time is not that of the rows', () => {
    const pace = new Pace(() => true)
    pace.note(20_000, 20)
    const taken: number[] = []
    for (const part of pace.parts(block)) {
      taken.push(part.selectedCount)
      pace.note(part.selectedCount, 19)
    }
    assert.deepEqual(taken, [5000, 15_000])
    assert.deepEqual(sizes(pace), [20_000])
  })

  test('the parts are the rows, each once and in order, also of those that are left', () => {
    const pace = new Pace(() => true)
    pace.note(1, 1)
    const odd = withSelection(
      block,
      Uint32Array.from({ length: 10_000 }, (_, n) => 2 * n + 1),
      10_000,
    )
    const rows = [...pace.parts(odd)].flatMap(part => [...rowsOf(part)].map(([n]) => n))
    assert.deepEqual(
      rows,
      Array.from({ length: 10_000 }, (_, n) => 2 * n + 1),
    )
  })
})
