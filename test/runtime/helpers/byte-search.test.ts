import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteSearch, hitsByHand, isIn, type Needle, needleOf, PIECE } from '../../../runtime/helpers/byte-search.ts'

function allHits(text: Uint8Array, needle: Needle, from = 0, end = text.length): number[] {
  const search = new ByteSearch(text, needle, from, end)
  const hits: number[] = []
  for (let at = from; at < end; at += PIECE) for (const hit of search.hits(at)) hits.push(at + hit)
  return hits
}

/** Few letters of both cases, what differs from letters by the bit that tells the cases apart, and bytes beyond ASCII. */
const units = fc.constantFrom(...'aAbBkK@`[{ 0é')
const text = fc.array(units, { maxLength: 300 }).map(parts => Buffer.from(parts.join('')))
const needle = fc.array(units, { minLength: 1, maxLength: 40 }).map(parts => parts.join(''))

test('places found are those that have the needle, with and without regard to case', () => {
  fc.assert(
    fc.property(text, needle, fc.boolean(), (haystack, wanted, ignoreCase) => {
      const sought = needleOf(wanted, ignoreCase)
      assert.deepEqual(allHits(haystack, sought), [...hitsByHand(haystack, sought)])
      assert.equal(isIn(haystack, sought, haystack.length), hitsByHand(haystack, sought).length > 0)
    }),
  )
})

test('a needle taken from the text is found where it was taken, wherever pieces end', () => {
  const long = Buffer.from(Array.from({ length: 3 * PIECE }, (_, at) => 97 + ((at * 7919 + (at >> 5)) % 26)))
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: -80, max: 80 }), fc.nat(70), (piece, near, length) => {
      const at = Math.min(Math.max(0, piece * PIECE + near), long.length - 1)
      const sought = needleOf(
        long
          .subarray(at, at + length + 1)
          .toString()
          .toUpperCase(),
        true,
      )
      assert.deepEqual(allHits(long, sought), [...hitsByHand(long, sought)])
    }),
    { numRuns: 30 },
  )
})

test('what stands before or after the range is not found, nor what is cut by its end', () => {
  const haystack = Buffer.from('needle needle needle')
  const sought = needleOf('needle', false)
  assert.deepEqual(allHits(haystack, sought, 7, 14), [7])
  assert.deepEqual(allHits(haystack, sought, 7, 19), [7])
  assert.deepEqual(allHits(haystack, sought, 8, 13), [])
})

test('what an earlier, longer search left in memory is not found', () => {
  allHits(Buffer.from('x'.repeat(PIECE)), needleOf('x', false))
  assert.deepEqual(allHits(Buffer.from('x'), needleOf('x', false)), [0])
  assert.deepEqual(allHits(Buffer.from('x'), needleOf('xx', false)), [])
})
