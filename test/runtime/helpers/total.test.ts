import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { SCALARS } from '../../../compiler/functions/scalar/index.ts'
import { StrictCastError } from '../../../runtime/helpers/errors.ts'
import { valueToJson } from '../../../runtime/helpers/format-value.ts'
import { HELPERS } from '../../../runtime/helpers/index.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { anyValue } from './arbitrary-values.ts'

const table = HELPERS as unknown as Readonly<Record<string, (...args: Value[]) => Value>>

/** What `Value` promises and its type cannot say. */
function assertIsValue(value: Value, of: string): void {
  if (typeof value === 'number') {
    assert.ok(Number.isFinite(value), `${of} gave ${value}`)
    assert.ok(!Object.is(value, -0), `${of} gave minus zero`)
  } else if (typeof value === 'bigint') {
    assert.ok(!Number.isSafeInteger(Number(value)) && BigInt.asIntN(64, value) === value, `${of} gave ${value}n`)
  } else if (value instanceof DateTime) {
    assert.ok(Number.isInteger(value.micros), `${of} gave ${value.micros} µs`)
    assert.ok(value.nanos >= 0 && value.nanos <= 999 && Number.isInteger(value.nanos), `${of} gave ${value.nanos} ns`)
  } else if (value instanceof Duration) assert.ok(Number.isInteger(value.ns), `${of} gave ${value.ns} ns`)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) assertIsValue(member, of)
}

describe('every helper of a scalar function', () => {
  for (const fn of SCALARS) {
    it(`${fn.helper} answers any values with a value, for ${fn.name}`, () => {
      const helper = table[fn.helper]!
      const least = fn.parameters.filter(p => !p.optional).length
      const isVariadic = fn.parameters.at(-1)?.variadic === true
      const most = isVariadic ? least + 3 : fn.parameters.length
      const given = fn.nulls === 'observe' ? anyValue : anyValue.filter(value => value !== null && value !== undefined)
      const body = fc.func(anyValue) as unknown as fc.Arbitrary<Value>
      const args =
        fn.loop === undefined ? fc.array(given, { minLength: least, maxLength: most }) : fc.tuple(given, body)
      fc.assert(
        fc.property(args, args => {
          const result = helper(...args)
          assertIsValue(result, `${fn.name}(${args.map(valueToJson).join(', ')})`)
        }),
        { numRuns: 150 },
      )
    })
  }
})

describe('strict casts', () => {
  it('give what the cast gives, or say what they could not convert', () => {
    assert.equal(HELPERS.strictInt('42'), 42)
    assert.equal(HELPERS.strictInt(null), null)
    assert.equal(HELPERS.strictInt(undefined), null)
    assert.throws(() => HELPERS.strictInt('n/a'), new StrictCastError('int', '"n/a"'))
    assert.throws(
      () => HELPERS.strictDatetime('x'.repeat(500)),
      (error: Error) => error.message.length < 120,
    )
  })
})
