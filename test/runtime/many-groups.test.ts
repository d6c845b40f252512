/** What has about as many groups as rows, or gathers about as many values, is not shared by threads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalog } from '../../compiler/catalog.ts'
import { compile } from '../../compiler/index.ts'
import type { Place } from '../../runtime/operators/scan.ts'
import { gathersManyValues, hasManyGroups } from '../../runtime/parallel/share.ts'
import type { AggregateSpec } from '../../runtime/program.ts'
import { DateTime } from '../../storage/value.ts'
import { NOW } from '../case-input.ts'

const HOUR = 3_600_000_000

const NO_CATALOG: Catalog = { indexes: ['main'], sources: [], fields: () => null, lookups: [], lookup: () => null }

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

test('values are many where statistics say so, and something gathers them', () => {
  const block = { statistics: () => ({ distinctMax: 1000, min: null, max: null }) }
  const part = { fields: [{ name: 'user', presentCount: 50_000 }], rowCount: 50_000, blockCount: 1, block: () => block }
  const places = [{ part }] as unknown as readonly Place[]
  const gathers = (query: string, rows: number): boolean => {
    const aggregates: AggregateSpec[] = []
    const visit = (op: unknown): void => {
      if (typeof op !== 'object' || op === null) return
      if ('op' in op && op.op === 'aggregate') aggregates.push(op as AggregateSpec)
      if ('input' in op) visit(op.input)
    }
    const compiled = compile(`from main | ${query}`, { catalog: NO_CATALOG, now: NOW })
    visit(compiled.program.root)
    assert.equal(aggregates.length, 1)
    return gathersManyValues(aggregates[0]!, places, rows)
  }
  assert.equal(gathers('stats dc(user) by host', 99_999), true)
  assert.equal(gathers('stats dc(user) by host', 100_000), false)
  assert.equal(gathers('stats values(user)', 50_000), true)
  assert.equal(gathers('stats max(user) by host', 50_000), false)
  assert.equal(gathers('stats dc(host)', 50_000), false, 'nothing is known of it')
})
