import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { add, div, intDiv, mod, mul, neg, sub } from '../../../runtime/helpers/arithmetic.ts'
import { normalInt, parseNumber } from '../../../runtime/helpers/numbers.ts'
import { DateTime, Duration, typeOf, type Value } from '../../../storage/value.ts'
import { anyDateTime, anyDuration } from './arbitrary-values.ts'

const INT64 = 2n ** 63n
const anyInt = fc.oneof(
  fc.bigInt({ min: -INT64, max: INT64 - 1n }),
  fc.integer().map(BigInt),
  fc.constantFrom(-INT64, INT64 - 1n, 2n ** 53n - 1n, 1n, -1n),
)

describe('arithmetic on ints', () => {
  it('is exact within int64 and a float beyond', () => {
    const operations = [
      [add, (a: bigint, b: bigint) => a + b],
      [sub, (a: bigint, b: bigint) => a - b],
      [mul, (a: bigint, b: bigint) => a * b],
    ] as const
    fc.assert(
      fc.property(anyInt, anyInt, (a, b) => {
        for (const [operate, exact] of operations) {
          assert.strictEqual(operate(normalInt(a), normalInt(b)), normalInt(exact(a, b)))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('overflows to a float at the edge of 64 bits', () => {
    assert.strictEqual(add(INT64 - 1n, 1), 2 ** 63)
    assert.strictEqual(neg(-INT64), 2 ** 63)
    assert.strictEqual(add(2 ** 53 - 1, 1), 2n ** 53n)
    assert.strictEqual(sub(2n ** 53n, 1), 2 ** 53 - 1)
  })

  it('divides to a float and has null for division by zero', () => {
    assert.equal(div(5, 2), 2.5)
    assert.equal(div(2n ** 60n, 2), 2n ** 59n)
    assert.equal(intDiv(-7, 2), -3)
    for (const divide of [div, mod, intDiv]) {
      assert.equal(divide(1, 0), null)
      assert.equal(divide(2n ** 60n, 0), null)
    }
  })

  it('never makes NaN, an infinity or minus zero', () => {
    assert.equal(mul(1e308, 10), null)
    assert.equal(add(1e308, 1e308), null)
    assert.ok(Object.is(mul(0, -5), 0))
    assert.ok(Object.is(mod(-7, 7), 0))
    assert.ok(Object.is(neg(0), 0))
  })
})

describe('arithmetic on other types', () => {
  it('joins strings and reads numeric ones beside a number', () => {
    assert.equal(add('1', '2'), '12')
    assert.equal(add('1', 2), 3)
    assert.equal(mul(' 2.5 ', '4'), 10)
    assert.equal(add('a', 2), null)
    assert.equal(add(true, 1), null)
  })

  it('moves datetimes by durations and back', () => {
    fc.assert(
      fc.property(anyDateTime, anyDuration, (time, duration) => {
        const moved = add(time, duration)
        assert.ok(moved instanceof DateTime && moved.nanos >= 0 && moved.nanos <= 999)
        assert.deepEqual(sub(moved, duration), time)
        assert.deepEqual(add(duration, time), moved)
      }),
    )
  })

  it('gives the duration between datetimes', () => {
    assert.deepEqual(sub(new DateTime(5, 7), new DateTime(3, 9)), new Duration(1998))
    assert.deepEqual(mul(new Duration(10), 2.5), new Duration(25))
    assert.equal(div(new Duration(90), new Duration(60)), 1.5)
    assert.equal(add(new DateTime(0), new DateTime(0)), null)
  })
})

describe('numeric strings', () => {
  it('are read exactly', () => {
    const cases: readonly (readonly [string, Value])[] = [
      ['42', 42],
      ['-0', 0],
      ['1e3', 1000],
      ['.5', 0.5],
      ['0x1F', 31],
      ['9223372036854775807', INT64 - 1n],
      ['9223372036854775808', 2 ** 63],
      ['+7', 7],
      ['', null],
      ['-', null],
      ['1_000', null],
      ['Infinity', null],
      ['1e999', null],
      ['12px', null],
    ]
    for (const [text, number] of cases) assert.strictEqual(parseNumber(text), number, text)
  })

  it('read back what ints print', () => {
    fc.assert(fc.property(anyInt, int => assert.equal(parseNumber(String(int)), normalInt(int))))
    assert.equal(typeOf(parseNumber('9007199254740993')), 'int')
  })
})
