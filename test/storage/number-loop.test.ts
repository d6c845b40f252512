/** What the loops over lanes of numbers say and put is what is said of a number after the other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { factsOf, factsOfEach, type PlaneWidths, putPlanes } from '../../storage/part/encodings/number-loop.ts'
import { createRandom } from '../bench/random.ts'

const wholes = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.nat(3))
const anything = fc.oneof(
  wholes,
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0, 0.5, 2 ** 53, -(2 ** 53), 2 ** 53 - 1, 1e300, Number.POSITIVE_INFINITY),
)
/** Longer than what is looked at one by one, and no whole number of vectors. */
const lane = (numbers: fc.Arbitrary<number>) => fc.array(numbers, { minLength: 60, maxLength: 300, size: 'max' })

test('of any lane the loop says what is said of each number', () => {
  const sorted = lane(wholes).map(values => values.sort((left, right) => left - right))
  fc.assert(
    fc.property(fc.oneof(lane(wholes), sorted, lane(anything), lane(fc.constantFrom(0, -0))), numbers => {
      const values = Float64Array.from(numbers)
      const [said, expected] = [factsOf(values), factsOfEach(values)]
      // Which zero the least one is does not matter.
      assert.deepEqual(
        { ...said, min: said.min + 0, max: said.max + 0 },
        { ...expected, min: expected.min + 0, max: expected.max + 0 },
      )
    }),
  )
})

test('a lane of several pieces is in order only if they are, and has what any of them has', () => {
  for (const length of [4096, 4097, 12_289]) {
    const values = Float64Array.from({ length }, (_, row) => row * 3)
    assert.deepEqual(factsOf(values), factsOfEach(values))
    assert.equal(factsOf(values).isInOrder, true)
    for (const at of [1, 4095, 4096, length - 1].filter(row => row < length)) {
      for (const value of [-1, 0.5, -0, 1e6]) {
        const other = values.slice()
        other[at] = value
        assert.deepEqual(factsOf(other), factsOfEach(other))
      }
    }
  }
  assert.deepEqual(factsOf(new Float64Array(0)), factsOfEach(new Float64Array(0)))
})

test('planes are the low bytes of the distances, then those above', () => {
  const random = createRandom(7)
  const all: readonly PlaneWidths[] = [
    { low: 1, high: 0 },
    { low: 2, high: 0 },
    { low: 2, high: 1 },
    { low: 4, high: 0 },
    { low: 4, high: 1 },
    { low: 4, high: 2 },
  ]
  for (const { low, high } of all) {
    for (const [length, base] of [
      [64, 0],
      [9001, -5],
      [4097, 2 ** 51],
    ] as const) {
      const range = 2 ** (8 * (low + high))
      const distances = Array.from({ length }, (_, row) =>
        row === 0 ? range - 1 : row === 1 ? 0 : Math.floor((random.below(2 ** 30) / 2 ** 30) * range),
      )
      const into = new Uint8Array(length * (low + high)).fill(85)
      assert.ok(
        putPlanes(
          Float64Array.from(distances, distance => base + distance),
          base,
          { low, high },
          () => into,
        ),
      )
      const expected = Buffer.alloc(into.length)
      for (const [row, distance] of distances.entries()) {
        expected.writeUIntLE(distance % 2 ** (8 * low), low * row, low)
        if (high > 0) expected.writeUIntLE(Math.floor(distance / 2 ** (8 * low)), low * length + high * row, high)
      }
      assert.deepEqual(Buffer.from(into), expected)
    }
  }
})
