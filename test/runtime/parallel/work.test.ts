import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WorkLedger } from '../../../runtime/parallel/work.ts'

const ROWS = 2_000_000

/** So many runs of a plan that takes as long as it is told, each way. @returns the ways they went */
function run(ledger: WorkLedger, runs: number, ms: (way: 'alone' | 'shared', run: number) => number): string {
  let ways = ''
  for (let at = 0; at < runs; at++) {
    const way = ledger.isShared('plan', ROWS, true) ? 'shared' : 'alone'
    ledger.note('plan', ROWS, way, ms(way, at))
    ways += way[0]
  }
  return ways
}

const countOf = (ways: string, way: string): number => ways.split(way).length - 1

describe('alone or shared', () => {
  test('what is quicker shared is shared, but for a look at the other way now and then', () => {
    const ways = run(new WorkLedger(1), 200, way => (way === 'shared' ? 7 : 11))
    assert.ok(countOf(ways.slice(-50), 'a') <= 4, ways)
  })

  test('what is quicker alone is done alone', () => {
    const ways = run(new WorkLedger(1), 200, way => (way === 'shared' ? 12 : 8))
    assert.ok(countOf(ways.slice(-50), 's') <= 4, ways)
    assert.match(ways.slice(30), /s/)
  })

  test('a thread whose code was not compiled at first is asked again before long', () => {
    let shared = 0
    const ways = run(new WorkLedger(1), 40, way => (way === 'alone' ? 11 : ++shared <= 4 ? 25 : 7))
    assert.match(ways.slice(-10), /^s+$/)
  })

  test('a way that is now and then quicker, and mostly slower, is not the quicker one', () => {
    const ways = run(new WorkLedger(1), 300, (way, at) => (way === 'alone' ? 9.5 : at % 3 === 0 ? 6.5 : 13))
    assert.ok(countOf(ways.slice(-100), 's') <= 6, ways)
  })

  test('what takes next to nothing alone wakes nobody', () => {
    const ways = run(new WorkLedger(1), 300, way => (way === 'shared' ? 2 : 1))
    assert.doesNotMatch(ways.slice(10), /s/)
  })
})
