/** Lines read like those before them: the event is the one that reading the line from nothing gives, whatever came before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createEventReader,
  type EventDefaults,
  type EventReader,
  type ReadResult,
  TIMESTAMP_FIELDS,
} from '../../storage/ingest/read-event.ts'
import { ShapedFields } from '../../storage/ingest/shape.ts'
import { DateTime } from '../../storage/value.ts'

const DEFAULTS: EventDefaults = {
  index: 'main',
  source: null,
  sourcetype: null,
  host: null,
  receivedAt: new DateTime(1_750_000_000_000_000),
  timestampFields: TIMESTAMP_FIELDS,
}

const plain = (result: ReadResult) =>
  'problem' in result ? result : { ...result.event, fields: [...result.event.fields.entries()] }

const isShaped = (result: ReadResult): boolean => 'event' in result && result.event.fields instanceof ShapedFields

/** As they stand in a line; not all of them are JSON. */
const value = fc.oneof(
  { weight: 6, arbitrary: fc.string().map(text => JSON.stringify(text)) },
  { weight: 4, arbitrary: fc.integer().map(String) },
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: 0, max: 99999 }))
      .map(([whole, part]) => `${whole}.${part}`),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...['true', 'false', 'null', '-0', '0', '00', '01', '-', '1.', '.5', '1e5', '1E+2', '-0.0', '1.50', '1.5e3'],
      ...['123456789012345', '1234567890123456', '9007199254740993', '0.1234567890123456', '12a', 'truex', 'nul', ''],
      ...[
        '[]',
        '[1,"a"]',
        '{}',
        '{"x":1}',
        '"',
        '"a',
        '"\\n"',
        '"\\ud800"',
        '"tab\t"',
        '"nul\u0000"',
        '"\u2028"',
        '"é日😀"',
      ],
      ...['"2026-05-31T00:00:00.111Z"', '"yesterday"', '1748649600', '"web-1"', '"x","y":"z"', ' 1', '"a" '],
    ),
  },
)

const names = fc.constantFrom(
  ...[
    'a',
    'b',
    'timestamp',
    'ts',
    'time',
    '_time',
    '_raw',
    'source',
    '_source',
    'host',
    '_sourcetype',
    'x.y',
    '7',
    '__proto__',
  ],
)
/** What stands around the values of lines of one shape. */
const shape = fc.record({
  names: fc.array(names, { maxLength: 5 }),
  nested: fc.boolean(),
  separator: fc.constantFrom(',', ', ', ' ,'),
  end: fc.constantFrom('}', ' }', '}\r', '}\n', '} ', '}x'),
})

type LineShape = typeof shape extends fc.Arbitrary<infer Shape> ? Shape : never

function lineOf({ names, nested, separator, end }: LineShape, values: readonly string[]): string {
  const members = names.map((name, at) => `${JSON.stringify(name)}:${values[at % values.length]}`)
  if (nested && members.length > 1) return `{"n":{${members.slice(1).join(separator)}}${separator}${members[0]}${end}`
  return `{${members.join(separator)}${end}`
}

const defaults = fc.record({
  source: fc.constantFrom(null, null, 'agent'),
  sourcetype: fc.constantFrom(null, 'json'),
  host: fc.constantFrom(null, 'me'),
})

test('a reader that has seen lines reads the next as one that has not', () => {
  let shapedCount = 0
  const read = (method: 'fromJson' | 'fromLine', line: string, given: EventDefaults, reader: EventReader) => {
    const result = reader[method](line, given)
    if (isShaped(result)) shapedCount++
    assert.deepEqual(plain(result), plain(createEventReader()[method](line, given)), line)
  }
  fc.assert(
    fc.property(
      fc.array(shape, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(value, { minLength: 5, maxLength: 5 }), { minLength: 2, maxLength: 30 }),
      fc.array(defaults, { minLength: 1, maxLength: 2 }),
      fc.constantFrom('fromJson' as const, 'fromLine' as const),
      (shapes, rows, givens, method) => {
        const reader = createEventReader()
        for (const [at, values] of rows.entries()) {
          const given = { ...DEFAULTS, ...givens[at % givens.length] }
          read(method, lineOf(shapes[at % shapes.length]!, values), given, reader)
        }
      },
    ),
    { numRuns: 600 },
  )
  assert.ok(shapedCount > 150, `${shapedCount} lines were read by their shape`)
})

test('a field that is text in one line may be anything in the next', () => {
  const reader = createEventReader()
  const lines = [
    '{"source":"a","n":1}',
    '{"source":"b","n":2}',
    '{"source":3,"n":"x"}',
    '{"source":null,"n":true}',
    '{"source":"c","n":-1.25}',
  ]
  for (const line of lines)
    assert.deepEqual(plain(reader.fromJson(line, DEFAULTS)), plain(createEventReader().fromJson(line, DEFAULTS)))
})

test('fields of a shape are what a map of them is', () => {
  const reader = createEventReader()
  reader.fromJson('{"a":1,"b":"x"}', DEFAULTS)
  const result = reader.fromJson('{"a":2,"b":"y"}', DEFAULTS)
  assert.ok('event' in result)
  const { fields } = result.event
  assert.ok(fields instanceof ShapedFields)
  const map = new Map<string, unknown>([
    ['a', 2],
    ['b', 'y'],
  ])
  assert.deepEqual(new Map(fields), map)
  assert.deepEqual([...fields.keys()], [...map.keys()])
  assert.deepEqual([...fields.values()], [...map.values()])
  assert.equal(fields.size, 2)
  assert.equal(fields.get('b'), 'y')
  assert.equal(fields.get('c'), undefined)
  assert.ok(fields.has('a') && !fields.has('c'))
  const seen: unknown[] = []
  fields.forEach((each, name) => {
    seen.push([name, each])
  })
  assert.deepEqual(seen, [...map])
})

test('lines of ever new shapes are soon read from nothing alone', () => {
  const reader = createEventReader()
  for (let line = 0; line < 1000; line++) {
    const result = reader.fromJson(`{"f${line}":1}`, DEFAULTS)
    assert.ok(!isShaped(result))
  }
  const result = reader.fromJson('{"f999":1}', DEFAULTS)
  assert.ok(!isShaped(result), 'the 999th shape was not learnt')
})
