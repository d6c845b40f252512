/** A set of values that came by code, by value, by merging and from other threads counts what a Set of them would. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DISTINCT_HELPERS, packedIds } from '../../../runtime/helpers/distinct.ts'
import { Interner } from '../../../runtime/helpers/interner.ts'
import type { Value } from '../../../storage/value.ts'
import type { Dictionary } from '../../../storage/vector.ts'

/** Values by number; every ninth is null. */
const valueNumbered = (number: number): Value => (number % 9 === 0 ? null : number % 2 === 0 ? `user${number}` : number)

/** The same values under other codes in each. */
const dictionaries = [3, 7, 11].map(
  (step): Dictionary => ({ values: Array.from({ length: 900 }, (_, code) => valueNumbered((code * step) % 900)) }),
)

const stretch = fc.record({
  way: fc.constantFrom('codes', 'values', 'merge', 'thread'),
  dictionary: fc.nat(2),
  from: fc.nat(899),
  count: fc.constantFrom(1, 5, 40, 300, 700),
})

test('distinct values are those of a Set, however they come', () => {
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 8 }), stretches => {
      const { distinctNew, distinctAddCode, distinctAdd, distinctCount, distinctMerge, distinctPack, distinctUnpack } =
        DISTINCT_HELPERS
      const interner = new Interner()
      const set = distinctNew(interner)
      const expected = new Set<Value>()
      for (const { way, dictionary: at, from, count } of stretches) {
        const dictionary = dictionaries[at]!
        const there = way === 'thread' ? new Interner() : interner
        const target = way === 'merge' || way === 'thread' ? distinctNew(there) : set
        for (let n = 0; n < count; n++) {
          const code = (from + n) % 900
          const value = dictionary.values[code]!
          if (value !== null) expected.add(value)
          if (way !== 'values') distinctAddCode(target, dictionary, code)
          else if (value !== null) distinctAdd(target, value)
        }
        if (way === 'merge') distinctMerge(set, target)
        if (way === 'thread') {
          const ours = Uint32Array.from(there.valuesFrom(0), value => interner.idOf(value))
          distinctMerge(set, distinctUnpack(structuredClone(distinctPack(target)), interner, ours))
        }
        assert.equal(distinctCount(set), expected.size)
      }
      const values = Array.from(packedIds(distinctPack(set)), id => interner.valueOf(id))
      assert.deepEqual(new Set(values), expected)
    }),
  )
})
