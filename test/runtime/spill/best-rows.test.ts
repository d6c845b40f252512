import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boundaryAmong, type KeyedRows, within } from '../../../runtime/spill/best-rows.ts'
import { MISSING, NULL, PRESENT } from '../../../storage/vector.ts'

const rowsArbitrary: fc.Arbitrary<KeyedRows> = fc
  .array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.constantFrom(PRESENT, PRESENT, PRESENT, NULL, MISSING)), {
    maxLength: 80,
  })
  .chain(rows =>
    fc.record({
      values: fc.boolean().map(isWhole => {
        const numbers = rows.map(([value]) => (isWhole ? value : value / 4))
        return isWhole ? Int32Array.from(numbers) : Float64Array.from(numbers)
      }),
      presence: fc.constantFrom(
        null,
        Uint8Array.from(rows, ([, state]) => state),
      ),
      selection: fc.option(fc.subarray([...rows.keys()]).map(numbers => Uint32Array.from(numbers))),
    }),
  )
  .chain(rows =>
    fc.record({
      ...{
        values: fc.constant(rows.values),
        presence: fc.constant(rows.presence),
        selection: fc.constant(rows.selection),
      },
      divisor: rows.values instanceof Int32Array ? fc.constantFrom(1, 10, 1000) : fc.constant(1),
      count: fc.constant(rows.selection?.length ?? rows.values.length),
    }),
  )

const boundaryArbitrary = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.integer({ min: -90, max: 90 }).map(tenths => tenths / 10),
  fc.integer({ min: -9000, max: 9000 }).map(thousandths => thousandths / 1000),
  fc.double({ noNaN: true }),
)

/** The rows that count and are there. */
const present = ({ values, divisor, presence, selection, count }: KeyedRows): { n: number; value: number }[] =>
  Array.from({ length: count }, (_, n) => ({ n, row: selection === null ? n : selection[n]! }))
    .filter(({ row }) => presence === null || presence[row] === PRESENT)
    .map(({ n, row }) => ({ n, value: values[row]! / divisor }))

test('the boundary is the number that many come before, or are', () => {
  fc.assert(
    fc.property(rowsArbitrary, fc.integer({ min: 0, max: 20 }), fc.boolean(), (rows, limit, descending) => {
      const sorted = present(rows)
        .map(({ value }) => value)
        .sort((a, b) => (descending ? b - a : a - b))
      const isWorth = limit > 0 && rows.count >= 4 * limit && sorted.length >= limit
      assert.equal(boundaryAmong(rows, limit, descending), isWorth ? sorted[limit - 1] : null)
    }),
  )
})

test('rows within are those the boundary does not beat, absent ones where they come first', () => {
  fc.assert(
    fc.property(rowsArbitrary, boundaryArbitrary, fc.boolean(), (rows, boundary, descending) => {
      const there = new Map(present(rows).map(({ n, value }) => [n, value]))
      const expected = Array.from({ length: rows.count }, (_, n) => n).filter(n => {
        const value = there.get(n)
        if (value === undefined) return descending
        return descending ? value >= boundary : value <= boundary
      })
      assert.deepEqual([...within(rows, boundary, descending)], expected)
    }),
  )
})

test('numbers without an order make no boundary, and are not ruled out', () => {
  const rows = { values: Float64Array.of(5, Number.NaN, 3, 1), divisor: 1, presence: null, selection: null, count: 4 }
  assert.equal(boundaryAmong(rows, 1, true), null)
  assert.deepEqual([...within(rows, 4, true)], [0, 1])
  assert.deepEqual([...within(rows, 2, false)], [1, 3])
})
