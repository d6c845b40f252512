/** What was pushed in however many batches comes out as one list of rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Collector } from '../../runtime/collect.ts'
import { batchOf } from '../../runtime/column-batch.ts'
import type { Profile } from '../../runtime/profile.ts'

test('ten thousand batches of a row or two are one list of rows, in order', () => {
  const collector = new Collector({ kind: 'table', columns: [{ name: 'n', type: 'int' }] } as never, { offset: 3 })
  let next = 0
  while (next < 15_000) {
    const count = 1 + (next % 2)
    const values = Float64Array.from({ length: count }, () => next++)
    collector.push(batchOf(new Map([['n', { kind: 'number', rowCount: count, values, presence: null }]]), count))
  }
  const { rows, total } = collector.collected({ damaged: [] as readonly string[] } as Profile)
  assert.equal(total, next)
  assert.deepEqual(
    rows,
    Array.from({ length: next - 3 }, (_, at) => [at + 3]),
  )
})
