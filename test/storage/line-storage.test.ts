/** `_raw` of an open block, held as its lines lay: whoever reads it sees what a plain list of lines would show. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { LineStorage } from '../../storage/ingest/line-storage.ts'
import type { Vector } from '../../storage/vector.ts'

type Step =
  | { readonly lines: readonly string[]; readonly between: string }
  | { readonly text: string }
  | { readonly reads: true }
  | { readonly skips: true }

const line = fc.string({ unit: 'binary', maxLength: 300 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 9 }), between: line }) },
  { weight: 1, arbitrary: fc.record({ text: line }) },
  { weight: 1, arbitrary: fc.constant({ reads: true } as const) },
  { weight: 1, arbitrary: fc.constant({ skips: true } as const) },
)

/** As much of a batch as is asked for. */
function batchOf(lines: readonly string[], between: string): EventBatch {
  const batch = new EventBatch()
  batch.bytes = Buffer.from(`${between}${lines.map(each => each + between).join('')}`)
  batch.words = new DataView(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.length)
  batch.starts = new Int32Array(lines.length)
  batch.ends = new Int32Array(lines.length)
  const gap = Buffer.byteLength(between)
  let at = gap
  for (const [row, each] of lines.entries()) {
    batch.starts[row] = at
    at += Buffer.byteLength(each)
    batch.ends[row] = at
    at += gap
  }
  return batch
}

function textsOf(vector: Vector): (string | null)[] {
  assert.equal(vector.kind, 'text')
  const { bytes, offsets, presence, rowCount } = vector as Extract<Vector, { kind: 'text' }>
  return Array.from({ length: rowCount }, (_, row) =>
    presence !== null && presence[row] !== 2
      ? null
      : Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString(),
  )
}

test('lines, texts and rows without any come back in order, whenever they are read', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (steps, finishes) => {
      const storage = new LineStorage(steps.length * 10)
      const expected: (string | null)[] = []
      let early: { readonly vector: Vector; readonly texts: readonly (string | null)[] } | null = null
      for (const each of steps) {
        if ('lines' in each) {
          storage.addLines(expected.length, batchOf(each.lines, each.between), 0, each.lines.length)
          expected.push(...each.lines)
        } else if ('text' in each) {
          storage.add(expected.length, each.text)
          expected.push(each.text)
        } else if ('skips' in each) expected.push(null)
        else early ??= { vector: storage.view(expected.length), texts: [...expected] }
      }
      assert.equal(storage.textBytes, Buffer.byteLength(expected.join('')))
      if (!expected.includes(null)) {
        const chosen = Uint16Array.from(expected, (_, row) => row % 2)
        const kept = expected.map((text, row) => (row % 2 === 0 ? text : ''))
        assert.deepEqual(textsOf(storage.textsOf(chosen)), kept)
      }
      if (finishes) storage.finish(expected.length)
      assert.deepEqual(textsOf(storage.view(expected.length)), expected)
      // What was read before the rest came is what it was.
      if (early !== null) assert.deepEqual(textsOf(early.vector), early.texts)
    }),
    { numRuns: 400 },
  )
})
