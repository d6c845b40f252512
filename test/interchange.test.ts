/** Exported events come back as they were, from Parquet and Arrow to the last bit; NDJSON says what it cannot keep. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import * as fc from 'fast-check'
import { type ExportFormat, open, TableFileError } from '../engine.ts'
import { fromTypedJson, toTypedJson } from '../runtime/interchange/typed-json.ts'
import type { IncomingEvent } from '../storage/index.ts'
import { DateTime, Duration, type Value } from '../storage/value.ts'
import { scalarArbitrary, valueArbitrary } from './storage/part-support.ts'

const directory = mkdtempSync(join(tmpdir(), 'quern-interchange-'))
after(() => rmSync(directory, { recursive: true, force: true }))

let files = 0
const fileFor = (format: string): string => join(directory, `${files++}.${format}`)

/** Out of one engine and into another; what each says of all events. */
async function through(
  events: readonly IncomingEvent[],
  format: ExportFormat,
): Promise<{ before: string[]; after: string[]; lossy: readonly string[]; file: string }> {
  const file = fileFor(format)
  const from = await open(null)
  from.ingest(events)
  const { lossy } = await from.exportTo(file, format, 'from *')
  const into = await open(null)
  await into.importFrom(file)
  const result = { before: await said(from), after: await said(into), lossy, file }
  await from.close()
  await into.close()
  return result
}

async function said(engine: Awaited<ReturnType<typeof open>>): Promise<string[]> {
  const rows: string[] = []
  for await (const row of engine.query('from * | extend its_index = index').rows())
    rows.push(toTypedJson(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))))
  return rows.sort()
}

function event(fields: Readonly<Record<string, Value>>, more: Partial<IncomingEvent> = {}): IncomingEvent {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { index: 'main', time: new DateTime(1.7e15 + 1, 7), raw: 'raw', fields: new Map(present), ...more }
}

const EVENTS: readonly IncomingEvent[] = [
  event({
    n: 1,
    big: 2n ** 62n,
    f: 1.5,
    t: 'ä',
    ok: true,
    when: new DateTime(-5, 999),
    took: new Duration(5e9),
    only: null,
  }),
  event(
    { n: -3, big: 7, f: -0, t: '', ok: false, tags: [1, 'x', null, { a: [2n ** 60n] }], 'a.b': 1 },
    { index: 'other', raw: null },
  ),
  event({ mixed: 1, f: 5e-324, far: new DateTime(9e18) }),
  event({ mixed: 'one', both: null, took: new Duration(1), lone: '\ud800' }),
  event({ mixed: [new DateTime(1, 2), new Duration(3)], both: 1, tags: [{ $int: '5' }], only: null }),
]

for (const format of ['parquet', 'arrow'] as const) {
  test(`every value comes back from ${format}`, async () => {
    const { before, after: came, lossy } = await through(EVENTS, format)
    assert.deepEqual(came, before)
    assert.deepEqual(lossy, [])
  })

  test(`events of any values come back from ${format}`, async () => {
    const names = fc.constantFrom('a', 'b', 'c.d', 'e')
    const events = fc.array(
      fc.record({
        fields: fc.dictionary(names, fc.oneof(scalarArbitrary, valueArbitrary)),
        index: fc.constantFrom('x', 'y'),
      }),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(events, async drawn => {
        const { before, after: came } = await through(
          drawn.map(({ fields, index }) => event(fields, { index })),
          format,
        )
        assert.deepEqual(came, before)
      }),
      { numRuns: 40 },
    )
  })

  test(`more rows than one group, and none at all, come back from ${format}`, async () => {
    const many = Array.from({ length: 70_000 }, (_, n) => event({ n, t: `t${n % 7}` }))
    const { before, after: came } = await through(many, format)
    assert.equal(came.length, 70_000)
    assert.deepEqual(came.slice(0, 5), before.slice(0, 5))
    assert.equal((await through([], format)).after.length, 0)
  })

  test(`a ${format} file that was cut is refused by its name`, async () => {
    const { file } = await through(EVENTS, format)
    const { readFileSync } = await import('node:fs')
    const bytes = readFileSync(file)
    const engine = await open(null)
    for (const length of [8, 40, bytes.length >> 1, bytes.length - 3]) {
      const damaged = fileFor(format)
      writeFileSync(damaged, bytes.subarray(0, length))
      await assert.rejects(engine.importFrom(damaged), TableFileError, `cut at ${length}`)
    }
    await engine.close()
  })
}

test('events come back from NDJSON, and what it made text of is named', async () => {
  const plain = [EVENTS[1]!, event({ n: 1, t: 'x', nested: [1, { a: null }], big: 2n ** 62n })].map(each => ({
    ...each,
    fields: new Map([...each.fields].filter(([name]) => name !== 'f')),
  }))
  const kept = await through(plain, 'ndjson')
  assert.deepEqual(kept.after, kept.before)
  assert.deepEqual(kept.lossy, [])
  const { lossy } = await through([event({ when: new DateTime(1), took: new Duration(1) })], 'ndjson')
  assert.deepEqual(lossy, ['when: times become text', 'took: durations become text'])
})

test('rows of any query are exported, with the types they have', async () => {
  const engine = await open(null)
  engine.ingest(EVENTS)
  const file = fileFor('parquet')
  const { rowCount } = await engine.exportTo(
    file,
    'parquet',
    'from * | stats count() as events, max(n) as most by index',
  )
  assert.equal(rowCount, 2)
  await engine.close()
})

// Its times that know their zone count in microseconds.
test('DuckDB reads what was exported as Parquet', async () => {
  const { file } = await through(EVENTS, 'parquet')
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `SELECT count(*)::INT AS rows, min(n)::INT AS least, max(big)::VARCHAR AS big, min(epoch_ns(_time))::VARCHAR AS time FROM '${file}'`,
  )
  assert.deepEqual(reader.getRowObjectsJS(), [
    { rows: 5, least: -3, big: String(2n ** 62n), time: '1700000000000001000' },
  ])
  connection.closeSync()
  instance.closeSync()
})

test('a Parquet file of another program becomes events', async () => {
  const file = fileFor('parquet')
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  await connection.run(
    `COPY (SELECT TIMESTAMP '2026-06-01 10:00:00.5' AS timestamp, 'api' AS service, 42 AS n, 1.5::DOUBLE AS f, true AS ok) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
  )
  connection.closeSync()
  instance.closeSync()
  const engine = await open(null)
  assert.equal((await engine.importFrom(file, { index: 'app' })).eventCount, 1)
  const { rows } = await engine.query('from app | keep _time, service, n, f, ok').collect()
  assert.deepEqual(rows, [[new DateTime(Date.UTC(2026, 5, 1, 10) * 1000 + 500_000), 'api', 42, 1.5, true]])
  await engine.close()
})

test('a file that is no export says so', async () => {
  const file = fileFor('txt')
  writeFileSync(file, 'just a line\n')
  const engine = await open(null)
  await assert.rejects(engine.importFrom(file), /line 1 is no JSON; quern ingest takes text of any kind/)
  await assert.rejects(engine.importFrom(`${file}.gone`), /^TableFileError: .*gone: it cannot be read: ENOENT/)
  await assert.rejects(engine.importFrom(tmpdir()), /^TableFileError: .*it cannot be read: EISDIR/)
  await engine.close()
})

test('JSON that says its types gives back every value', () => {
  fc.assert(
    fc.property(valueArbitrary, value => {
      assert.deepEqual(fromTypedJson(toTypedJson(value)), value)
    }),
    { numRuns: 500 },
  )
  assert.deepEqual(fromTypedJson(toTypedJson({ $object: { $time: [1, 2] } })), { $object: { $time: [1, 2] } })
})
