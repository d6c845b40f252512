/** Equal values have one number, and others have others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import { Interner } from '../../../runtime/helpers/interner.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'

test('a number, a text, a length of time and times with and without nanoseconds are five values', () => {
  const interner = new Interner()
  const make = (): readonly Value[] => [
    60,
    '60',
    'd60',
    new Duration(60),
    new DateTime(60),
    new DateTime(60, 7),
    new DateTime(0),
    new DateTime(-0),
    0,
    -0,
    null,
    undefined,
    true,
    [new DateTime(60)],
  ]
  const ids = make().map(value => interner.idOf(value))
  assert.deepEqual(
    make().map(value => interner.idOf(value)),
    ids,
  )
  for (const [at, value] of make().entries())
    for (const [other, another] of make().entries())
      assert.equal(ids[at] === ids[other], keyOf(value) === keyOf(another), `${String(value)} and ${String(another)}`)
  for (const [at, value] of make().entries()) assert.equal(compareValues(interner.valueOf(ids[at]!), value ?? null), 0)
})
