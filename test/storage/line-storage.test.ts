/** `_raw` of an open block, of which lines that are known are not kept: whoever reads it sees what a plain list of lines would show. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PartReader } from '../../storage/index.ts'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { LineReader } from '../../storage/ingest/line-reader.ts'
import { MemoryPart } from '../../storage/ingest/memory-part.ts'
import { createEventReader, type EventDefaults, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { DateTime } from '../../storage/value.ts'
import { valuesOf } from './part-support.ts'

const DEFAULTS: EventDefaults = {
  index: 'main',
  source: null,
  sourcetype: null,
  host: null,
  receivedAt: new DateTime(1_700_000_000_000_000),
  timestampFields: TIMESTAMP_FIELDS,
}

type Step = { readonly lines: readonly string[] } | { readonly text: string | null } | { readonly reads: true }

const value = fc.oneof(
  // As `String` writes them, and as it does not.
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('1.50', '-0', '1e3', 'true', 'false', 'null'),
  fc.string({ unit: 'binary', maxLength: 80 }).map(text => JSON.stringify(text)),
  fc.constantFrom('"checkout"', '"api"', '"käse"'),
)
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(value, value).map(([a, b]) => `{"a":${a},"b":${b}}`) },
  { weight: 2, arbitrary: fc.tuple(value, value).map(([a, c]) => `{"c":${c}, "a":${a}}`) },
  { weight: 1, arbitrary: value.map(d => `{"d":{"e":${d}}}`) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ text: fc.option(fc.string()) }) },
  { weight: 1, arbitrary: fc.constant({ reads: true } as const) },
)

const rawOf = (reader: PartReader): unknown[] =>
  Array.from({ length: reader.blockCount }, (_, at) => {
    const block = reader.block(at)
    const raw = block.column('_raw')
    return raw === null ? new Array(block.rowCount).fill(undefined) : valuesOf(raw, block.rowCount)
  }).flat()

/** Rows go on from `row`. */
function append(part: MemoryPart, reader: LineReader, lines: readonly string[], row: number): void {
  const batch = new EventBatch()
  const bytes = Buffer.from(lines.join('\n'))
  const refused = ({ message }: { readonly message: string }) => assert.fail(message)
  const all = { start: 0, end: bytes.length, isJson: true, defaults: DEFAULTS, rowsMax: lines.length, refused }
  assert.equal(reader.readLines(batch, bytes, all), bytes.length)
  for (let at = 0; at < batch.count; ) {
    const end = batch.shapes[at] === null ? at + 1 : batch.endOfRun(at, 864e8)
    if (batch.shapes[at] === null) part.append(batch.eventAt(at), 1, row + at + 1)
    else part.appendLines(batch, at, end, row + at + 1)
    at = end
  }
}

test('lines, texts and rows without any come back in order, whenever they are read', () => {
  let known = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.constantFrom(7, 64, 1024), (steps, blockRows) => {
      const part = new MemoryPart('p', 'main', blockRows)
      const reader = new LineReader(createEventReader())
      const expected: (string | undefined)[] = []
      const early: { readonly reader: PartReader; readonly texts: readonly (string | undefined)[] }[] = []
      for (const each of steps) {
        if ('lines' in each) {
          append(part, reader, each.lines, expected.length)
          expected.push(...each.lines)
        } else if ('text' in each) {
          const fields = new Map([['a', 1]])
          part.append({ index: 'main', time: DEFAULTS.receivedAt, raw: each.text, fields }, 1, expected.length + 1)
          expected.push(each.text ?? undefined)
        } else if (expected.length > 0) {
          const snapshot = part.snapshot()
          early.push({ reader: snapshot, texts: [...expected] })
          if (early.length % 2 === 0) assert.deepEqual(rawOf(snapshot), expected)
        }
      }
      if (expected.length === 0) return
      for (const { raw } of part.columns()) if (raw != null) known++
      assert.deepEqual(rawOf(part.snapshot()), expected)
      // What was asked for before the rest came is what it was.
      for (const { reader, texts } of early) assert.deepEqual(rawOf(reader), texts)
    }),
    { numRuns: 400 },
  )
  assert.equal(known, 0, 'of so few lines the writer is given the text')
})

test('of many lines that are known the writer is given no text, whether somebody read them or not', () => {
  for (const isRead of [false, true]) {
    const part = new MemoryPart('p', 'main', 4096)
    const reader = new LineReader(createEventReader())
    const lines = Array.from(
      { length: 4000 },
      (_, row) => `{"a":${row % 9 === 4 ? '1.50' : row},"b":"user ${row % 50}"}`,
    )
    append(part, reader, lines.slice(0, 2000), 0)
    if (isRead) assert.deepEqual(rawOf(part.snapshot()), lines.slice(0, 2000))
    append(part, reader, lines.slice(2000), 2000)
    const [block] = part.columns()
    const { chosen, rest, textBytes } = block!.raw!
    assert.equal(textBytes, Buffer.byteLength(lines.join('')))
    const kept = lines.map((each, row) => (chosen[row] === 0 ? each : ''))
    assert.deepEqual(valuesOf(rest, lines.length), kept)
    assert.ok(kept.filter(each => each !== '').length < 500)
    assert.deepEqual(valuesOf(block!.columns.get('_raw')!, lines.length), lines)
  }
})
