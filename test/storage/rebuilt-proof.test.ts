/** Proving that `_raw` can be rebuilt by reading it: the same answers as writing it and comparing, and the same tokens as cutting it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchByRendering, matcherOf } from '../../storage/part/rebuilt/match.ts'
import { rebuild } from '../../storage/part/rebuilt/prove.ts'
import { rendererOf } from '../../storage/part/rebuilt/render.ts'
import { textVectorOf } from '../../storage/part/shape.ts'
import { TokenSet } from '../../storage/part/token-filter.ts'
import { forEachTokenHash } from '../../storage/tokens.ts'
import type { Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'

const decimals = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 12 }))
const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  decimals.map(([digits, exponent]) => digits / 10 ** exponent),
  fc.constantFrom(0, -0, 1e-6, 1e-7, 9.99e-7, 1e15, 123456789012345, 0.1 + 0.2, 1e21, 5e-324, 100, 1.5, 36.552),
)
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', 'a\nb', 'say "so"', 'back\\slash', 'é日本', 'u8034 logged in', '\u007f', '\u2028'),
)

/** The same value in every shape a column may have it. */
function columnsOf(values: readonly (Value & (string | number))[]): readonly Vector[] {
  const rowCount = values.length
  const codes = Uint16Array.from({ length: rowCount }, (_, row) => row)
  const all: Vector[] = [
    { kind: 'any', rowCount, values },
    { kind: 'dict', rowCount, codes, dictionary: { values } },
  ]
  if (values.every(value => typeof value === 'string')) all.push(textVectorOf(values))
  if (values.every(value => typeof value === 'number'))
    all.push({ kind: 'number', rowCount, values: Float64Array.from(values as number[]), presence: null })
  return all
}

/** What may stand where the value should: what belongs there, nearly that, and more of it. */
const neighbours = (text: string): string[] => [
  text,
  `${text}0`,
  `${text}.0`,
  `${text}e5`,
  `0${text}`,
  `-${text}`,
  ` ${text}`,
  text.slice(0, -1),
  `${text.slice(0, -1)}"`,
  text.toUpperCase(),
  '',
  'null',
]

test('a matcher says yes where a renderer would write the very bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(numbers, { minLength: 1, maxLength: 4 }), fc.array(texts, { minLength: 1, maxLength: 4 })),
      fc.constantFrom(',', '}', ' ', '5', '.5', 'e1', ''),
      (values, behind) => {
        for (const vector of columnsOf(values)) {
          const { match } = matcherOf(vector, false)
          const plain = matchByRendering(rendererOf(vector))
          for (const [row, value] of values.entries()) {
            for (const text of neighbours(JSON.stringify(value))) {
              const bytes = Buffer.from(`:${text}${behind}`)
              assert.equal(
                match(row, bytes, 1, bytes.length),
                plain(row, bytes, 1, bytes.length),
                `${vector.kind} ${value} in ${text}${behind}`,
              )
            }
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('a column of few values says what it would say made whole, whichever row is asked for next', () => {
  const rowCount = 40
  fc.assert(
    fc.property(
      fc.dictionary(fc.nat(rowCount - 1).map(String), texts, { minKeys: 1, maxKeys: 8, noNullPrototype: true }),
      fc.array(fc.nat(rowCount - 1), { maxLength: 60 }),
      fc.boolean(),
      (few, asked, isIndexed) => {
        const rows = Uint32Array.from(Object.keys(few).map(Number)).sort()
        const whole = textVectorOf(Array.from({ length: rowCount }, (_, row) => few[row]))
        const thin = { rows, values: textVectorOf(Array.from(rows, row => few[row])) }
        const matchers = [matcherOf(whole, isIndexed), matcherOf(thin, isIndexed)]
        const renderers = [rendererOf(whole), rendererOf(thin)]
        for (const row of [...asked, ...rows]) {
          const bytes = Buffer.from(`:${JSON.stringify(few[row] ?? 'x')}}`)
          const places = matchers.map(({ match }) => match(row, bytes, 1, bytes.length))
          assert.equal(places[1], places[0])
          const written = renderers.map(render => {
            const out = new Uint8Array(400)
            return `${render(row, out, 0)} ${Buffer.from(out).toString('latin1')}`
          })
          assert.equal(written[1], written[0])
          if (places[0] === -1) continue
          const tokens = matchers.map(matcher => {
            const set = new TokenSet()
            matcher.addTokens(set, row, bytes, 1, places[0]!)
            return [...set.hashes()].sort()
          })
          assert.deepEqual(tokens[1], tokens[0])
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('plain decimals are decided as they are read, for every power of ten', () => {
  const numbersToTry: number[] = []
  for (let power = 0; power <= 15; power++)
    for (const digits of [1, 7, 15, 123, 98765, 999999999999999])
      numbersToTry.push(digits / 10 ** power, -digits / 10 ** power)
  const vector: Vector = {
    kind: 'number',
    rowCount: numbersToTry.length,
    values: Float64Array.from(numbersToTry),
    presence: null,
  }
  const { match } = matcherOf(vector, false)
  for (const [row, value] of numbersToTry.entries()) {
    const bytes = Buffer.from(`${value},`)
    assert.equal(match(row, bytes, 0, bytes.length), bytes.length - 1, String(value))
  }
})

function hashesOf(bytes: Uint8Array): Set<number> {
  const hashes = new Set<number>()
  forEachTokenHash(bytes, 0, bytes.length, hash => hashes.add(hash))
  return hashes
}

const members = fc.dictionary(
  fc.constantFrom('a', 'message', 'x-y', 'Größe', 'n'),
  fc.oneof(numbers, texts, fc.boolean(), fc.constant(null)),
)

test('the tokens of rebuilt text are those of its bytes', () => {
  let rebuiltCount = 0
  fc.assert(
    fc.property(fc.array(members, { minLength: 1, maxLength: 12 }), fc.boolean(), (objects, areIndexed) => {
      const raw = textVectorOf(objects.map(object => JSON.stringify(object)))
      const tokens = new TokenSet()
      const columns = new Map<string, Vector>()
      for (const name of new Set(objects.flatMap(object => Object.keys(object)))) {
        const values = objects.map(object => (Object.hasOwn(object, name) ? (object[name] as Value) : undefined))
        const isText = values.every(value => value == null || typeof value === 'string')
        const vector: Vector = isText ? textVectorOf(values) : { kind: 'any', rowCount: values.length, values }
        columns.set(name, vector)
      }
      const isIndexed = (name: string): boolean => areIndexed && columns.get(name)?.kind === 'text'
      const others = { columnOf: (name: string) => columns.get(name) ?? null, isIndexed }
      if (rebuild(raw, others, tokens) === null) return
      rebuiltCount++
      const expected = new Set<number>(hashesOf(raw.bytes))
      for (const [name, vector] of columns) {
        if (vector.kind !== 'text' || !isIndexed(name)) continue
        tokens.addColumn(vector)
        for (let row = 0; row < vector.rowCount; row++)
          for (const hash of hashesOf(vector.bytes.subarray(vector.offsets[row], vector.offsets[row + 1])))
            expected.add(hash)
      }
      assert.deepEqual([...tokens.hashes()].sort(), [...expected].sort())
    }),
    { numRuns: 300 },
  )
  assert.ok(rebuiltCount > 100, `${rebuiltCount} were rebuilt`)
})

test('text is cut into the same tokens with a call for each and without', () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'binary' })), text => {
      const bytes = Buffer.from(text)
      const tokens = new TokenSet()
      tokens.addText(bytes, 0, bytes.length)
      assert.deepEqual([...tokens.hashes()].sort(), [...hashesOf(bytes)].sort())
    }),
  )
})

test('a column is cut into the tokens of its rows, whoever else has one cut in between', () => {
  const text = fc.oneof(
    texts,
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.stringMatching(/^[a-zA-Z0-9 _.:é-]{0,80}$/),
    // Longer than is looked at in one go.
    fc.nat(3).map(times => 'word7 '.repeat(times * 15_000)),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), fc.array(text, { maxLength: 5 }), (rows, others) => {
      const [column, other] = [textVectorOf(rows), textVectorOf(others)]
      const [tokens, otherTokens] = [new TokenSet(), new TokenSet()]
      otherTokens.addColumn(other)
      otherTokens.clear()
      for (const [set, vector] of [
        [otherTokens, other],
        [tokens, column],
        [otherTokens, other],
        [otherTokens, column],
      ] as const)
        set.addColumn(vector)
      const expected = new Set(rows.flatMap(row => [...hashesOf(Buffer.from(row))]))
      assert.deepEqual([...tokens.hashes()].sort(), [...expected].sort())
      for (const row of others) for (const hash of hashesOf(Buffer.from(row))) expected.add(hash)
      assert.deepEqual([...otherTokens.hashes()].sort(), [...expected].sort())
    }),
    { numRuns: 300 },
  )
})
