import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { IncomingEvent, PartReader } from '../../storage/index.ts'
import { MemoryPart } from '../../storage/ingest/memory-part.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { valueAt } from './part-support.ts'
import { event, range, rowOf, rowsOf, T0 } from './store-support.ts'

function partOf(events: readonly IncomingEvent[], blockRows: number): MemoryPart {
  const part = new MemoryPart('p', 'main', blockRows)
  for (const [at, each] of events.entries()) part.append(each, 1, at + 1)
  return part
}

const anyValue: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.constant(undefined),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(x => x + 0),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('a', 'b', 'c'),
  fc.tuple(fc.integer({ min: 0, max: 2 ** 50 }), fc.nat(999)).map(([micros, nanos]) => new DateTime(micros, nanos)),
  fc.integer({ min: 0, max: 2 ** 50 }).map(ns => new Duration(ns)),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.constant({ x: 1 }),
)

/** Fields that keep to one type, and fields that do not. */
const anyFields = fc.record(
  {
    n: fc.integer(),
    f: fc.oneof(fc.integer(), fc.constant(null), fc.constant(1.5)),
    s: fc.constantFrom('x', 'y', 'z', null),
    t: fc.string({ unit: 'binary' }),
    b: fc.boolean(),
    c: fc.constant('same'),
    m: anyValue,
    k: anyValue,
  },
  { requiredKeys: [] },
)

const anyEvents = fc.array(
  fc
    .tuple(anyFields, fc.nat(1_000_000), fc.nat(999), fc.option(fc.string({ unit: 'binary' })))
    .map(([fields, offset, nanos, raw]) => event(fields, { micros: T0 + offset, nanos, raw })),
  { minLength: 1, maxLength: 60 },
)

test('the buffer reads as the list of events that went in, whatever the block size', () => {
  fc.assert(
    fc.property(anyEvents, fc.integer({ min: 1, max: 17 }), (events, blockRows) => {
      const reader = partOf(events, blockRows).snapshot()
      assert.equal(reader.rowCount, events.length)
      assert.equal(reader.blockCount, Math.ceil(events.length / blockRows))
      assert.deepEqual(rowsOf(reader), events.map(rowOf))
    }),
  )
})

test('a snapshot shows what was there when it was taken, even when it is read later', () => {
  fc.assert(
    fc.property(anyEvents, anyEvents, fc.integer({ min: 1, max: 17 }), (before, after, blockRows) => {
      const part = partOf(before, blockRows)
      const early = part.snapshot()
      const read = part.snapshot()
      const seen = rowsOf(read)
      for (const each of after) part.append(each, 1, 1)
      assert.deepEqual(rowsOf(part.snapshot()), [...before, ...after].map(rowOf))
      assert.deepEqual(rowsOf(early), before.map(rowOf))
      assert.deepEqual(seen, before.map(rowOf))
      assert.equal(early.rowCount, before.length)
    }),
  )
})

test('what the part writer is given equals what readers are given', () => {
  fc.assert(
    fc.property(anyEvents, fc.integer({ min: 1, max: 17 }), (events, blockRows) => {
      const part = partOf(events, blockRows)
      const rows = [...part.columns()].flatMap(({ rowCount, columns }) =>
        range(0, rowCount).map(row =>
          Object.fromEntries(
            [...columns]
              .map(([name, vector]) => [name, valueAt(vector, row)] as const)
              .filter(([, value]) => value !== undefined),
          ),
        ),
      )
      assert.deepEqual(rows, events.map(rowOf))
    }),
  )
})

test('field summaries count present values and name their one type', () => {
  const part = partOf(
    [event({ a: 1, b: 'x', c: 1 }, { raw: 'r' }), event({ a: 2.5, b: null, c: 'y' }), event({ a: null, b: 'z' })],
    2,
  )
  assert.deepEqual(part.snapshot().fields, [
    { name: '_time', type: 'datetime', presentCount: 3 },
    { name: '_raw', type: 'string', presentCount: 1 },
    { name: 'a', type: 'number', presentCount: 2 },
    { name: 'b', type: 'string', presentCount: 2 },
    { name: 'c', type: 'any', presentCount: 2 },
  ])
})

function kindOf(reader: PartReader, field: string, block = 0): string | undefined {
  return reader.block(block).column(field)?.kind
}

test('columns are as narrow as their values allow', () => {
  const events = range(0, 70_000).map(n =>
    event({
      n,
      same: 'x',
      level: ['info', 'warn'][n % 2] ?? '',
      id: `id-${n}`,
      mixed: n % 2 ? n : 'x',
      when: new DateTime(n),
    }),
  )
  const reader = partOf(events, 70_000).snapshot()
  assert.deepEqual(
    ['n', 'same', 'level', 'id', 'mixed', 'when'].map(field => kindOf(reader, field)),
    ['number', 'const', 'dict', 'text', 'any', 'time'],
  )
  assert.deepEqual(rowsOf(reader), events.map(rowOf))
})

test('blocks of a part share one dictionary, which is a new object only when it has grown', () => {
  const part = partOf(
    range(0, 10).map(n => event({ s: `v${n % 2}` })),
    3,
  )
  const dictionaryOf = (block: number) => {
    const vector = part.snapshot().block(block).column('s')
    assert.ok(vector?.kind === 'dict')
    return vector.dictionary
  }
  const first = dictionaryOf(0)
  assert.equal(dictionaryOf(2), first)
  part.append(event({ s: 'v0' }), 1, 1)
  assert.equal(dictionaryOf(0), first)
  part.append(event({ s: 'new' }), 1, 1)
  assert.notEqual(dictionaryOf(0), first)
  assert.equal(dictionaryOf(0), dictionaryOf(3))
  assert.deepEqual(first.values, ['v0', 'v1'])
})

test('very long texts of which most are new are held as text, others by their codes', () => {
  const kindOf = (length: number, isNew: (row: number) => boolean): string | undefined => {
    const textOf = (row: number) => `${isNew(row) ? row : 'again'} `.padEnd(length, 'x')
    const events = Array.from({ length: 2000 }, (_, row) => event({ message: textOf(row) }))
    const message = partOf(events, 4096).snapshot().block(0).column('message')!
    assert.equal(valueAt(message, 1501), textOf(1501))
    return message.kind
  }
  assert.equal(
    kindOf(400, row => row % 10 < 7),
    'text',
  )
  assert.equal(
    kindOf(400, row => row % 10 < 4),
    'dict',
  )
  assert.equal(
    kindOf(40, row => row % 10 < 7),
    'dict',
  )
})

test('thousands of rare fields do not cost a block-long array each', () => {
  const events = range(0, 20_000).map(n => event(n % 10 === 0 ? { n, [`rare${n % 5000}`]: n } : { n }))
  const part = partOf(events, 20_000)
  const reader = part.snapshot()
  assert.ok(reader.block(0).columnBytes('rare4000') < 1000)
  assert.deepEqual(
    rowsOf(reader).filter((_, at) => at % 997 === 0),
    events.map(rowOf).filter((_, at) => at % 997 === 0),
  )
})

test('a field that turns from rare to common and back stays right', () => {
  const events = range(0, 9000).map(n =>
    event({ n, s: n < 3000 ? undefined : n < 6000 || n % 100 === 0 ? `v${n % 7}` : undefined }),
  )
  for (const blockRows of [9000, 4096]) {
    assert.deepEqual(rowsOf(partOf(events, blockRows).snapshot()), events.map(rowOf))
  }
})

test('verdicts never rule out a row that matches', () => {
  const operators = ['==', '!=', '<', '<=', '>', '>='] as const
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...operators),
      fc.integer({ min: -4, max: 4 }),
      (values, operator, constant) => {
        const block = partOf(
          values.map(n => event(n === null ? {} : { n })),
          100,
        )
          .snapshot()
          .block(0)
        const holds = (n: number | null): boolean => {
          if (n === null) return false
          return {
            '==': n === constant,
            '!=': n !== constant,
            '<': n < constant,
            '<=': n <= constant,
            '>': n > constant,
            '>=': n >= constant,
          }[operator]
        }
        const verdict = block.verdict({ kind: 'compare', field: 'n', operator, value: constant })
        const matching = values.filter(holds).length
        if (verdict === 'none') assert.equal(matching, 0)
        if (verdict === 'all') assert.equal(matching, values.length)
      },
    ),
  )
})

test('verdicts about strings, time and absent fields are sharp where that is cheap', () => {
  const block = partOf([event({ s: 'a', 'o.x': 1 }), event({ s: 'b' }, { micros: T0 + 10, nanos: 5 })], 100)
    .snapshot()
    .block(0)
  const equals = (field: string, value: Value) =>
    block.verdict({ kind: 'compare', field, operator: '==', value: value as string })
  assert.equal(equals('s', 'a'), 'some')
  assert.equal(equals('s', 'zzz'), 'none')
  assert.equal(equals('nothing', 'a'), 'none')
  assert.equal(equals('index', 'main'), 'some')
  assert.equal(block.verdict({ kind: 'exists', field: 's' }), 'all')
  assert.equal(block.verdict({ kind: 'exists', field: 'o' }), 'some')
  assert.equal(block.verdict({ kind: 'exists', field: 'nothing' }), 'none')
  assert.equal(block.verdictTime({ fromMicros: T0, toMicros: T0 + 11 }), 'all')
  assert.equal(block.verdictTime({ fromMicros: T0 + 1, toMicros: null }), 'some')
  assert.equal(block.verdictTime({ fromMicros: T0 + 11, toMicros: null }), 'none')
  assert.equal(block.verdictTime({ fromMicros: null, toMicros: T0 }), 'none')
  assert.deepEqual(block.maxTime, new DateTime(T0 + 10, 5))
  assert.equal(block.timeSorted, true)
})
