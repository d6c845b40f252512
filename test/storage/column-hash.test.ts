/** The hash a merge compares columns by: of what rows say, not of how they lie. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashColumn } from '../../storage/compaction/column-hash.ts'
import { anyVector, dictVector, textVector } from './part-support.ts'

const texts = fc.array(fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })), { minLength: 1, maxLength: 12 })

test('a column hashes alike as text, as codes and boxed', () => {
  fc.assert(
    fc.property(texts, values => {
      const hash = hashColumn(textVector(values))
      assert.equal(hashColumn(dictVector(values)), hash)
      assert.equal(hashColumn(anyVector(values)), hash)
    }),
  )
})

test('one byte more, less or other is another column', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' }), fc.nat(), (text, place) => {
      const at = place % text.length
      const other = String.fromCharCode((text.charCodeAt(at) + 1) % 128)
      const hash = hashColumn(textVector(['a', text]))
      for (const changed of [
        text.slice(0, at) + other + text.slice(at + 1),
        text.slice(0, at) + text.slice(at + 1),
        `${text.slice(0, at)}\0${text.slice(at)}`,
      ])
        assert.notEqual(hashColumn(textVector(['a', changed])), hash)
      assert.notEqual(hashColumn(textVector([text, 'a'])), text === 'a' ? 0 : hash)
    }),
    { numRuns: 500 },
  )
})
