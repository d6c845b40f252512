/** The required literal is a promise: what a pattern matches holds it. Checked on patterns people write and on random ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileRegex } from '../../../runtime/helpers/regex.ts'
import { requiredLiteral } from '../../../runtime/helpers/regex-literal.ts'

test('the longest run of plain characters is found', () => {
  assert.deepEqual(requiredLiteral('(?i)timeout after'), { text: 'timeout after', ignoreCase: true, isWhole: true })
  assert.deepEqual(requiredLiteral('user (?<u>\\S+) logged in'), {
    text: ' logged in',
    ignoreCase: false,
    isWhole: false,
  })
  assert.deepEqual(requiredLiteral('a\\.b\\.c+d'), { text: 'a.b.c', ignoreCase: false, isWhole: false })
  assert.equal(requiredLiteral('error|warn'), null)
  assert.equal(requiredLiteral('(error|warn)ing?'), null)
  assert.equal(requiredLiteral('[a-z]+'), null)
  assert.equal(requiredLiteral('abcd?')?.text, 'abc')
  assert.equal(requiredLiteral('abcd{0,2}')?.text, 'abc')
})

const piece = fc.constantFrom(
  'abc',
  'k',
  'x?',
  'y*',
  '(foo)',
  '(?:ab)+',
  '[a-c]',
  '\\d',
  '.',
  '\\.',
  'bar',
  '^',
  '$',
  'z{0,2}',
)
const text = fc.array(fc.constantFrom('abc', 'k', 'x', 'y', 'foo', 'ab', 'bar', '.', '7', 'z', 'ABC', '\u212a', ' '), {
  maxLength: 8,
})

test('whatever a pattern matches holds its literal', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), fc.boolean(), text, (pieces, ignoreCase, words) => {
      const pattern = (ignoreCase ? '(?i)' : '') + pieces.join('')
      const literal = requiredLiteral(pattern)
      const regex = compileRegex(pattern)
      if (literal === null || typeof regex === 'string' || !regex.test(words.join(''))) return
      const subject = words.join('').replaceAll('\u212a', 'K')
      const holds = ignoreCase
        ? subject.toLowerCase().includes(literal.text.toLowerCase())
        : words.join('').includes(literal.text)
      assert.ok(holds, `${pattern} needs '${literal.text}' but matches '${words.join('')}'`)
    }),
    { numRuns: 5000 },
  )
})
