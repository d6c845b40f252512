import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { globMatches, parseGlob } from '../../../runtime/helpers/glob.ts'
import { HELPERS } from '../../../runtime/helpers/index.ts'
import { isTokenAt } from '../../../runtime/helpers/tokens.ts'
import { tokensOf } from '../../../storage/tokens.ts'

const { has, hasGlob, contains, containsCs, glob } = HELPERS
const chars = fc.constantFrom('a', 'b', 'B', '1', '-', '.', '_', ' ', 'é', 'İ', 'Σ', 'ß', '😀', '\u0307')
const anyText = fc.string({ unit: chars, maxLength: 12 })

describe('has', () => {
  it('finds whole tokens in any case', () => {
    assert.equal(has('Connection TIMEOUT at db', 'timeout'), true)
    assert.equal(has('timeouts', 'timeout'), false)
    assert.equal(has('request_timeout', 'timeout'), true)
    assert.equal(has('ÉCHEC total', 'échec'), true)
    assert.equal(has('', 'a'), false)
    assert.equal(has(null, 'a'), null)
    assert.equal(has(500, '500'), true)
  })

  it('wants the delimiters of the word where they stand', () => {
    assert.equal(has('ip=10.0.0.1;', '10.0.0.1'), true)
    assert.equal(has('ip=10.0.0.12', '10.0.0.1'), false)
    assert.equal(has('ip=10-0-0-1', '10.0.0.1'), false)
    assert.equal(has('id=req-42', 'req-42'), true)
  })

  it('holds for every token of a text, and for a single token exactly when it is one', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, other) => {
        for (const token of tokensOf(text)) if (!/[\u0307ςσ]/.test(token)) assert.equal(has(text, token), true, token)
        for (const token of tokensOf(other)) {
          if (has(text, token) === true)
            assert.ok(
              tokensOf(token).every(part => tokensOf(text).includes(part)),
              token,
            )
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('cuts where the skip index cuts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        let runs = 0
        for (let i = 0; i < text.length; i++) if (isTokenAt(text, i) && (i === 0 || !isTokenAt(text, i - 1))) runs++
        assert.equal(runs, tokensOf(text).length)
      }),
    )
  })
})

describe('has_glob', () => {
  it('matches whole tokens', () => {
    assert.equal(hasGlob('request Timed out', 'time*'), true)
    assert.equal(hasGlob('uptime', 'time*'), false)
    assert.equal(hasGlob('uptime', '*time'), true)
    assert.equal(hasGlob('a tomeout', 't?meout'), true)
    assert.equal(hasGlob('time out', 'time*out'), false)
  })

  it('takes delimiters literally', () => {
    assert.equal(hasGlob('host web-42.example', 'web-*.example'), true)
    assert.equal(hasGlob('host web-42-example', 'web-*.example'), false)
    assert.equal(hasGlob('10.0.3.7', '10.0.*.7'), true)
    assert.equal(hasGlob('110.0.3.7', '10.0.*.7'), false)
    assert.equal(hasGlob('a*b', 'a\\*b'), true)
    assert.equal(hasGlob('axb', 'a\\*b'), false)
  })

  it('is has when there is nothing to vary', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, word) => {
        // A word that begins or ends with a delimiter has no whole token there.
        if (!isTokenAt(word, 0) || !isTokenAt(word, word.length - 1)) return
        assert.equal(hasGlob(text, word), has(text, word), word)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('glob', () => {
  const regexOf = (pattern: string) =>
    new RegExp(
      `^${[...pattern].map(c => (c === '*' ? '[^]*' : c === '?' ? '[^]' : c.replace(/[.\\^$+{}()|[\]]/, '\\$&'))).join('')}$`,
      'u',
    )

  it('agrees with the regular expression it stands for', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '.', '😀'), maxLength: 7 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '😀'), maxLength: 9 })
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        assert.equal(globMatches(parseGlob(source), input), regexOf(source).test(input))
      }),
      { numRuns: 5000 },
    )
  })

  it('is about the whole text, and case counts', () => {
    assert.equal(glob('web-01', 'web-*'), true)
    assert.equal(glob('Web-01', 'web-*'), false)
    assert.equal(glob('x-web-01', 'web-*'), false)
    assert.equal(glob('a?b', 'a\\?b'), true)
    assert.equal(glob('', '*'), true)
    assert.equal(glob('', '?'), false)
  })
})

describe('contains', () => {
  it('ignores case, contains_cs does not', () => {
    assert.equal(contains('Connection RESET', 'connection reset'), true)
    assert.equal(containsCs('Connection RESET', 'reset'), false)
    assert.equal(contains('x', ''), true)
    assert.equal(contains(undefined, 'x'), null)
  })
})
