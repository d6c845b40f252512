/** Sorting by runs on disk gives what sorting in memory gives: the same rows in the same order, whatever the keys, the batches, the limit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { batchOf, vectorOf, withSelection } from '../../../runtime/column-batch.ts'
import { SpillingSort } from '../../../runtime/spill/spilling-sort.ts'
import { DateTime, type Value } from '../../../storage/value.ts'
import { anyVector, scalarArbitrary, valueArbitrary, valuesOf } from '../../storage/part-support.ts'
import { memoryDisk, sortOptions } from './support.ts'

interface Sorted {
  readonly ids: readonly Value[]
  readonly texts: readonly Value[]
  readonly isSpilled: boolean
}

interface Asked {
  /** Values of two keys, by row. */
  readonly rows: readonly (readonly [Value, Value])[]
  readonly batchRows: number
  readonly descending: readonly boolean[]
  readonly limit: number | null
  readonly memoryBytes: number
}

/** Every third row of each batch is not selected. */
function sorted({ rows, batchRows, descending, limit, memoryBytes }: Asked): Sorted {
  const disk = memoryDisk()
  const sort = new SpillingSort(sortOptions(disk, memoryBytes, { descending, limit }))
  for (let start = 0; start < rows.length; start += batchRows) {
    const some = rows.slice(start, start + batchRows)
    const keys = descending.map((_, key) => vectorOf(some.map(row => row[key])))
    const ids = vectorOf(some.map((_, n) => start + n))
    const texts = anyVector(some.map((_, n) => (n % 4 === 0 ? undefined : `text ${start + n}`)))
    const batch = batchOf(new Map([['id', ids] as const, ['text', texts] as const]), some.length, start)
    const kept = Uint32Array.from(some.keys()).filter(row => row % 3 !== 1)
    sort.add(withSelection(batch, kept, kept.length), keys)
  }
  const { isSpilled } = sort
  const found: { ids: Value[]; texts: Value[] } = { ids: [], texts: [] }
  for (const { batch, rows: given } of sort.sorted()) {
    found.ids.push(...valuesOf(batch.column('id'), batch.rowCount))
    found.texts.push(...valuesOf(batch.column('text'), batch.rowCount))
    assert.equal(given.length, batch.rowCount)
  }
  assert.equal(disk.files.size, 0, 'its files are gone')
  return { ...found, isSpilled }
}

const rowsArbitrary = fc.array(
  fc.tuple(
    fc.oneof(fc.integer({ min: 0, max: 5 }), scalarArbitrary, valueArbitrary, fc.constantFrom(null, undefined)),
    fc.oneof(fc.constantFrom('a', 'b'), valueArbitrary),
  ),
  { minLength: 1, maxLength: 120 },
) as fc.Arbitrary<(readonly [Value, Value])[]>

test('rows are sorted on disk as they are in memory', () => {
  let spilled = 0
  fc.assert(
    fc.property(
      rowsArbitrary,
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }),
      (rows, batchRows, descending) => {
        const asked = { rows, batchRows, descending, limit: null }
        const inMemory = sorted({ ...asked, memoryBytes: 2 ** 30 })
        const onDisk = sorted({ ...asked, memoryBytes: 400 })
        assert.ok(!inMemory.isSpilled)
        if (onDisk.isSpilled) spilled++
        assert.deepStrictEqual(onDisk.ids, inMemory.ids)
        assert.deepStrictEqual(onDisk.texts, inMemory.texts)
      },
    ),
    { numRuns: 200 },
  )
  assert.ok(spilled > 50, `${spilled} of 200 went to disk`)
})

test('more runs than are merged at once are merged in several passes', () => {
  const rows = Array.from({ length: 4000 }, (_, row): readonly [Value, Value] => [(row * 7919) % 101, `k${row % 13}`])
  for (const limit of [null, 20_000]) {
    const asked = { rows, batchRows: 3, descending: [true, false], limit }
    const onDisk = sorted({ ...asked, memoryBytes: 700 })
    assert.ok(onDisk.isSpilled)
    assert.deepStrictEqual(onDisk.ids, sorted({ ...asked, memoryBytes: 2 ** 30 }).ids)
  }
})

test('with a limit too large for memory no more than the limit is written, and the boundary leaves rows out', () => {
  const rows = Array.from({ length: 60_000 }, (_, row): readonly [Value, Value] => [
    new DateTime((row * 7919) % 60_013),
    null,
  ])
  const asked = { rows, batchRows: 5000, descending: [true], limit: 9000 }
  const onDisk = sorted({ ...asked, memoryBytes: 200_000 })
  assert.ok(onDisk.isSpilled)
  assert.equal(onDisk.ids.length, 9000)
  assert.deepStrictEqual(onDisk.ids, sorted({ ...asked, memoryBytes: 2 ** 30 }).ids)
})
