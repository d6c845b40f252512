import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { between, compareValues, eq, ge, gt, isIn, keyOf, le, lt, ne } from '../../../runtime/helpers/compare.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { anyValue } from './arbitrary-values.ts'

const sign = (n: number) => Math.sign(n) + 0

describe('the order of all values', () => {
  it('is antisymmetric and reflexive', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        assert.equal(compareValues(a, a), 0)
        assert.equal(sign(compareValues(a, b)), sign(-compareValues(b, a)))
      }),
      { numRuns: 2000 },
    )
  })

  it('is transitive', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
        const [x, y, z] = [a, b, c].sort(compareValues)
        assert.ok(compareValues(x, y) <= 0 && compareValues(y, z) <= 0 && compareValues(x, z) <= 0)
      }),
      { numRuns: 2000 },
    )
  })

  it('puts numbers, strings, bools, datetimes, durations, arrays, objects and nulls in this order', () => {
    const values: Value[] = [3, 'a', false, new DateTime(0), new Duration(0), [], {}, null]
    assert.deepEqual([...values].reverse().sort(compareValues), values)
  })

  it('compares ints beyond 2^53 with floats exactly', () => {
    assert.ok(compareValues(2n ** 53n + 1n, 2 ** 53) > 0)
    assert.equal(compareValues(2n ** 60n, 2 ** 60), 0)
    assert.equal(eq(2n ** 60n, 2 ** 60), true)
  })
})

describe('comparison', () => {
  it('agrees with the order within one type', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        if (typeof a !== 'number' || typeof b !== 'number') return
        assert.equal(lt(a, b), compareValues(a, b) < 0)
        assert.equal(eq(a, b), compareValues(a, b) === 0)
      }),
    )
  })

  it('is consistent: one of < == > holds, or all are null', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        assert.equal(ne(a, b), eq(a, b) === null ? null : !eq(a, b))
        const results = [lt(a, b), eq(a, b), gt(a, b)]
        if (lt(a, b) === null) assert.deepEqual([gt(a, b), le(a, b), ge(a, b)], [null, null, null])
        else assert.equal(results.filter(result => result === true).length, 1)
        assert.equal(lt(a, b), gt(b, a))
        assert.equal(eq(a, b), eq(b, a))
      }),
      { numRuns: 2000 },
    )
  })

  it('is null with null or missing on either side', () => {
    fc.assert(
      fc.property(anyValue, value => {
        for (const compare of [eq, ne, lt, le, gt, ge]) {
          assert.equal(compare(value, null), null)
          assert.equal(compare(undefined, value), null)
        }
      }),
    )
  })

  it('reads a numeric string as a number and the text of a time as a datetime', () => {
    assert.equal(eq('200', 200), true)
    assert.equal(lt('9', 10), true)
    assert.equal(eq('9007199254740993', 9007199254740993n), true)
    assert.equal(eq('abc', 1), null)
    assert.equal(gt(new DateTime(1_000_000), '1970-01-01'), true)
    assert.equal(lt('1970-01-01T00:00:00Z', new DateTime(0, 1)), true)
    assert.equal(eq(new DateTime(0), 'soon'), null)
  })

  it('is null between other types, and has no order for arrays and objects', () => {
    assert.equal(eq(true, 1), null)
    assert.equal(eq(new Duration(1), 1), null)
    assert.equal(lt([1], [2]), null)
    assert.equal(eq([1, { a: 2 }], [1, { a: 2 }]), true)
    assert.equal(eq({ a: 1, b: 2 }, { b: 2, a: 1 }), true)
  })

  it('looks through lists: null only when a null member leaves the answer open', () => {
    assert.equal(isIn(1, ['x', 1]), true)
    assert.equal(isIn(1, ['x', 2]), false)
    assert.equal(isIn(1, [2, null]), null)
    assert.equal(isIn(1, 'no list'), null)
    assert.equal(between(5, 1, 5), true)
    assert.equal(between(5, 6, null), false)
    assert.equal(between(5, 1, null), null)
  })
})

describe('group keys', () => {
  it('are equal exactly where values are equal in the order', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        assert.equal(keyOf(a), keyOf(a))
        assert.equal(keyOf(a) === keyOf(b), compareValues(a, b) === 0)
      }),
      { numRuns: 5000 },
    )
  })

  it('hold 2 and 2.0, 2^60 as int and as float, null and missing together, and 2 and "2" apart', () => {
    assert.equal(keyOf(2), keyOf(2.0))
    assert.equal(keyOf(2n ** 60n), keyOf(2 ** 60))
    assert.equal(keyOf(null), keyOf(undefined))
    assert.notEqual(keyOf(2), keyOf('2'))
    assert.notEqual(keyOf(['a', 'b']), keyOf(['a,b']))
    assert.notEqual(keyOf(['1']), keyOf([1]))
  })
})
