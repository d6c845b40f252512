/** Keys get the numbers a Map would give them, whatever collides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NumberedKeys } from '../../runtime/operators/numbered-keys.ts'

test('numbers in the order of first appearance, over the growth of the table', () => {
  const key = fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.maxSafeNat(),
    // The same low words: what the hash has least to go on.
    fc.integer({ min: 0, max: 2 ** 20 }).map(high => high * 2 ** 32),
  )
  fc.assert(
    fc.property(fc.array(key, { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (keys, spread) => {
      const numbered = new NumberedKeys()
      const expected = new Map<number, number>()
      for (let round = 0; round < spread; round++) {
        for (const each of keys) {
          const key = (each + round) % Number.MAX_SAFE_INTEGER
          if (!expected.has(key)) expected.set(key, expected.size)
          assert.equal(numbered.numberOf(key), expected.get(key))
        }
      }
      assert.equal(numbered.count, expected.size)
      for (const [key, number] of expected) assert.equal(numbered.keys[number], key)
    }),
  )
})
