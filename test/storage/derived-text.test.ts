/** Text that is said shorter than by its bytes: hexadecimal ids, and times that are the event's own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteSink, ByteSource } from '../../storage/part/bytes.ts'
import { encodeHex, HexChunk, hexDigitsOf } from '../../storage/part/encodings/hex.ts'
import { decodeTimeText, eachSaysTime, encodeTimeText, timeFormOf } from '../../storage/part/encodings/time-text.ts'
import { pickRows } from '../../storage/pick.ts'
import { openStore } from '../../storage/store.ts'
import type { Value } from '../../storage/value.ts'
import type { TextVector, TimeVector } from '../../storage/vector.ts'
import { someRows, valuesOf } from './part-support.ts'
import { allRows, event, T0, withDirectory } from './store-support.ts'

function textOf(values: readonly (string | null | undefined)[]): TextVector {
  const texts = values.map(value => Buffer.from(value ?? ''))
  const offsets = new Uint32Array(values.length + 1)
  for (const [row, text] of texts.entries()) offsets[row + 1] = offsets[row]! + text.length
  const presence = values.some(value => value == null)
    ? Uint8Array.from(values, value => (value === undefined ? 0 : value === null ? 1 : 2))
    : null
  return { kind: 'text', rowCount: values.length, bytes: Buffer.concat(texts), offsets, presence }
}

function throughHex(values: readonly (string | null | undefined)[]): unknown[] | null {
  const vector = textOf(values)
  const digits = hexDigitsOf(vector)
  if (digits === null) return null
  const sink = new ByteSink()
  encodeHex(sink, vector)
  const source = new ByteSource(sink.finish().slice())
  const decoded = valuesOf(new HexChunk(source, values.length).all(), values.length)
  assert.equal(source.remaining, 0)
  const rows = someRows(values.length)
  assert.deepEqual(
    valuesOf(new HexChunk(new ByteSource(sink.finish().slice()), values.length).some(rows), rows.length),
    Array.from(rows, row => values[row]),
  )
  return decoded
}

test('hexadecimal ids of one length come back, absent rows too', () => {
  const id = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
  const column = fc
    .integer({ min: 4, max: 20 })
    .chain(half =>
      fc.array(fc.oneof({ weight: 8, arbitrary: id(2 * half) }, fc.constantFrom(null, undefined)), { minLength: 1 }),
    )
  fc.assert(
    fc.property(column, values => {
      const isSeen = values.some(value => value != null)
      assert.deepEqual(throughHex(values), isSeen ? values : null)
    }),
  )
})

test('what only looks like hexadecimal ids is text', () => {
  for (const values of [
    ['0123456A'],
    ['0123456'],
    ['012345678'],
    ['01234567', '0123456789'],
    ['0123456g'],
    ['0123 567'],
    [''],
  ]) {
    assert.equal(throughHex(values), null, values.join())
  }
})

test('ids that are more than is packed at once come back, and one byte that is no digit is seen wherever it is', () => {
  const ids = Array.from({ length: 9000 }, (_, row) => (row * 7_919_777_711).toString(16).padStart(18, '0'))
  assert.deepEqual(throughHex(ids), ids)
  for (const [row, at] of [
    [0, 0],
    [17, 17],
    [3640, 8],
    [3641, 1],
    [8999, 17],
  ] as const)
    for (const other of ['g', '`', ':', '/', 'F', '\0', '\x80']) {
      const id = ids[row]!
      assert.equal(throughHex(ids.with(row, id.slice(0, at) + other + id.slice(at + 1))), null, `${row} ${at} ${other}`)
    }
})

function timesOf(micros: readonly number[], nanos: readonly number[] | null = null): TimeVector {
  return {
    kind: 'time',
    rowCount: micros.length,
    micros: Float64Array.from(micros),
    nanos: nanos === null ? null : Uint16Array.from(nanos),
    presence: null,
  }
}

function throughTime(values: readonly (string | null)[], times: TimeVector): unknown[] | null {
  const vector = textOf(values)
  const form = timeFormOf(vector, times)
  if (form === null) return null
  const sink = new ByteSink()
  encodeTimeText(sink, vector, form)
  const decoded = valuesOf(decodeTimeText(new ByteSource(sink.finish().slice()), values.length, times), values.length)
  const rows = someRows(values.length)
  const few = decodeTimeText(
    new ByteSource(sink.finish().slice()),
    values.length,
    pickRows(times, rows) as TimeVector,
    rows,
  )
  assert.deepEqual(
    valuesOf(few, rows.length),
    Array.from(rows, row => decoded[row]),
  )
  return decoded
}

test('of times within a minute or two, each text that is another is seen', () => {
  const start = Date.UTC(2026, 1, 28, 23, 58, 30) * 1000
  fc.assert(
    fc.property(
      fc.array(fc.nat(120_000), { minLength: 1, maxLength: 30 }),
      fc.nat(29),
      fc.nat(23),
      fc.constantFrom(...'0123456789:.-TZ +'),
      (ms, row, at, byte) => {
        const times = timesOf(ms.map(each => start + each * 1000))
        const texts = ms.map(each => new Date(start / 1000 + each).toISOString())
        assert.deepEqual(throughTime(texts, times), texts)
        const text = texts[row % texts.length]!
        const other = text.slice(0, at) + byte + text.slice(at + 1)
        const others = texts.with(row % texts.length, other)
        assert.deepEqual(throughTime(others, times), other === text ? texts : null)
      },
    ),
  )
  // What follows the 59th second of a minute is said as the next minute.
  const [first, last] = ['2026-02-28T23:58:00.000Z', '2026-02-28T23:58:60.000Z']
  const minute = Date.UTC(2026, 1, 28, 23, 58) * 1000
  assert.equal(throughTime([first, last], timesOf([minute, minute + 60_000_000])), null)
})

test('of many times, whatever their form, the loop says what is said of each', () => {
  const start = Date.UTC(2026, 1, 28, 23, 58, 30) * 1000
  const forms = [
    [0, 3, 'Z'],
    [1, 0, 'Z'],
    [2, 6, 'Z'],
    [5, 0, '+00:00'],
    [6, 6, '+00:00'],
  ] as const
  for (const [form, digits, zone] of forms) {
    const unit = 10 ** (6 - digits)
    const micros = Array.from({ length: 2500 }, (_, row) => start + Math.floor((row * 7_654_321) / unit) * unit)
    const texts = micros.map(each => {
      const iso = new Date(Math.floor(each / 1000)).toISOString()
      return (
        (digits === 0
          ? iso.slice(0, 19)
          : `${iso.slice(0, 23)}${`${each % 1000}`.padStart(3, '0')}`.slice(0, 20 + digits)) + zone
      )
    })
    const times: TimeVector = { ...timesOf(micros), nanos: null }
    const says = (others: readonly string[]): boolean => {
      const vector = textOf(others)
      const each = eachSaysTime(vector, times, form)
      assert.equal(timeFormOf(vector, times), each ? form : null)
      return each
    }
    assert.ok(says(texts))
    for (const row of [0, 1, 1023, 1024, 2499])
      for (let at = 0; at < texts[row]!.length; at++)
        for (const byte of ['0', '9', ':'])
          if (texts[row]![at] !== byte)
            assert.ok(!says(texts.with(row, texts[row]!.slice(0, at) + byte + texts[row]!.slice(at + 1))))
    // As many bytes in all, but not in each.
    assert.ok(!says(texts.with(7, texts[7]!.slice(1)).with(8, `${texts[8]}0`)))
  }
})

test('a text that is the event time comes back, in each form', () => {
  const anyMicros = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 11, 31) }).map(ms => ms * 1000)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyMicros, fc.nat(999), fc.nat(999)), { minLength: 1, maxLength: 20 }),
      fc.constantFrom('', '.ms', '.us', '.ns'),
      fc.constantFrom('Z', '+00:00'),
      (rows, digits, zone) => {
        const exact = rows.map(([ms, us, ns]) => {
          if (digits === '') return [Math.floor(ms / 1_000_000) * 1_000_000, 0] as const
          if (digits === '.ms') return [ms, 0] as const
          return [ms + us, digits === '.ns' ? ns : 0] as const
        })
        const texts = exact.map(([micros, nanos]) => {
          const iso = new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23)
          const us = String(((micros % 1000) + 1000) % 1000).padStart(3, '0')
          const ns = String(nanos).padStart(3, '0')
          const tail = { '': '', '.ms': '', '.us': us, '.ns': us + ns }[digits] ?? ''
          return (digits === '' ? iso.slice(0, 19) : iso + tail) + zone
        })
        const times = timesOf(
          exact.map(([micros]) => micros),
          exact.map(([, nanos]) => nanos),
        )
        assert.deepEqual(throughTime(texts, times), texts)
        assert.deepEqual(
          throughTime(
            [...texts.slice(1), null],
            timesOf([...times.micros.slice(1), 0], [...times.nanos!.slice(1), 0]),
          ) ?? null,
          texts.length > 1 ? [...texts.slice(1), null] : null,
        )
      },
    ),
  )
})

test('a text of another time, or in a form of its own, is text', () => {
  const times = timesOf([Date.UTC(2026, 0, 2, 3, 4, 5, 6) * 1000])
  for (const text of [
    '2026-01-02T03:04:05.007Z',
    '2026-01-02 03:04:05.006',
    '2026-01-02T03:04:05Z',
    '2026-01-02T04:04:05.006+01:00',
    '',
  ]) {
    assert.equal(throughTime([text], times), null, text)
  }
  assert.deepEqual(throughTime(['2026-01-02T03:04:05.006Z'], times), ['2026-01-02T03:04:05.006Z'])
})

test('a text that is the event time comes back where a block has one time only, from the buffer and from merges', async () => {
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom('text', 'text', 'null', 'missing')), {
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(rows, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 4 }),
      (batches, blockRows) =>
        withDirectory(async directory => {
          const store = await openStore({ directory, flushAgeMs: 1e9, compactionWorkers: 0, fsync: false, blockRows })
          const expected = new Map<number, Value>()
          for (const batch of batches) {
            store.append(
              batch.map(([ms, presence]) => {
                const micros = T0 + ms * 1000
                const text = new Date(micros / 1000).toISOString()
                const n = expected.size
                const at = presence === 'text' ? text : presence === 'null' ? null : undefined
                expected.set(n, at)
                return event({ n, at }, { micros, raw: JSON.stringify({ n, at }) })
              }),
            )
            await store.flush()
          }
          const check = () =>
            assert.deepEqual(
              new Map(
                allRows(store)
                  .map(row => [Number(row.n), row.at] as const)
                  .sort(([a], [b]) => a - b),
              ),
              expected,
            )
          check()
          await store.compact()
          check()
          assert.deepEqual(store.status().quarantined, [])
          assert.equal(store.status().partCount, 1)
          await store.close()
        }),
    ),
    { numRuns: 25 },
  )
})
