/** Conditions of a scan learn their order from what they cost and drop. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConditionOrder } from '../../runtime/operators/condition-order.ts'

/** Asks every condition of blocks of rows, as a scan does: `[ns a row, share that passes]` each. */
function run(order: ConditionOrder, conditions: readonly (readonly [number, number])[], blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    let rows = 65_536
    for (const condition of order.order) {
      const [ns, passes] = conditions[condition]!
      const left = Math.round(rows * passes)
      order.note(condition, rows, left, ns * rows)
      rows = left
    }
    order.next()
  }
}

describe('the order of conditions', () => {
  test('what drops most for its cost comes first, once blocks have shown it', () => {
    const order = new ConditionOrder([false, false, false])
    run(order, [[50, 0.99], [10, 0.5], [1, 0.1]], 1) // biome-ignore format: one line tells it
    assert.deepEqual([order.order, order.isLearned], [[0, 1, 2], false])
    run(order, [[50, 0.99], [10, 0.5], [1, 0.1]], 1) // biome-ignore format: one line tells it
    assert.deepEqual([order.order, order.isLearned], [[2, 1, 0], true])
  })

  test('a small gain is no reason: measured times waver', () => {
    const order = new ConditionOrder([false, false])
    run(order, [[10, 0.5], [9, 0.5]], 200) // biome-ignore format: one line tells it
    assert.deepEqual([order.order, order.isLearned], [[0, 1], false])
  })

  test('a condition that may fail the query is asked of the rows the query says', () => {
    const order = new ConditionOrder([false, true, false])
    run(order, [[50, 0.99], [10, 0.5], [1, 0.01]], 200) // biome-ignore format: one line tells it
    assert.deepEqual(order.order, [0, 1, 2])
  })

  test('of few rows nothing is learned', () => {
    const order = new ConditionOrder([false, false])
    for (let block = 0; block < 8; block++) {
      order.note(0, 10, 10, 1000)
      order.note(1, 10, 0, 1)
      order.next()
    }
    assert.equal(order.isLearned, false)
  })
})
