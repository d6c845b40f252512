/** Filters that are made ahead of the part they are for: they lack no word, and they are made while somebody waits, and only then. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FiltersAhead } from '../../storage/build/ahead.ts'
import { Packer, Unpacker } from '../../storage/build/handover.ts'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { LineReader } from '../../storage/ingest/line-reader.ts'
import { MemoryPart } from '../../storage/ingest/memory-part.ts'
import { createEventReader, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import type { BlockColumns } from '../../storage/part/columns.ts'
import { makeFilterSteps } from '../../storage/part/ready-filter.ts'
import { TokenSet } from '../../storage/part/token-filter.ts'
import { tokensOf } from '../../storage/tokens.ts'
import { nextTurn } from '../../storage/turns.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import { spoiltLines } from './line-support.ts'
import { columnArbitrary, partOf, valuesOf } from './part-support.ts'
import { event, range, T0 } from './store-support.ts'

function withFilter(block: BlockColumns, tokens: TokenSet): BlockColumns {
  const steps = makeFilterSteps(block, tokens)
  for (;;) {
    const step = steps.next()
    if (step.done) return { ...block, filter: step.value }
  }
}

/** Every word of every text of the part is where the part says it may be. */
function assertNoWordLost(blocks: readonly BlockColumns[], what: string): void {
  const { part } = partOf(...blocks)
  for (let number = 0; number < part.blockCount; number++) {
    const block = part.block(number)
    for (const { name } of part.fields) {
      const words = new Set(
        valuesOf(block.column(name), block.rowCount).flatMap(value =>
          typeof value === 'string' ? tokensOf(value) : [],
        ),
      )
      for (const token of words)
        assert.notEqual(
          block.verdict({ kind: 'tokens', field: name, tokens: [token] }),
          'none',
          `${what}: ${name} ${token}`,
        )
    }
  }
}

test('a part whose filters were made ahead loses no word of a column, of whatever values', () => {
  const tokens = new TokenSet()
  fc.assert(
    fc.property(
      fc.array(columnArbitrary, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.boolean()),
      (columns: Value[][], blockRows, isAhead) => {
        const part = new MemoryPart('p', 'main', blockRows)
        for (let row = 0; row < Math.max(...columns.map(column => column.length)); row++) {
          const fields = columns.map((column, at) => [`f${at}`, column[row]] as const)
          const raw = row % 3 === 0 ? null : `row ${row}`
          part.append(
            event(Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as never, { raw }),
            1,
            row + 1,
          )
        }
        const blocks = [...part.columns()].filter(({ rowCount }) => rowCount > 0)
        assertNoWordLost(
          blocks.map((block, at) => (isAhead[at] ? withFilter(block, tokens) : block)),
          'columns',
        )
      },
    ),
    { numRuns: 150 },
  )
})

/** Lines as they go from their bytes into columns. */
function partOfLines(text: string): MemoryPart {
  const bytes = Buffer.from(text)
  const labels = { index: 'main', source: 'file', sourcetype: null, host: 'h', timestampFields: TIMESTAMP_FIELDS }
  const defaults = { ...labels, receivedAt: new DateTime(T0) }
  const lines = { start: 0, end: bytes.length, isJson: false, defaults, rowsMax: 1e9, refused: () => {} }
  const batch = new EventBatch()
  new LineReader(createEventReader()).readLines(batch, bytes, lines)
  const part = new MemoryPart('p', 'main', 2000)
  for (let row = 0; row < batch.count; ) {
    const isLine = batch.shapes[row] !== null
    const end = isLine ? batch.endOfRun(row, 864e8) : row + 1
    if (isLine) part.appendLines(batch, row, end, row + 1)
    else part.append(batch.eventAt(row), 1, row + 1)
    row = end
  }
  return part
}

/** All but one in seven are what their fields give. */
const knownLine = (row: number): string => {
  const decimal = row % 7 === 3 ? '1.50' : String((row % 500) / 8)
  const rest = row % 5 === 0 ? '' : `,"user":"u${row % 90}","flag":${row % 2 === 0},"none":null`
  return `{"level":"l${row % 3}","text":"words of ${row} Straße","n":${decimal},"count":${row * 3 - 50}${rest}}`
}

test('nor of lines that went from their bytes into columns, nor on the way to another thread', () => {
  const tokens = new TokenSet()
  const texts = [1, 2, 3].map(seed => spoiltLines(seed, 5000, seed === 2))
  texts.push(Array.from({ length: 6000 }, (_, row) => knownLine(row)).join('\n'))
  for (const [at, text] of texts.entries()) {
    const [packer, unpacker] = [new Packer(bytes => new Uint8Array(bytes)), new Unpacker()]
    const blocks = Array.from(partOfLines(text).columns(), block => {
      if (at === 3) assert.ok(block.raw != null, 'most lines are known')
      const ahead = withFilter(block, tokens)
      assert.ok(ahead.filter?.columns.has('_raw'))
      const { block: message, memory } = packer.pack(ahead)
      return unpacker.unpack(structuredClone(message, { transfer: [...memory] }))
    })
    assertNoWordLost(blocks, `text ${at}`)
  }
})

test('while somebody waits filters are made of blocks that are whole and that no writer has', async () => {
  const [begun, next] = [new MemoryPart('a', 'main', 10), new MemoryPart('b', 'main', 10)]
  for (const part of [begun, next])
    for (const n of range(1, 36)) part.append(event({ n }, { raw: `the text of ${n}` }), 1, n)
  const handedOver = begun.columns()[Symbol.iterator]()
  handedOver.next()
  const ahead = new FiltersAhead(
    () => ({ begun: [begun], next: [next] }),
    () => false,
  )
  let written = () => {}
  const waiting = ahead.during(new Promise<void>(resolve => (written = resolve)))
  while (begun.blocksToCome(true).length + next.blocksToCome(false).length > 0) await nextTurn()
  written()
  await waiting
  const hasFilter = (part: MemoryPart) => Array.from(part.columns(), ({ filter }) => filter != null)
  assert.deepEqual(hasFilter(begun), [false, true, true, true])
  assert.deepEqual(hasFilter(next), [true, true, true, false])
})

test('what could not be written is told to who waits, whatever was made meanwhile', async () => {
  const part = new MemoryPart('a', 'main', 10)
  for (const n of range(1, 36)) part.append(event({ n }, { raw: `the text of ${n}` }), 1, n)
  const ahead = new FiltersAhead(
    () => ({ begun: [], next: [part] }),
    () => false,
  )
  await assert.rejects(ahead.during(Promise.reject(new Error('no room'))), /no room/)
})
