/** `_raw` that is put together from the fields when it is read: byte for byte what was sent, or stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { IncomingEvent } from '../../storage/index.ts'
import { templateOf } from '../../storage/part/rebuilt/template.ts'
import { openStore } from '../../storage/store.ts'
import { someRows, valuesOf } from './part-support.ts'
import { eventOf, jsonText } from './raw-support.ts'
import { withDirectory } from './store-support.ts'

/** The texts as they come back from disk, and the bytes `_raw` takes there. */
async function throughDisk(
  events: readonly IncomingEvent[],
  blockRows = 65_536,
): Promise<{ readonly texts: readonly unknown[]; readonly bytes: number }> {
  let result = { texts: [] as readonly unknown[], bytes: 0 }
  await withDirectory(async directory => {
    const store = await openStore({ directory, fsync: false, flushAgeMs: 3_600_000, blockRows })
    store.append(events)
    await store.flush()
    const snapshot = store.snapshot()
    const blocks = snapshot.parts.flatMap(part => Array.from({ length: part.blockCount }, (_, n) => part.block(n)))
    // First of all, while no column is held decoded; what one reader leaves, the next begins with.
    const few = blocks.map(block => {
      const rows = someRows(block.rowCount)
      const read = (): readonly unknown[] => {
        const vector = block.rows('_raw', Uint32Array.from(rows))
        return vector === null ? [] : valuesOf(vector, rows.length)
      }
      const values = read()
      for (let again = 0; again < 2; again++) assert.deepEqual(read(), values)
      return { rows, values }
    })
    for (const [index, block] of blocks.entries()) {
      const values = valuesOf(block.column('_raw'), block.rowCount)
      const { rows, values: some } = few[index]!
      if (some.length > 0)
        assert.deepEqual(
          some,
          Array.from(rows, row => values[row]),
        )
    }
    result = {
      texts: blocks.flatMap(block => valuesOf(block.column('_raw'), block.rowCount)),
      bytes: blocks.reduce((sum, block) => sum + block.columnBytes('_raw'), 0),
    }
    snapshot.release()
    await store.close()
  })
  return result
}

test('any text comes back byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 8, arbitrary: jsonText }, { weight: 1, arbitrary: fc.string() }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(null, 'web-1'),
      async (lines, blockRows, host) => {
        // What JSON cannot say in UTF-8 is mended on the way in.
        const events = lines.map(line => eventOf(Buffer.from(line).toString(), host))
        const { texts } = await throughDisk(events, blockRows)
        assert.deepEqual(
          texts,
          events.map(event => event.raw),
        )
      },
    ),
    { numRuns: 60 },
  )
})

test('what the fields say is not stored twice', async () => {
  const lines = Array.from(
    { length: 2000 },
    (_, n) =>
      `{"host":"web-${n % 7}","n":${n},"ms":${n / 8},"ok":${n % 3 === 0},"user":{"id":"u${n * 7919}","tags":["a",${n}]}}`,
  )
  const { texts, bytes } = await throughDisk(lines.map(line => eventOf(line)))
  assert.deepEqual(texts, lines)
  assert.ok(bytes < 300, `${bytes} bytes of _raw`)
})

test('a row the fields do not give is kept, the others are not', async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => (n % 10 === 0 ? `{"n":${n}.0}` : `{"n":${n}}`))
  const { texts, bytes } = await throughDisk(lines.map(line => eventOf(line)))
  assert.deepEqual(texts, lines)
  assert.ok(bytes < 1500, `${bytes} bytes of _raw`)
})

test('fields that do not come from the text are no reason to trust it', async () => {
  const event = eventOf('{"a":1}')
  const other = { ...event, fields: new Map([['a', 2]]) }
  const { texts } = await throughDisk([event, other])
  assert.deepEqual(texts, ['{"a":1}', '{"a":1}'])
})

test('a text is taken apart at its values', () => {
  const template = templateOf(' {"a" : 1, "b":{"c":"x\\"y","d":{}},"e":[1,"]"]} ')
  assert.deepEqual(template?.fields, ['a', 'b.c', 'b.d', 'e'])
  assert.deepEqual(
    template?.pieces.map(piece => Buffer.from(piece).toString()),
    [' {"a" : ', ', "b":{"c":', ',"d":', '},"e":', '} '],
  )
  for (const text of ['', '[]', '{"a":1', '{"a":1}}', '{"a"}', 'plain', '{"a":tru}', '{a:1}']) {
    assert.equal(templateOf(text), null, text)
  }
})
