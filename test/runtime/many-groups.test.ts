/** Groups of several keys over several blocks, against a map: codes and what they mean change from block to block. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from '../../engine.ts'
import { NOW, readEvents } from '../case-input.ts'

/** Fewer combinations than make slots of their own, then more: pairs of codes are numbered from some block on. */
const SPREADS: readonly (readonly [a: number, b: number])[] = [
  [3, 5],
  [700, 900],
  [2500, 2300],
]

for (const kind of ['numbers', 'fractions', 'texts'] as const) {
  test(`groups of two keys of ${kind} are those of a map, however many there are`, async () => {
    const keyOf = (n: number): number | string => (kind === 'numbers' ? n : kind === 'fractions' ? n + 0.5 : `t${n}`)
    const engine = await open(null, { blockRows: 512 })
    const expected = new Map<string, { n: number; sum: number }>()
    let row = 0
    for (const [a, b] of SPREADS) {
      const lines = Array.from({ length: 3000 }, () => {
        const event = { a: keyOf((row * 7) % a), b: keyOf((row * 11) % b), ms: row % 13 }
        const key = JSON.stringify([event.a, event.b])
        const group = expected.get(key) ?? { n: 0, sum: 0 }
        expected.set(key, { n: group.n + 1, sum: group.sum + event.ms })
        row++
        return JSON.stringify(event)
      })
      engine.ingest(readEvents([{ index: 'main', text: lines.join('\n') }]))
    }
    for (const aggregates of ['count() as n', 'count() as n, sum(ms) as sum', 'count() as n, max(ms) as most']) {
      const { rows, columns } = await engine.query(`stats ${aggregates} by a, b`, { now: NOW }).collect()
      assert.equal(rows.length, expected.size, aggregates)
      for (const [a, b, n, sum] of rows) {
        const group = expected.get(JSON.stringify([a, b]))
        assert.equal(n, group?.n, `${aggregates}: ${a}, ${b}`)
        if (columns[3] === 'sum') assert.equal(sum, group?.sum)
      }
    }
    await engine.close()
  })
}
