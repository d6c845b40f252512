/** Tokens of numbers that are not written: those of what would be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NumberTokens } from '../../storage/part/rebuilt/number-tokens.ts'
import { putNumber } from '../../storage/part/rebuilt/render.ts'
import { TokenSet } from '../../storage/part/token-filter.ts'

const decimal = fc
  .tuple(fc.integer({ min: -(2 ** 33), max: 2 ** 33 }), fc.integer({ min: 0, max: 9 }))
  .map(([whole, digits]) => Number(`${whole}e-${digits}`))

test('the tokens of a number are those of its text, in that order, or it is left to be written', () => {
  const numbers = fc.oneof(
    decimal,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.integer({ min: -20_000, max: 20_000 }),
    fc.constantFrom(0, -0, 2 ** 31, -(2 ** 31), 2 ** 31 - 0.5, 1e-6, 1e-7, 0.1, 1.5, 100.05, 16_383.999, 1e21),
  )
  const scratch = new Uint8Array(64)
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 50 }), values => {
      const [written, counted] = [new TokenSet(), new TokenSet()]
      const words = new NumberTokens(counted)
      for (const value of values) {
        const end = putNumber(value, scratch, 0)
        written.addText(scratch, 0, end)
        if (!words.add(value)) counted.addText(scratch, 0, end)
      }
      assert.deepEqual(counted.hashes().sort(), written.hashes().sort())
    }),
    { numRuns: 2000 },
  )
})

test('many numbers at once have the tokens that each has', () => {
  const short = fc.oneof(
    fc.integer({ min: -17_000, max: 17_000 }),
    fc.integer({ min: -17_000_000, max: 17_000_000 }).map(thousandths => thousandths / 1000),
    fc.constantFrom(0, -0, 16_383.999, 16_384, 16_384.5, 0.1, 0.12, 1.001, 100.05, 1.0005),
  )
  const numbers = fc.oneof(short, short, short, decimal, fc.double())
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 200 }), values => {
      const [one, many] = [new TokenSet(), new TokenSet()]
      const words = new NumberTokens(one)
      const left = values.flatMap((value, at) => (words.add(value) || Object.is(value, -0) ? [] : [at]))
      if (values.some(value => Object.is(value, -0))) words.add(0)
      assert.deepEqual(new NumberTokens(many).addAll(Float64Array.from(values)), left)
      assert.deepEqual(many.hashes().sort(), one.hashes().sort())
    }),
    { numRuns: 2000 },
  )
})

test('a number of few digits is not left', () => {
  const words = new NumberTokens(new TokenSet())
  for (const value of [0, 7, -12, 200, 36.552, -0.5, 0.000001, 2 ** 31 - 1]) assert.ok(words.add(value), `${value}`)
})
