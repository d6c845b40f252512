/** Frames: whatever columns hold comes back as it was, and nothing that was changed on disk comes back at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { batchOf } from '../../../runtime/column-batch.ts'
import { encodeFrame, Frame } from '../../../runtime/spill/frame.ts'
import { batchOfFrame, frameOf } from '../../../runtime/spill/frame-batch.ts'
import { SpillReadError } from '../../../runtime/spill/spill-file.ts'
import type { Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import { anyVector, columnArbitrary, dictVector, textVector, timeVector, valuesOf } from '../../storage/part-support.ts'
import { memoryDisk, spillTo } from './support.ts'

const PRESENT = 2

/** Vectors of every kind, `rowCount` rows long. */
const vectorArbitrary: fc.Arbitrary<Vector> = fc.oneof(
  columnArbitrary.map(anyVector),
  columnArbitrary.map(dictVector),
  columnArbitrary.map(values => ({ kind: 'const' as const, rowCount: values.length, value: values[0] })),
  fc.array(fc.option(fc.string({ unit: 'binary' }), { nil: undefined }), { minLength: 1 }).map(textVector),
  // Doubles of any kind: states of aggregates hold infinities, and nothing here may depend on there being no NaN.
  fc
    .array(fc.oneof(fc.double(), fc.constantFrom(-0, Number.NaN, Number.NEGATIVE_INFINITY), fc.integer()), {
      minLength: 1,
    })
    .map(values => ({
      kind: 'number' as const,
      rowCount: values.length,
      values: Float64Array.from(values),
      presence: null,
    })),
  fc.array(fc.boolean(), { minLength: 1 }).map(values => ({
    kind: 'bool' as const,
    rowCount: values.length,
    values: Uint8Array.from(values, Number),
    presence: Uint8Array.from(values, (_, row) => (row % 3 === 0 ? PRESENT : row % 3)),
  })),
  fc.array(fc.maxSafeInteger(), { minLength: 1 }).map(values => ({
    kind: 'duration' as const,
    rowCount: values.length,
    values: Float64Array.from(values),
    presence: null,
  })),
  fc.array(fc.tuple(fc.integer(), fc.nat(999)), { minLength: 1 }).map(times =>
    timeVector(
      times.map(([micros]) => micros),
      times.map(([, nanos]) => nanos),
    ),
  ),
)

/** The values under rows that are not present are nobody's; bools there are 0. */
function comparable(vector: Vector): Value[] {
  return valuesOf(vector, vector.rowCount)
}

test('columns of every kind come back, as extras and by name', () => {
  fc.assert(
    fc.property(vectorArbitrary, fc.string(), (vector, name) => {
      const frame = new Frame(encodeFrame(vector.rowCount, [vector], [[name, vector]]).slice())
      assert.equal(frame.rowCount, vector.rowCount)
      assert.deepStrictEqual(frame.names, [name])
      assert.deepStrictEqual(comparable(frame.extra(0)), comparable(vector))
      assert.deepStrictEqual(comparable(frame.column(name)!), comparable(vector))
      assert.equal(frame.column(`${name}?`), null)
    }),
    { numRuns: 300 },
  )
})

test('what an event shows of an object that is read whole comes back beside it', () => {
  const shown = anyVector([undefined, { a: 1 }])
  const vector: Vector = { kind: 'any', rowCount: 2, values: [{ b: 2 }, { a: 1, b: 3 }], shown }
  const batch = batchOfFrame(new Frame(frameOf(batchOf(new Map([['o', vector]]), 2), [])), 0)
  const read = batch.column('o')
  assert.deepStrictEqual(comparable(read), comparable(vector))
  assert.ok(read.kind === 'any' && read.shown !== undefined)
  assert.deepStrictEqual(comparable(read.shown), comparable(shown))
})

test('a frame answers for objects of its fields, members of its objects, and the index, which is no name', () => {
  const columns = new Map<string, Vector>([
    ['a.b', anyVector([1, undefined])],
    ['o', anyVector([{ x: 5 }, null])],
  ])
  const source = batchOf(columns, 2)
  const index: Vector = { kind: 'const', rowCount: 2, value: 'main' }
  const beside = {
    ...source,
    names: source.names,
    column: (name: string) => (name === 'index' ? index : source.column(name)),
  }
  const batch = batchOfFrame(new Frame(frameOf({ ...beside, rowCount: 2, at: rows => source.at(rows) }, [])), 7)
  assert.deepStrictEqual(batch.names, ['a.b', 'o'])
  assert.equal(batch.rowOrderBase, 7)
  assert.deepStrictEqual(comparable(batch.column('a')), [{ b: 1 }, undefined])
  assert.deepStrictEqual(comparable(batch.column('o.x')), [5, undefined])
  assert.deepStrictEqual(comparable(batch.column('index')), ['main', 'main'])
  assert.deepStrictEqual(comparable(batch.column('nothing')), [undefined, undefined])
})

test('a frame of which one bit was changed on disk is not read', () => {
  const frame = encodeFrame(3, [anyVector(['one', 2, null])], [['name', textVector(['a', 'b', undefined])]])
  fc.assert(
    fc.property(fc.nat(), fc.nat(7), (at, bit) => {
      const disk = memoryDisk()
      const { spill } = spillTo(disk, 1024)
      const file = spill.create('sort')
      file.write(frame)
      file.write(frame)
      const [written] = disk.files.values()
      const byte = at % (file.bytes / 2)
      written!.bytes[byte]! ^= 1 << bit
      assert.throws(() => file.read(0), SpillReadError)
      assert.deepStrictEqual(Uint8Array.from(file.read(1)), Uint8Array.from(frame))
    }),
    { numRuns: 200 },
  )
})
