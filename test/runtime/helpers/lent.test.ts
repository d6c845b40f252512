import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Lender, lending, lentBytes, lentNumbers, lentWords } from '../../../runtime/helpers/lent.ts'
import { giveUp, moved, zeroInts, zeroNumbers } from '../../../runtime/operators/table/spare-memory.ts'

type Held = Uint8Array | Uint32Array | Int32Array | Float64Array

const MAKERS = [lentBytes, lentWords, lentNumbers] as const
const lengths = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 0, max: 20_000 })), { maxLength: 8 })

describe('memory that serves again', () => {
  test('arrays lent for one batch have memory of their own, and zeros where that is said', () => {
    const lender = new Lender()
    fc.assert(
      fc.property(fc.array(lengths, { maxLength: 5 }), batches => {
        for (const batch of batches) lending(lender, () => isOwn(batch.map(([kind, length]) => made(kind, length))))
      }),
    )
  })

  test('what was lent to one batch serves the next, and nothing serves two at once', () => {
    const lender = new Lender()
    const first = lending(lender, () => lentBytes(65_536).buffer)
    lending(lender, () => {
      const again = lentBytes(65_536)
      assert.equal(again.buffer, first)
      const inner = lending(new Lender(), () => lentBytes(65_536).buffer)
      assert.notEqual(inner, first)
      assert.notEqual(lentBytes(65_536).buffer, first)
    })
    assert.notEqual(lentBytes(65_536).buffer, first)
  })

  test('tables that grow hold what they held, and zeros behind it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 12 }), steps => {
        let table = zeroInts(steps[0]!)
        const others: Held[] = []
        const expected: number[] = Array.from(table)
        for (const step of steps) {
          table.fill(step, expected.length - 1)
          expected[expected.length - 1] = step
          others.push(zeroNumbers(step).fill(7))
          table = moved(table, zeroInts(table.length + step))
          while (expected.length < table.length) expected.push(0)
          assert.deepEqual(Array.from(table), expected)
          if (others.length > 2) giveUp(others.shift()!)
        }
      }),
    )
  })
})

function made(kind: number, length: number): Held {
  const array = MAKERS[kind]!(length)
  // What is not zeroed is written whole by who takes it.
  if (kind === 1) array.fill(0)
  assert.equal(array.length, length)
  assert.ok((array as Uint8Array).every(value => value === 0))
  return array
}

/** Writing one changes no other. */
function isOwn(arrays: readonly Held[]): void {
  for (const [index, array] of arrays.entries()) array.fill(index + 1)
  for (const [index, array] of arrays.entries()) assert.ok((array as Uint8Array).every(value => value === index + 1))
}
