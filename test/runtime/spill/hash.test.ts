/** Hashes of keys: what is one key has one hash, in whatever column it stands; and levels take apart what fell together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { batchOf } from '../../../runtime/column-batch.ts'
import { keyOf } from '../../../runtime/helpers/compare.ts'
import { hashGroups, hashRows, hashValue, PARTITIONS, partitionOf } from '../../../runtime/spill/hash.ts'
import { DateTime, type Value } from '../../../storage/value.ts'
import { anyVector, columnArbitrary, dictVector, textVector, timeVector } from '../../storage/part-support.ts'

test('values that are one key have one hash', () => {
  const same: readonly (readonly [Value, Value])[] = [
    [2, 2.0],
    [0, -0],
    [null, undefined],
    [2n ** 62n, 2 ** 62],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [new DateTime(5, 0), new DateTime(5)],
  ]
  for (const [a, b] of same) {
    assert.equal(keyOf(a), keyOf(b))
    assert.equal(hashValue(a), hashValue(b))
  }
})

test('a value has the same hash in every kind of column, alone and beside others', () => {
  fc.assert(
    fc.property(columnArbitrary, values => {
      const rows = values.length
      const columns = new Map([
        ['any', anyVector(values)],
        ['dict', dictVector(values)],
      ])
      const hashes = (field: string) => [...hashRows(batchOf(columns, rows), [{ field, binMicros: null }])]
      assert.deepEqual(hashes('any'), hashes('dict'))
      assert.deepEqual(hashes('any'), [...hashGroups([values], rows)])
    }),
  )
})

test('text is hashed from its bytes as from its characters, and numbers and times from their lanes', () => {
  const texts = ['', 'abc', 'żółw', '\u{1f980}', 'a longer text with more than twenty-four bytes', undefined]
  const numbers = { kind: 'number' as const, rowCount: 2, values: Float64Array.of(1.5, -0), presence: null }
  const pairs = [
    [textVector(texts), texts],
    [numbers, [1.5, 0]],
    [timeVector([1, 2], [5, 0]), [new DateTime(1, 5), new DateTime(2)]],
  ] as const
  for (const [vector, values] of pairs) {
    const batch = batchOf(new Map([['x', vector]]), values.length)
    assert.deepEqual([...hashRows(batch, [{ field: 'x', binMicros: null }])], [...hashGroups([values], values.length)])
  }
})

test('times of one bin have one hash', () => {
  const times = timeVector([0, 59_999_999, 60_000_000, -1])
  const [first, second, third, before] = hashRows(batchOf(new Map([['t', times]]), 4), [
    { field: 't', binMicros: 60_000_000 },
  ])
  assert.equal(first, second)
  assert.notEqual(first, third)
  assert.notEqual(first, before)
})

test('every level spreads keys over its partitions, and not as the level before', () => {
  const hashes = Array.from({ length: 10_000 }, (_, n) => hashValue(`user-${n}`))
  const together = hashes.filter(hash => partitionOf(hash, 0) === 3)
  for (const level of [0, 1, 2]) {
    const counts = new Array<number>(PARTITIONS).fill(0)
    const some = level === 0 ? hashes : together
    for (const hash of some) counts[partitionOf(hash, level)]!++
    for (const count of counts) assert.ok(count > some.length / PARTITIONS / 2, `${counts} at level ${level}`)
  }
})
