/** Reading few fields of lines from their bytes gives what reading all of them gives, less the rest; whatever the lines are. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTally, localEvents } from '../../cli/local-events.ts'
import { queryStream } from '../../engine.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { project } from '../../storage/ingest/project.ts'
import { ProjectedLines, type Wanted } from '../../storage/ingest/projected-lines.ts'
import { createEventReader, type EventDefaults, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { NOW } from '../case-input.ts'
import { spoiltLines } from './line-support.ts'

const DEFAULTS: EventDefaults = {
  index: 'main',
  source: 'file',
  sourcetype: null,
  host: null,
  receivedAt: NOW,
  timestampFields: TIMESTAMP_FIELDS,
}

function readWhole(bytes: Buffer, wanted: Wanted, defaults: EventDefaults): IncomingEvent[] {
  const reader = createEventReader()
  const events: IncomingEvent[] = []
  for (const line of bytes.toString('utf8').split('\n')) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    const read = text === '' ? null : reader.fromLine(text, defaults)
    if (read === null || !('event' in read)) continue
    const event = project(read.event, wanted.fields)
    events.push(wanted.time ? event : { ...event, time: defaults.receivedAt })
  }
  return events
}

/** In the order of names, which no reading promises. */
function plainOf({ index, time, raw, fields }: IncomingEvent): unknown {
  return { index, time, raw, fields: [...fields].sort(([a], [b]) => (a < b ? -1 : 1)) }
}

const WANTED: readonly Wanted[] = [
  { fields: new Set(['a']), time: false },
  { fields: new Set(['a', 'b', 'time']), time: true },
  { fields: new Set(['o', 'é']), time: true },
  { fields: new Set(['_source', 'source', 'host', 'missing']), time: false },
  { fields: new Set(), time: true },
]

test('events read from bytes are those read from text, less what nobody reads', () => {
  let lines = 0
  let readLong = 0
  for (let seed = 1; seed <= 60; seed++) {
    const bytes = Buffer.from(spoiltLines(seed, 60))
    // What is no UTF-8 at all is told by the same signs.
    if (seed % 10 === 0) for (let at = 11; at < bytes.length; at += 97) bytes[at] = 0xff
    const defaults = seed % 3 === 0 ? { ...DEFAULTS, source: null } : DEFAULTS
    for (const wanted of WANTED) {
      if (!ProjectedLines.fits(wanted, defaults)) continue
      const reader = new ProjectedLines(createEventReader(), wanted, defaults)
      // In two pieces, cut between lines.
      const cut = bytes.indexOf(10, bytes.length >> 1) + 1
      const read = (piece: Buffer): readonly IncomingEvent[] => reader.read(piece, piece.length, () => readLong++)
      const events = [...read(bytes.subarray(0, cut)), ...read(bytes.subarray(cut))]
      const expected = readWhole(bytes, wanted, defaults)
      assert.deepEqual(events.map(plainOf), expected.map(plainOf), `seed ${seed}, ${[...wanted.fields]}`)
      lines += events.length
    }
  }
  assert.ok(readLong < lines * 0.6, `${readLong} of ${lines} lines were read the long way`)
})

test('a query over a file that reads few fields, or asks of the time, answers as over whole events', async () => {
  const texts = [
    'stats count() by a',
    'where a == 1 | stats count(b), max(b)',
    'stats count() as n by bin(_time, 1h)',
    'from main[2026-01-02..2026-01-03] | stats count(a)',
    'keep o',
    'stats count() as n by source',
    'where missing == 1 | stats count()',
    'stats latest(a), earliest(b)',
    'union [where b == "x" | stats count() as n] | stats sum(n) as m',
  ]
  for (const text of texts) {
    const answers: unknown[] = []
    for (const isPlain of [true, false]) {
      const directory = mkdtempSync(join(tmpdir(), 'quern-lines-'))
      const file = join(directory, 'events.ndjson')
      writeFileSync(file, spoiltLines(7, 300))
      const progress = { update() {}, end() {} }
      const reading = { receivedAt: NOW }
      try {
        const run = isPlain
          ? queryStream(text, localEvents([{ file }], createTally(), progress, reading), { now: NOW })
          : queryStream(
              text,
              (wanted, { see }) => localEvents([{ file }], createTally(), progress, reading, { wanted, see }),
              { now: NOW },
            )
        const { rows } = await run.collect()
        // Groups come in no order of anybody's.
        answers.push({
          rows: rows.map(row => JSON.stringify(row)).sort(),
          hints: run.hints.map(({ message }) => message),
        })
      } finally {
        rmSync(directory, { recursive: true })
      }
    }
    assert.deepEqual(answers[1], answers[0], text)
  }
})
