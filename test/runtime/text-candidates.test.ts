/** Rows that a text which is put together from columns rules out: never one that has what is looked for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TEXT_HELPERS } from '../../runtime/helpers/text.ts'
import { literalsWithin, TextCandidates } from '../../runtime/operators/text-candidates.ts'
import type { IncomingEvent, TextParts } from '../../storage/index.ts'
import { openStore } from '../../storage/store.ts'
import { valuesOf } from '../storage/part-support.ts'
import { eventOf, jsonText } from '../storage/raw-support.ts'
import { withDirectory } from '../storage/store-support.ts'

interface Block {
  readonly parts: TextParts
  readonly texts: readonly string[]
}

/** Of the blocks whose text is put together, what it is put together from and what it is. */
async function withBlocks(events: readonly IncomingEvent[], check: (block: Block) => void): Promise<void> {
  await withDirectory(async directory => {
    const store = await openStore({ directory, fsync: false, flushAgeMs: 3_600_000, blockRows: 1000 })
    store.append(events)
    await store.flush()
    const snapshot = store.snapshot()
    for (const part of snapshot.parts) {
      for (let number = 0; number < part.blockCount; number++) {
        const block = part.block(number)
        const parts = block.madeOf('_raw')
        const texts = valuesOf(block.column('_raw'), block.rowCount) as string[]
        if (parts !== null) check({ parts, texts })
      }
    }
    snapshot.release()
    await store.close()
  })
}

const WAYS = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  // Of the Kelvin sign it makes a letter of ASCII.
  (text: string) => text.toLowerCase(),
]

/** Of any text of a block, any part, in any case. */
const slices = fc.array(
  fc.record({
    text: fc.nat(1000),
    from: fc.nat(80),
    length: fc.integer({ min: 1, max: 24 }),
    as: fc.constantFrom(...WAYS),
  }),
  { minLength: 20, maxLength: 20 },
)

/** Values whose JSON has letters and digits that they have not. */
const escapedLine = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom('\n', '\t', '\u001b', '\b', '\f', '"', '\\', 'n', 'u', '0', '1', 'b', 'K', 'ſ'),
    }),
    fc.constantFrom(1, 10.5, true, false, null, [], ['a1', { b: 'c\n01' }]),
    fc.constantFrom('user', 'path', '\u212aey'),
  )
  .map(([text, value, name]) => JSON.stringify({ [name]: text, value, at: `id ${text.length}` }))

test('a row that has the text is marked, whatever the text and wherever it stands', async () => {
  let ruledOut = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(escapedLine, jsonText), { minLength: 1, maxLength: 20 }),
      slices,
      async (lines, cuts) => {
        await withBlocks(
          lines.map(line => eventOf(Buffer.from(line).toString())),
          ({ parts, texts }) => {
            for (const { text, from, length, as } of cuts) {
              const whole = texts[text % texts.length]!
              const start = from % Math.max(1, whole.length)
              const needle = as(whole.slice(start, start + length))
              for (const ignoreCase of [true, false]) {
                const marks = TextCandidates.of([{ field: '_raw', text: needle, ignoreCase }])?.marks(parts)
                const { contains, containsCs } = TEXT_HELPERS
                for (const [row, each] of texts.entries()) {
                  const has = (ignoreCase ? contains : containsCs)(each, needle) === true
                  if (marks?.[row] === 0) ruledOut++
                  assert.ok(!has || marks == null || marks[row] === 1, `${JSON.stringify(needle)} in ${each}`)
                }
              }
            }
          },
        )
      },
    ),
    { numRuns: 60 },
  )
  assert.ok(ruledOut > 0)
})

test('of fields, names and texts that were kept, the rows that have it are marked, and no others', async () => {
  const lines = [
    '{"user":"alice","n":4624,"ok":true}',
    '{"user":"bob","n":17,"ok":false}',
    '{"user":"carol", "n":1.50}',
    '{"host":"alice-2","deep":{"tags":["alice"]}}',
    '{"host":"web","deep":{"tags":["x"]}}',
  ]
  const found = (text: string, parts: TextParts) =>
    [...(TextCandidates.of([{ field: '_raw', text, ignoreCase: true }])!.marks(parts) ?? ['any'])].join('')
  let blocks = 0
  await withBlocks(
    lines.map(line => eventOf(line)),
    ({ parts }) => {
      blocks++
      assert.equal(found('ALICE', parts), '10010')
      assert.equal(found('4624', parts), '10000')
      assert.equal(found('false', parts), '01000')
      assert.equal(found('carol', parts), '00100')
      assert.equal(found('"host":"web"', parts), '00001')
      assert.equal(found('nobody', parts), '00000')
      assert.equal(found('"', parts), 'any')
      const two = ['alice', 'carol'].map(text => ({ field: '_raw', text, ignoreCase: true }))
      assert.equal(TextCandidates.of(two)!.marks(parts)?.join(''), '10110')
    },
  )
  assert.equal(blocks, 1)
})

test('what begins like the end of an escape is looked for without it, and what may be one not at all', () => {
  const templates = [{ pieces: [Buffer.from('{"a":'), Buffer.from('}')], fields: ['a'] }]
  const cases = [
    ['powershell', ['powershell']],
    ['name', ['ame']],
    ['failed', ['ailed']],
    ['u001b[31m', ['[31m']],
    ['u001b', []],
    ['1fe', []],
    ['"level":"error"', ['level', 'rror']],
    ['größer als', ['r als']],
  ] as const
  for (const [text, expected] of cases) {
    assert.deepEqual([...literalsWithin(text, { templates })].sort(), [...expected].sort(), text)
  }
})
