/** Values of every type, with the awkward ones (edges of exactness, text that looks like numbers and times) common. */
import fc from 'fast-check'
import { normalFloat, normalInt } from '../../../runtime/helpers/numbers.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'

const INT64 = 2n ** 63n

export const anyNumber: fc.Arbitrary<number | bigint> = fc
  .oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.maxSafeInteger(),
    fc.constantFrom(2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 53, 2 ** 60, 0.5, 1e300, 5e-324),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: -INT64, max: INT64 - 1n }).map(value => normalInt(value) as number | bigint),
    fc.constantFrom(2n ** 60n, INT64 - 1n, -INT64, 2n ** 53n, 2n ** 53n + 1n),
  )
  .map(value => (typeof value === 'number' ? (normalFloat(value) as number) : value))

export const anyDateTime = fc
  .tuple(fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999 })))
  .map(([micros, nanos]) => new DateTime(micros, nanos))

export const anyDuration = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger()).map(ns => new Duration(ns))

export const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '1',
    '2.0',
    ' 3 ',
    '1e3',
    '0x10',
    '9007199254740993',
    '2020-01-01',
    '2020-01-01T00:00:00Z',
    'true',
    '',
  ),
)

const scalar: fc.Arbitrary<Value> = fc.oneof(
  anyNumber,
  anyText,
  fc.boolean(),
  anyDateTime,
  anyDuration,
  fc.constantFrom<Value>(null, undefined),
)

export const anyValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar, { maxKeys: 3, noNullPrototype: true }),
  },
)
