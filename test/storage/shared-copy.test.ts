/** Bytes copied into and out of memory that threads share, however they lie. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { copyBytes } from '../../storage/shared-copy.ts'

test('bytes arrive where they should, and no others change', () => {
  const place = fc.integer({ min: 0, max: 20 })
  const length = fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 200_000 }))
  const sides = fc.constantFrom(ArrayBuffer, SharedArrayBuffer)
  fc.assert(
    fc.property(sides, sides, place, place, place, length, (From, To, fromStart, toStart, at, count) => {
      const from = new Uint8Array(new From(fromStart + count), fromStart)
      for (let index = 0; index < count; index++) from[index] = Math.imul(index, 0x9e3779b1) >>> 24
      const room = at + count + 30
      const to = new Uint8Array(new To(toStart + room), toStart, room).fill(7)
      copyBytes(from, to, at)
      assert.ok(Buffer.from(to.slice(at, at + count)).equals(Buffer.from(from.slice())))
      assert.ok(to.subarray(0, at).every(byte => byte === 7) && to.subarray(at + count).every(byte => byte === 7))
    }),
    { numRuns: 200 },
  )
})
