import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DateTime, Duration, typeOf } from '../../storage/value.ts'

test('numbers are ints or floats by value, and bigints are ints', () => {
  const types = [2, 2.5, 2 ** 53, 9007199254740993n, -0].map(typeOf)
  assert.deepEqual(types, ['int', 'float', 'float', 'int', 'int'])
})

test('missing and null are told apart, and boxed values have their own types', () => {
  const types = [undefined, null, new DateTime(0), new Duration(1), [], {}].map(typeOf)
  assert.deepEqual(types, ['missing', 'null', 'datetime', 'duration', 'array', 'object'])
})
