/** What the machine loop adds is, to the bit, what the loop over rows adds that kernels fall back on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ADD_HELPERS, type Key, type Sum } from '../../../runtime/helpers/add-by-slot.ts'

interface Column {
  readonly isFloat: boolean
  readonly isKept: boolean
  readonly numbers: readonly number[]
}

function lanesOf({ isFloat, isKept, numbers }: Column, rowCount: number, slotCount: number): Sum {
  const at = (row: number): number => numbers[row % numbers.length]!
  const values = isFloat ? new Float64Array(rowCount) : new Int32Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = isFloat ? at(row) + row / 8 : at(row) | 0
  // What earlier blocks left stays in the sums.
  const total = Float64Array.from({ length: slotCount + 3 }, (_, slot) => slot / 3)
  return [values, total, isKept ? new Float64Array(slotCount + 3) : null]
}

function addOneByOne(rowCount: number, keys: readonly Key[], counted: Int32Array, sums: readonly Sum[]): void {
  for (let row = 0; row < rowCount; row++) {
    let slot = 0
    for (const { codes, size } of [...keys].reverse()) slot = slot * size + codes[row]!
    counted[slot]!++
    for (const [values, total, lost] of sums) {
      const before = total[slot]!
      const x = values[row]!
      const sum = before + x
      const part = sum - before
      if (lost !== null) lost[slot]! += before - (sum - part) + (x - part)
      total[slot] = sum
    }
  }
}

const key = fc.record({
  Codes: fc.constantFrom(Uint8Array, Uint16Array, Uint32Array),
  seeds: fc.array(fc.nat(5), { minLength: 1, maxLength: 9 }),
})
const column = fc.record({
  isFloat: fc.boolean(),
  isKept: fc.boolean(),
  numbers: fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(0, -0, 2 ** 53, 1e300)), {
    minLength: 1,
    maxLength: 7,
  }),
})

test('rows are counted and numbers added as by the loop over rows, for every width of codes and kind of numbers', () => {
  fc.assert(
    fc.property(
      fc.array(key, { minLength: 1, maxLength: 3 }),
      fc.array(column, { maxLength: 3 }),
      fc.integer({ min: 864, max: 3000 }),
      (given, columns, rowCount) => {
        const keys = given.map(({ Codes, seeds }) => {
          const codes = new Codes(rowCount + 2)
          for (let row = 0; row < rowCount; row++) codes[row] = seeds[(row * 7) % seeds.length]!
          return { codes, size: 6 }
        })
        const slotCount = 6 ** keys.length
        const state = () => ({
          counted: new Int32Array(slotCount + 3).fill(2),
          sums: columns.map(each => lanesOf(each, rowCount, slotCount)),
        })
        const [expected, actual] = [state(), state()]
        addOneByOne(rowCount, keys, expected.counted, expected.sums)
        assert.equal(ADD_HELPERS.addBySlot(rowCount, keys, slotCount, actual.counted, ...actual.sums), true)
        assert.deepEqual(actual, expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('with few rows for its slots nothing is done, and the loop over rows is to be run', () => {
  const counted = new Int32Array(600)
  const key = { codes: new Uint8Array(1000), size: 600 }
  assert.equal(ADD_HELPERS.addBySlot(1000, [key], 600, counted), false)
  assert.ok(counted.every(count => count === 0))
})
