/** Binary fuse filters: every hash that was put in is found, whatever they are; of others, one in 256. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import {
  buildFuseFilter,
  fuseFilterHas,
  peel,
  readFuseFilter,
  writeFuseFilter,
} from '../../storage/part/fuse-filter.ts'
import { peelByLoop } from '../../storage/part/fuse-loop.ts'

function through(hashes: Int32Array): ReturnType<typeof readFuseFilter> {
  const sink = new ByteSink()
  writeFuseFilter(sink, buildFuseFilter(hashes, hashes.length))
  return readFuseFilter(new ByteSource(sink.finish().slice()))
}

test('no hash that was put in is missed', () => {
  const hashes = fc.uniqueArray(
    fc.oneof(fc.integer(), fc.integer({ min: -20, max: 20 }), fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31))),
    { maxLength: 400 },
  )
  fc.assert(
    fc.property(hashes, values => {
      const filter = through(Int32Array.from(values))
      for (const value of values) assert.ok(fuseFilterHas(filter, value), String(value))
    }),
    { numRuns: 300 },
  )
})

test('machine code makes the fingerprints that JavaScript makes, or finds as it does that there are none', () => {
  const counts = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5000 }))
  const shapes = fc.record({
    salt: fc.integer(),
    segmentLog: fc.integer({ min: 0, max: 9 }),
    // From too little room for any to plenty.
    perHash: fc.double({ min: 0.5, max: 3, noNaN: true }),
  })
  let failures = 0
  fc.assert(
    fc.property(counts, fc.integer(), shapes, (count, first, { salt, segmentLog, perHash }) => {
      const hashes = Int32Array.from({ length: count }, (_, index) => Math.imul(index + first, 0x9e3779b1))
      const segmentLength = 2 ** segmentLog
      const shape = { salt, segmentLength, room: segmentLength * Math.ceil((count * perHash) / segmentLength) }
      const made = peelByLoop(hashes, count, shape)
      assert.deepEqual(made, peel(hashes, count, shape))
      if (made === null) failures++
    }),
    { numRuns: 500 },
  )
  assert.ok(failures > 10 && failures < 490, `${failures} had none`)
})

test('an empty filter has nothing', () => {
  assert.equal(fuseFilterHas(through(new Int32Array(0)), 0), false)
})

test('a block of ids costs fewer than ten bits each and errs on one in 256', () => {
  const count = 60_000
  const hashes = Int32Array.from({ length: count }, (_, index) => Math.imul(index + 1, 0x9e3779b1))
  const filter = through(hashes)
  assert.ok(hashes.every(hash => fuseFilterHas(filter, hash)))
  assert.ok((filter.fingerprints.length * 8) / count < 10, `${filter.fingerprints.length} bytes`)
  let wrong = 0
  for (let index = count; index < 3 * count; index++)
    if (fuseFilterHas(filter, Math.imul(index + 1, 0x9e3779b1))) wrong++
  const share = wrong / (2 * count)
  assert.ok(share > 0.002 && share < 0.006, `${share}`)
})

test('bytes that describe no filter are refused', () => {
  const sink = new ByteSink()
  writeFuseFilter(sink, buildFuseFilter(Int32Array.of(1, 2, 3), 3))
  const bytes = sink.finish().slice()
  assert.throws(() => readFuseFilter(new ByteSource(bytes.subarray(0, bytes.length - 1))), RangeError)
  assert.throws(() => readFuseFilter(new ByteSource(Uint8Array.of(0, 40, 1))), RangeError)
})
