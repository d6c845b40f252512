import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeOf, TextDictionary, valueIn, valuesFor, withOwnValues } from '../../storage/dictionary.ts'
import type { DictVector } from '../../storage/vector.ts'
import { textVector } from './part-support.ts'

const texts = Array.from({ length: 40 }, (_, n) => (n === 3 ? '' : `nützer ${n}`))

test('a dictionary of texts gives one value without making the others, and all of them once', () => {
  let made = 0
  const dictionary = new TextDictionary(textVector(texts), values => {
    made += values.length
  })
  assert.equal(sizeOf(dictionary), 40)
  assert.deepEqual(
    [0, 3, 39, 40].map(code => valueIn(dictionary, code)),
    ['nützer 0', '', 'nützer 39', undefined],
  )
  assert.equal(made, 0)
  assert.deepEqual(dictionary.values, texts)
  assert.equal(dictionary.values, dictionary.values)
  assert.equal(made, 40)
  assert.deepEqual(
    [3, 39, 40].map(code => valueIn(dictionary, code)),
    ['', 'nützer 39', undefined],
  )
  assert.equal(valueIn({ values: ['a', null] }, 1), null)
  assert.equal(sizeOf({ values: ['a', null] }), 2)
})

test('who asks for many values one by one, or is about to, has all of them made', () => {
  const one = new TextDictionary(textVector(texts))
  assert.equal(valuesFor(one, 5), null)
  assert.deepEqual(valuesFor(one, 6), texts)
  let made = 0
  const other = new TextDictionary(textVector(texts), values => {
    made += values.length
  })
  for (const code of [1, 2, 3, 4, 5]) assert.equal(valueIn(other, code), texts[code])
  assert.equal(made, 0)
  assert.equal(valueIn(other, 6), texts[6])
  assert.equal(made, 40)
  const values = ['a', null]
  assert.equal(valuesFor({ values }, 1), values)
})

test('few rows have a dictionary of their own, many keep the one they have', () => {
  const dictionary = new TextDictionary(textVector(texts))
  const few: DictVector = { kind: 'dict', rowCount: 4, codes: Uint8Array.of(7, 39, 7, 3), dictionary }
  const own = withOwnValues(few) as DictVector
  assert.deepEqual([...own.codes], [0, 1, 0, 2])
  assert.deepEqual(own.dictionary.values, ['nützer 7', 'nützer 39', ''])
  const many: DictVector = { kind: 'dict', rowCount: 5, codes: Uint8Array.of(7, 39, 7, 3, 0), dictionary }
  assert.equal(withOwnValues(many), many)
  const made: DictVector = { ...few, dictionary: { values: texts } }
  assert.equal(withOwnValues(made), made)
})
