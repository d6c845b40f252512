/** What has about as many groups as rows is not shared by threads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Place } from '../../runtime/operators/scan.ts'
import { hasManyGroups } from '../../runtime/parallel/share.ts'
import { DateTime } from '../../storage/value.ts'

const HOUR = 3_600_000_000

/** A day, an hour a block, of a part that knows no fields. */
const day = Array.from({ length: 24 }, (_, hour) => ({
  part: { fields: [], rowCount: 0 },
  block: { minTime: new DateTime(hour * HOUR), maxTime: new DateTime((hour + 1) * HOUR - 1) },
})) as unknown as readonly Place[]

test('bins of time are groups, as many as lie between the first event and the last', () => {
  const by = (binMicros: number, rows: number) => hasManyGroups([{ field: '_time', binMicros }], day, rows)
  assert.equal(by(HOUR, 2400), false)
  assert.equal(by(HOUR, 2399), true)
  assert.equal(by(HOUR / 60, 2_000_000), false)
  assert.equal(by(HOUR / 3600, 2_000_000), true)
  assert.equal(hasManyGroups([{ field: 'computed', binMicros: null }], day, 2_000_000), false)
})
