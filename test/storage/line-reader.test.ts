/** Lines that go into columns as they lie in their bytes are the events that reading each from nothing gives; in memory and on disk. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { linesOf } from '../../cli/lines.ts'
import type { BlockReader, IncomingEvent, Store } from '../../storage/index.ts'
import { EventBatch } from '../../storage/ingest/event-batch.ts'
import { isoMicros, isoMicrosLike, isoNanos } from '../../storage/ingest/iso-time.ts'
import { LineReader } from '../../storage/ingest/line-reader.ts'
import { MemoryPart } from '../../storage/ingest/memory-part.ts'
import { createEventReader, type EventDefaults, TIMESTAMP_FIELDS } from '../../storage/ingest/read-event.ts'
import { parseTime } from '../../storage/ingest/timestamp.ts'
import { collectAll } from '../../storage/nice.ts'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import type { KnownRaw } from '../../storage/part/columns.ts'
import { rebuild, rebuildRest } from '../../storage/part/rebuilt/prove.ts'
import { encodeRebuilt, RebuiltChunk } from '../../storage/part/rebuilt/rebuilt.ts'
import { TokenSet } from '../../storage/part/token-filter.ts'
import { openStore } from '../../storage/store.ts'
import { DateTime } from '../../storage/value.ts'
import type { TextVector } from '../../storage/vector.ts'
import { spoiltLines } from './line-support.ts'
import { valueAt } from './part-support.ts'
import { allRows, T0, withDirectory } from './store-support.ts'

const DEFAULTS: EventDefaults = {
  index: 'main',
  source: 'file',
  sourcetype: null,
  host: 'h',
  receivedAt: new DateTime(T0, 7),
  timestampFields: TIMESTAMP_FIELDS,
}

/** Every second seed has odd values, every third tells no source, so that a line may; every tenth has bytes that are no UTF-8. */
function inputOf(seed: number, lineCount: number): { bytes: Buffer; defaults: EventDefaults } {
  const bytes = Buffer.from(spoiltLines(seed, lineCount, seed % 2 === 0))
  if (seed % 10 === 0) for (let at = 11; at < bytes.length; at += 997) bytes[at] = 0xff
  return { bytes, defaults: seed % 3 === 0 ? { ...DEFAULTS, source: null } : DEFAULTS }
}

/** Each line by itself, by a reader that has met none before. */
function readWhole(bytes: Buffer, defaults: EventDefaults): IncomingEvent[] {
  const events: IncomingEvent[] = []
  for (const { start, end } of linesOf(bytes, bytes.length)) {
    const read = createEventReader().fromLine(bytes.toString('utf8', start, end), defaults)
    if ('event' in read) events.push(read.event)
  }
  return events
}

/** Many lines at once. */
function* batchesOf(bytes: Buffer, defaults: EventDefaults, rowsMax = 700): Generator<EventBatch> {
  const reader = new LineReader(createEventReader())
  const batch = new EventBatch()
  const lines = { end: bytes.length, isJson: false, defaults, rowsMax, refused: () => {} }
  for (let start = 0; start < bytes.length; ) {
    start = reader.readLines(batch, bytes, { ...lines, start })
    if (batch.count < rowsMax) continue
    yield batch
    batch.clear()
  }
  yield batch
}

/** A line at a time. */
function* batchesByLine(bytes: Buffer, defaults: EventDefaults, rows = 700): Generator<EventBatch> {
  const reader = new LineReader(createEventReader())
  const batch = new EventBatch()
  for (const { start, end } of linesOf(bytes, bytes.length)) {
    reader.fromLine(batch, bytes, start, end, defaults)
    if (batch.count < rows) continue
    yield batch
    batch.clear()
  }
  yield batch
}

const plainOf = ({ index, time, raw, fields }: IncomingEvent): unknown => ({
  index,
  time: [time.micros, time.nanos],
  raw,
  fields: [...fields],
})

for (const [how, batchesOfLines] of [
  ['a line at a time', batchesByLine] as const,
  ['many at once', batchesOf] as const,
])
  test(`a batch of lines holds the events that reading each from nothing gives: ${how}`, () => {
    let lines = 0
    let asBytes = 0
    for (let seed = 1; seed <= 60; seed++) {
      const { bytes, defaults } = inputOf(seed, 80)
      const events: unknown[] = []
      for (const batch of batchesOfLines(bytes, defaults, 32)) {
        events.push(...batch.toEvents().map(plainOf))
        for (let row = 0; row < batch.count; row++) if (batch.shapes[row] !== null) asBytes++
      }
      assert.deepEqual(events, readWhole(bytes, defaults).map(plainOf), `seed ${seed}`)
      lines += events.length
    }
    assert.ok(asBytes > lines * 0.4, `${asBytes} of ${lines} lines were read as bytes`)
  })

test('lines that are longer than what is read at once, or have more fields, are read among those that are not', () => {
  const many = Array.from({ length: 900 }, (_, at) => `"field${at}":${at}`).join()
  const lineOf = (row: number) => {
    if (row % 40 === 7) return `{"a":"${'long '.repeat(60_000)}","b":${row}}`
    if (row % 40 === 9) return `{${many},"b":${row}}`
    return `{"a":"${'x'.repeat((row * 37) % 300)}","b":${row}}`
  }
  const lines = Array.from({ length: 1500 }, (_, row) => lineOf(row))
  const bytes = Buffer.from(lines.join('\r\n'))
  let row = 0
  let asBytes = 0
  for (const batch of batchesOf(bytes, DEFAULTS, 64)) {
    for (const { raw, fields } of batch.toEvents()) {
      assert.equal(raw, lines[row])
      assert.equal(fields.get('b'), row++)
    }
    for (const shape of batch.shapes.slice(0, batch.count)) if (shape !== null) asBytes++
  }
  assert.equal(row, lines.length)
  assert.ok(asBytes > 1480, `${asBytes} lines were read as bytes`)
})

test('a column of many thousands of values has each of them where it was, however wide its codes', () => {
  const part = new MemoryPart('p', 'main', 65_536)
  const values = 90_000
  const userOf = (row: number): string => `user ${(row * 7919) % values}`
  const lines = Array.from({ length: 3 * values }, (_, row) => `{"user":"${userOf(row)}"}`)
  let row = 0
  for (const batch of batchesOf(Buffer.from(lines.join('\n')), DEFAULTS, 5000)) {
    for (let at = 0; at < batch.count; ) {
      const end = batch.shapes[at] === null ? at + 1 : batch.endOfRun(at, 864e8)
      if (batch.shapes[at] === null) part.append(batch.eventAt(at), 1, row + 1)
      else part.appendLines(batch, at, end, row + 1)
      row += end - at
      at = end
    }
  }
  const reader = part.snapshot()
  let seen = 0
  for (let number = 0; number < reader.blockCount; number++) {
    const block = reader.block(number)
    const users = block.column('user')
    for (let at = 0; at < block.rowCount; at++, seen++) assert.equal(valueAt(users!, at), userOf(seen))
  }
  assert.equal(seen, lines.length)
})

test('texts of a place are what they were: few or many, short or long, in turns with what is no text, and in lines of two shapes', () => {
  const part = new MemoryPart('p', 'main', 4096)
  const fieldsOf = (row: number): Record<string, unknown> => ({
    few: `v${row % 3}`,
    some: `user ${(row * 7919) % 20_011}`,
    name: `n${(row * 31) % 5000}`,
    long: `a text of more than thirty-two bytes ${row}`,
    mixed: row % 9 === 4 ? null : row % 11 === 5 ? row : `id-${row}-straße-${row}`,
    late: row < 1500 ? 'x' : `late and long enough ${row}`,
    empty: row % 2 === 0 ? '' : 'e',
    ...(row % 1000 < 40 && row % 2 === 0 && { other: 'o' }),
  })
  const count = 9000
  const bytes = Buffer.from(Array.from({ length: count }, (_, row) => JSON.stringify(fieldsOf(row))).join('\n'))
  let sequence = 1
  for (const batch of batchesOf(bytes, DEFAULTS, 900))
    for (let row = 0; row < batch.count; ) {
      // Runs that begin and end anywhere in what was read at once.
      const isLine = batch.shapes[row] !== null
      const end = isLine ? Math.min(batch.endOfRun(row, 864e8), row + 1 + ((row * 13) % 400)) : row + 1
      if (isLine) part.appendLines(batch, row, end, sequence)
      else part.append(batch.eventAt(row), 1, sequence)
      sequence += end - row
      row = end
    }
  const reader = part.snapshot()
  for (let row = 0; row < count; row++) {
    const block = reader.block(Math.floor(row / 4096)) as BlockReader
    for (const [name, value] of Object.entries(fieldsOf(row))) {
      const column = block.column(name)
      assert.equal(column === null ? undefined : valueAt(column, row % 4096), value, `${name} of ${row}`)
    }
  }
})

test('what is no event of JSON is refused with the same words', () => {
  const batch = new EventBatch()
  const reader = new LineReader(createEventReader())
  for (const text of ['{"a":1}', '{"a":2}', '{"a":', '[1]', '{"a":01}', 'x', '{"a":3}']) {
    const bytes = Buffer.from(text)
    const expected = createEventReader().fromJson(text, DEFAULTS)
    const problem = reader.fromJson(batch, bytes, 0, bytes.length, DEFAULTS)
    assert.deepEqual(problem, 'problem' in expected ? expected.problem : null, text)
  }
  assert.equal(batch.count, 3)
})

test('a store that was given batches holds what one holds that was given events: in memory, on disk, opened again', async () => {
  const rowsAfter = async (
    directory: string,
    fill: (store: Store) => void,
  ): Promise<{ rows: unknown[]; storageBytes: number }> => {
    const store = await openStore({ directory, blockRows: 2000, flushAgeMs: 1e9 })
    fill(store)
    const inMemory = allRows(store)
    const bufferedBytes = store.status().bufferedBytes > 0
    await store.flush()
    const onDisk = allRows(store)
    const { rawBytes, storageBytes } = store.status()
    await store.close()
    const again = await openStore({ directory })
    const opened = allRows(again)
    await again.close()
    return { rows: [inMemory, bufferedBytes, onDisk, rawBytes, opened], storageBytes }
  }
  for (const seed of [1, 2, 3, 10, 33]) {
    const { bytes, defaults } = inputOf(seed, 5000)
    await withDirectory(async one => {
      await withDirectory(async other => {
        const byEvent = await rowsAfter(one, store => store.append(readWhole(bytes, defaults)))
        const byBatch = await rowsAfter(other, store => {
          for (const batch of batchesOf(bytes, defaults)) store.appendBatch(batch)
        })
        assert.deepEqual(byBatch.rows, byEvent.rows, `seed ${seed}`)
        const ratio = byBatch.storageBytes / byEvent.storageBytes
        assert.ok(Math.abs(ratio - 1) < 0.02, `seed ${seed}: ${ratio} times the bytes`)
      })
    })
  }
})

test('whoever looks at each event is given events: subscribers, and who drops duplicates', async () => {
  const { bytes } = inputOf(5, 50)
  const defaults = { ...DEFAULTS, receivedAt: new DateTime(T0) }
  const store = await openStore({ directory: null, dedupCapacity: 1000 })
  const subscription = store.subscribe()
  const [batch] = batchesOf(bytes, defaults)
  const first = store.appendBatch(batch!)
  const second = store.appendBatch(batch!)
  assert.equal(second.duplicates + second.count, first.count + first.duplicates)
  assert.ok(second.count === 0)
  for await (const { events } of subscription) {
    assert.equal(events.length, first.count)
    break
  }
  await store.close()
})

/** Lines that are what their fields give, but for one in seven. */
function knownPart(lineCount: number): { part: MemoryPart; known: KnownRaw } {
  const part = new MemoryPart('p', 'main', 65_536)
  const lines = Array.from({ length: lineCount }, (_, row) => {
    const n = row % 7 === 3 ? '1.50' : String((row % 50) / 4)
    const odd = `"path":"C:\\\\dir\\\\f${row % 9}","tags":["t${row % 4}"],"mask":-9223372036854775808`
    const tail = row % 5 === 0 ? '' : `,"id":"x${row}","o":{"flag":${row % 2 === 0},"none":null},${odd}`
    if (row % 11 === 2) return `{"level":"l0","text":"line ${row}\\nof \\"${row}\\"\\ttext","n":1,"count":2}`
    return `{"level":"l${row % 3}","text":"a word of ${row} Straße","n":${n},"count":${row * 3 - 50}${tail}}`
  })
  let sequence = 1
  for (const batch of batchesOf(Buffer.from(lines.join('\n')), DEFAULTS)) {
    for (let row = 0; row < batch.count; ) {
      const isLine = batch.shapes[row] !== null
      const end = isLine ? batch.endOfRun(row, 864e8) : row + 1
      if (isLine) part.appendLines(batch, row, end, sequence)
      else part.append(batch.eventAt(row), 1, sequence)
      sequence += end - row
      row = end
    }
  }
  const [block] = part.columns()
  assert.ok(block?.raw != null, 'the text of most lines is known')
  return { part, known: block.raw }
}

test('text that its reader knows to be rebuilt is the text, and has its tokens', () => {
  const { part, known } = knownPart(3000)
  const block = part.snapshot().block(0) as BlockReader
  assert.equal(known.hasEscapes, true)
  const raw = block.column('_raw') as TextVector
  const columnOf = (name: string) => block.column(name)
  for (const isIndexed of [false, true]) {
    const others = { columnOf, isIndexed: () => isIndexed }
    const [tokens, expectedTokens] = [new TokenSet(), new TokenSet()]
    for (const { name } of part.snapshot().fields) {
      const column = columnOf(name)
      if (!isIndexed || name === '_raw' || column?.kind !== 'text') continue
      tokens.addColumn(column)
      expectedTokens.addColumn(column)
    }
    rebuildRest(known, others, tokens)
    rebuild(raw, others, expectedTokens)
    assert.deepEqual([...tokens.hashes()].sort(), [...expectedTokens.hashes()].sort())
  }
  const others = { columnOf, isIndexed: () => false }
  const rebuilt = rebuildRest(known, others, null)
  const expected = rebuild(raw, others, null)!
  assert.equal(rebuilt.textBytes, expected.textBytes)
  const sink = new ByteSink()
  encodeRebuilt(sink, known.rest, rebuilt)
  const read = new RebuiltChunk(new ByteSource(sink.finish()), known.chosen.length).all(others.columnOf)
  assert.deepEqual(Buffer.from(read.bytes), Buffer.from(raw.bytes))
  assert.deepEqual(read.offsets, raw.offsets)
})

test('times read from bytes are those read from text, or are left to that', () => {
  let read = 0
  const digits = fc.stringMatching(/^\d{2}$/)
  const time = fc
    .tuple(
      fc.stringMatching(/^(19|20)\d\d$/),
      digits,
      digits,
      digits,
      digits,
      digits,
      fc.stringMatching(/^(\.\d{0,11})?$/),
    )
    .map(
      ([year, month, day, hour, minute, second, rest]) => `${year}-${month}-${day}T${hour}:${minute}:${second}${rest}Z`,
    )
  const near = fc
    .tuple(
      fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
      fc.nat(40),
      fc.constantFrom('', '0', 'Z', ' ', '-'),
    )
    .map(([date, at, put]) => {
      const text = date.toISOString()
      return put === '' ? text : text.slice(0, at) + put + text.slice(at + 1)
    })
  fc.assert(
    fc.property(fc.oneof(time, near), text => {
      const bytes = Buffer.from(`"${text}"`)
      const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      const micros = isoMicros(bytes, 1, bytes.length - 1)
      const nanos = isoNanos()
      // Whatever was read before, and once more, of the same minute then.
      for (let again = 0; again < 2; again++) {
        assert.ok(Object.is(isoMicrosLike(bytes, words, 1, bytes.length - 1), micros), text)
        if (!Number.isNaN(micros)) assert.equal(isoNanos(), nanos, text)
      }
      if (Number.isNaN(micros)) return
      read++
      assert.deepEqual(new DateTime(micros, nanos), parseTime(text, DEFAULTS.receivedAt), text)
    }),
    { numRuns: 3000 },
  )
  assert.ok(read > 300, `${read} times were read from bytes`)
})

test('a reader holds on to no body it has read', async () => {
  const reader = new LineReader(createEventReader())
  const read = (): WeakRef<ArrayBuffer> => {
    const { bytes, defaults } = inputOf(1, 50)
    const body = Buffer.from(Uint8Array.from(bytes).buffer)
    const batch = new EventBatch()
    for (const { start, end } of linesOf(body, body.length)) reader.fromLine(batch, body, start, end, defaults)
    assert.ok(batch.cellCount > 0, 'some were read as the one before')
    return new WeakRef(body.buffer)
  }
  const body = read()
  // What a weak reference was made of lives until the turn is over.
  await setImmediate()
  collectAll()
  assert.equal(body.deref(), undefined)
})

test('times of many lines are those of each, whatever they look like', () => {
  const two = (most: number) => fc.integer({ min: 0, max: most }).map(number => String(number).padStart(2, '0'))
  const usual = fc
    .tuple(two(2), two(61), fc.stringMatching(/^(\.\d{1,7})?$/))
    .map(([minute, second, rest]) => `2026-05-31T10:${minute}:${second}${rest}Z`)
  const odd = fc
    .tuple(usual, fc.nat(26), fc.constantFrom('', '0', 'Z', ' ', '-', ':', '.', 'é'))
    .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1))
  const time = fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: odd })
  let alike = 0
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 200 }), times => {
      const bytes = Buffer.from(times.map((time, index) => `{"timestamp":"${time}","n":${index}}\n`).join(''))
      const timeOf = (event: IncomingEvent) => event.time
      const read = [...batchesOf(bytes, DEFAULTS, 90)].flatMap(batch =>
        Array.from({ length: batch.count }, (_, row) => timeOf(batch.eventAt(row))),
      )
      assert.deepEqual(read, readWhole(bytes, DEFAULTS).map(timeOf))
      alike += times.length
    }),
    { numRuns: 200 },
  )
  assert.ok(alike > 1000)
})
