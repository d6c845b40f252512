import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeRows } from '../../runtime/take-rows.ts'
import { createChunkCache } from '../../storage/part/chunk-cache.ts'
import { openPart } from '../../storage/part/read.ts'
import { pickRows } from '../../storage/pick.ts'
import { NULL, type NumberVector, PRESENT } from '../../storage/vector.ts'
import { blockOf, partOf, valuesOf } from './part-support.ts'

const NUMBERS = Array.from({ length: 500 }, (_, row) => (row * 7919 - 1_500_000) / 1000)

function decimalsOf(numbers: readonly number[], presence: Uint8Array | null = null) {
  const vector: NumberVector = {
    kind: 'number',
    rowCount: numbers.length,
    values: Float64Array.from(numbers),
    presence,
  }
  const { filesystem, path } = partOf(blockOf(numbers.length, { f: vector }))
  const cache = createChunkCache(1 << 24)
  const part = openPart(filesystem, path, cache)
  const column = part.block(0).column('f')
  assert.ok(column?.kind === 'number')
  return { column, cache }
}

test('decimals stay whole numbers until somebody wants doubles, which are then counted', () => {
  const { column, cache } = decimalsOf(NUMBERS)
  assert.equal(column.decimals?.divisor, 1000)
  const before = cache.bytes
  assert.deepEqual(valuesOf(pickRows(column, Uint32Array.of(3, 499, 0)), 3), [NUMBERS[3], NUMBERS[499], NUMBERS[0]])
  assert.equal(cache.bytes, before)
  assert.deepEqual([...column.values], NUMBERS)
  assert.equal(cache.bytes, before + 8 * NUMBERS.length)
  assert.equal(column.values, column.values)
})

test('what is made of them with other values has none of theirs', () => {
  const presence = Uint8Array.from(NUMBERS, (_, row) => (row % 5 === 0 ? NULL : PRESENT))
  const { column } = decimalsOf(NUMBERS, presence)
  const other = { ...column, values: Float64Array.of(1) } as NumberVector
  assert.equal(other.decimals, undefined)
  const taken = takeRows(column, Uint32Array.of(5, 6, 6))
  assert.deepEqual(valuesOf(taken, 3), [null, NUMBERS[6], NUMBERS[6]])
})

test('numbers too large for 32 bits are doubles at once', () => {
  const { column } = decimalsOf([0.001, 4_000_000.5, 1, 2, 3])
  assert.equal(column.decimals, undefined)
  assert.deepEqual([...column.values], [0.001, 4_000_000.5, 1, 2, 3])
})
