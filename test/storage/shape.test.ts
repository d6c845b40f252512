/** What columns are shaped to, and what is counted on the way: the same as row by row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { countCodes, countsOf, greatestCode } from '../../storage/part/code-counts.ts'
import { FieldDictionary } from '../../storage/part/field-dictionary.ts'
import { shapeColumn, textVectorOf } from '../../storage/part/shape.ts'
import type { Value } from '../../storage/value.ts'
import type { DictVector } from '../../storage/vector.ts'
import { valuesOf } from './part-support.ts'

test('codes of any dictionary become codes of the field, and are counted', () => {
  const codes = fc.array(fc.nat(6), { minLength: 40, maxLength: 200 })
  fc.assert(
    fc.property(codes, codes, (first, second) => {
      const values: Value[] = ['a', 'b', null, 'c', undefined, 'd', 'e']
      const target = new FieldDictionary()
      for (const [block, own] of [first, second].entries()) {
        const dictionary = { values: block === 0 ? values : [...values].reverse() }
        const vector: DictVector = { kind: 'dict', rowCount: own.length, codes: Uint16Array.from(own), dictionary }
        const shaped = shapeColumn(vector, target)
        if (shaped?.kind !== 'dict') continue
        assert.deepEqual(valuesOf(shaped, own.length), valuesOf(vector, own.length))
        const { values: all } = shaped.dictionary
        assert.deepEqual([...countsOf(shaped)], [...countCodes(shaped.codes, all.length)])
        assert.equal(greatestCode(shaped), Math.max(...shaped.codes))
      }
    }),
  )
})

test('few numbers become codes unless one is -0, which no code would tell from 0', () => {
  const rowCount = 2000
  const shapedOf = (numberOf: (row: number) => number, presence: Uint8Array | null = null) => {
    const values = Float64Array.from({ length: rowCount }, (_, row) => numberOf(row))
    return { values, shaped: shapeColumn({ kind: 'number', rowCount, values, presence }, new FieldDictionary())! }
  }
  for (const numberOf of [
    (row: number) => row % 7,
    (row: number) => (row % 5) - 2.5,
    (row: number) => (row % 3) * 1e6,
  ]) {
    const { values, shaped } = shapedOf(numberOf)
    assert.equal(shaped.kind, 'dict')
    assert.deepEqual(valuesOf(shaped, rowCount), [...values])
  }
  for (const at of [0, 1500]) {
    const { shaped } = shapedOf(row => (row === at ? -0 : row % 2))
    assert.equal(shaped.kind, 'number')
  }
  assert.equal(shapedOf(row => row % 300).shaped.kind, 'number')
  const presence = Uint8Array.from({ length: rowCount }, (_, row) => row % 3)
  const { shaped } = shapedOf(row => (row % 3 === 2 ? row % 4 : 0), presence)
  assert.equal(shaped.kind, 'dict')
  assert.deepEqual(
    valuesOf(shaped, rowCount),
    Array.from({ length: rowCount }, (_, row) => (row % 3 === 2 ? row % 4 : row % 3 === 1 ? null : undefined)),
  )
})

test('strings become UTF-8, short and long ones, of whatever characters', () => {
  const strings = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constant('x'.repeat(200)),
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(strings, fc.constant(null))), values => {
      const { bytes, offsets } = textVectorOf(values)
      const texts = values.map((_, row) => Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString('utf8'))
      assert.deepEqual(
        texts,
        values.map(value => value ?? ''),
      )
    }),
  )
})
