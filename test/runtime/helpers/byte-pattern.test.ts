/** A pattern matched in bytes finds what its own machine finds in the text, wherever it says it can. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytePattern } from '../../../runtime/helpers/byte-pattern.ts'
import { compileRegex } from '../../../runtime/helpers/regex.ts'

/** By group: where it begins and ends, in bytes; null: no match. */
function found(pattern: string, text: string): readonly string[] | null {
  const matcher = bytePattern(pattern)
  assert.notEqual(matcher, null, pattern)
  // Not at the beginning of the bytes, nor at their end.
  const bytes = Buffer.from(`b1${text}1b`)
  const regex = compileRegex(pattern)
  assert.ok(typeof regex !== 'string')
  const groups = regex.names.map((_, group) =>
    matcher!.find(bytes, 2, bytes.length - 2, group) ? bytes.toString('utf8', matcher!.start, matcher!.end) : null,
  )
  return groups.includes(null) ? null : (groups as string[])
}

function expected(pattern: string, text: string): readonly string[] | null {
  const regex = compileRegex(pattern)
  assert.ok(typeof regex !== 'string')
  return regex.exec(text)?.groups.map(group => group ?? 'no part') ?? null
}

const READ = [
  'user (u\\d+) logged in',
  '^(\\S+) (\\d{3})',
  'status=(\\d+)',
  '"path":"([^"]*)"',
  'b(c*)d',
  '(x{2,3})y',
  '(?P<key>\\w+)=(?P<value>[^ ]+)',
  '(\\d+)ms$',
  '\\[(\\w+)\\]',
  '((a+)b)',
]

const TEXTS = [
  '',
  'user u12 logged in',
  'user u1 user u2 logged in',
  'üser u1 loggéd in é user u77 logged in',
  'status=status=200',
  'GET 404 status=',
  '"path":"/a/ü/é" "path":""',
  'bbcccd abcd aab',
  'xxxxy xy xxy',
  'kéy=välue key=ü=b x',
  '12ms 345ms',
  '[a-b] [INFO]',
  'aaab ab',
]

for (const pattern of READ) {
  test(`${pattern} in bytes`, () => {
    for (const text of TEXTS) assert.deepEqual(found(pattern, text), expected(pattern, text), text)
  })
}

test('what needs more than one way is left to its own machine', () => {
  const patterns = [
    '(?i)abc',
    'a|b',
    '(ab)?c',
    '\\d+1',
    '.*x',
    'a+?b',
    '\\bab',
    'é+',
    '[^a]b',
    '.',
    '(a+)+$',
    '',
    '^',
    '(',
    '\\S{2}',
    'a?b+(c*)d',
  ]
  for (const pattern of patterns) assert.equal(bytePattern(pattern), null, pattern)
})

test('of any pattern that can be read', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '1',
    ' ',
    'u',
    '=',
    '\\d',
    '\\w',
    '\\s',
    '\\S',
    '\\D',
    '\\W',
    '[ab]',
    '[^ab]',
    '[^"]',
    '.',
    '\\.',
    '[a-f1]',
  )
  const quantifier = fc.constantFrom('', '', '', '+', '*', '?', '{2}', '{1,2}')
  const item = fc.tuple(atom, quantifier).map(([one, often]) => one + often)
  const group = fc.array(item, { minLength: 1, maxLength: 3 }).map(items => `(${items.join('')})`)
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '', '^'),
      fc.array(fc.oneof({ weight: 3, arbitrary: item }, { weight: 1, arbitrary: group }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.constantFrom('', '', '', '$'),
    )
    .map(([begin, items, end]) => begin + items.join('') + end)
    .filter(each => bytePattern(each) !== null)
  const text = fc.array(fc.constantFrom('a', 'b', '1', ' ', 'u', '=', '"', '.', 'é', '\n', '😀', 'f'), {
    maxLength: 14,
  })
  fc.assert(
    fc.property(pattern, text, (each, characters) => {
      const whole = characters.join('')
      assert.deepEqual(found(each, whole), expected(each, whole))
    }),
    { numRuns: 4000 },
  )
})
