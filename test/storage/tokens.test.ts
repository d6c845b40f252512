import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { forEachTokenHash, hashToken, isWordByte, tokensOf } from '../../storage/tokens.ts'

function hashesOf(bytes: Uint8Array, start = 0, end = bytes.length): number[] {
  const hashes: number[] = []
  forEachTokenHash(bytes, start, end, hash => hashes.push(hash))
  return hashes
}

const textArbitrary = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('a', 'Z', '7', ' ', '_', '-', 'é', 'İ', 'Σ', 'ß', '日', '٣', '𐐀', '😀', '\u0301', '\ufeff', '²'),
    )
    .map(units => units.join('')),
)

test('tokens are lower-cased runs of letters and digits', () => {
  assert.deepEqual(tokensOf('GET /api/v2/Users_list?id=00-7f'), ['get', 'api', 'v2', 'users', 'list', 'id', '00', '7f'])
  assert.deepEqual(tokensOf('École Ünïcode 東京 ٣٤ 𐐀'), ['école', 'ünïcode', '東京', '٣٤', '𐐨'])
  assert.deepEqual(tokensOf('_-. \n😀'), [])
})

test('a token has no length limit', () => {
  const long = 'A'.repeat(100_000)
  assert.deepEqual(tokensOf(`<${long}>`), [long.toLowerCase()])
  assert.deepEqual(hashesOf(Buffer.from(`<${long}>`)), [hashToken(long.toLowerCase())])
})

test('hashing the bytes of a text and cutting it into tokens agree', () => {
  fc.assert(
    fc.property(textArbitrary, text => {
      const wellFormed = Buffer.from(text, 'utf8')
      assert.deepEqual(hashesOf(wellFormed), tokensOf(wellFormed.toString('utf8')).map(hashToken))
    }),
    { numRuns: 1000 },
  )
})

test('bytes that are not UTF-8 delimit, as they do once decoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      assert.deepEqual(hashesOf(bytes), tokensOf(Buffer.from(bytes).toString('utf8')).map(hashToken))
    }),
    { numRuns: 1000 },
  )
})

test('only the given range of bytes is hashed', () => {
  const bytes = Buffer.from('xx abc déf yy')
  assert.deepEqual(hashesOf(bytes, 3, 11), ['abc', 'déf'].map(hashToken))
})

test('token hashes are those of the file format', () => {
  assert.deepEqual(['a', 'error', 'école'].map(hashToken), [444641715, 3944406159 | 0, 164450950])
})

test('word bytes are the ASCII letters and digits', () => {
  const words = Array.from({ length: 256 }, (_, byte) =>
    isWordByte[byte] === 1 ? String.fromCharCode(byte) : '',
  ).join('')
  assert.equal(words, '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
})
