/** Hashes of a dictionary's words, kept while it grows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashToken } from '../../storage/tokens.ts'
import { WordHashes } from '../../storage/word-hashes.ts'

const word = fc.stringMatching(/^[0-9A-Za-z]{1,12}$/)
const value = fc.oneof(word, word, fc.constantFrom('', 'two words', 'käse', 'a_b', null, undefined, 7))

test('what is one word has its hash, once looked at or again, and everything else is told', () => {
  const steps = fc.array(fc.tuple(fc.array(value, { maxLength: 20 }), fc.infiniteStream(fc.boolean())), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(steps, steps => {
      const words = new WordHashes()
      const values: (string | number | null | undefined)[] = []
      for (const [added, isUsedNext] of steps) {
        values.push(...added)
        const isUsed = Uint8Array.from(values, () => (isUsedNext.next().value ? 1 : 0))
        const used = [...values.keys()].filter(code => isUsed[code] === 1)
        const isWord = (code: number) => typeof values[code] === 'string' && /^[0-9A-Za-z]+$/.test(values[code])
        const { hashes, others } = words.ofUsed(values, isUsed)
        assert.deepEqual(
          [...hashes].sort(),
          used
            .filter(isWord)
            .map(code => hashToken(String(values[code]).toLowerCase()))
            .sort(),
        )
        assert.deepEqual(
          others,
          used.filter(code => !isWord(code)),
        )
      }
    }),
  )
})
