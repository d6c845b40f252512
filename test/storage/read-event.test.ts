import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { IncomingEvent } from '../../storage/index.ts'
import {
  createEventReader,
  type EventDefaults,
  type ReadResult,
  TIMESTAMP_FIELDS,
} from '../../storage/ingest/read-event.ts'
import { findTime, parseTime } from '../../storage/ingest/timestamp.ts'
import { DateTime } from '../../storage/value.ts'

const reader = createEventReader()
/** 2026-01-02T00:00:00Z */
const RECEIVED = new DateTime(1_767_312_000_000_000)
const DEFAULTS: EventDefaults = {
  index: 'main',
  source: null,
  sourcetype: null,
  host: null,
  receivedAt: RECEIVED,
  timestampFields: TIMESTAMP_FIELDS,
}

function eventIn(result: ReadResult): IncomingEvent {
  assert.ok('event' in result, JSON.stringify(result))
  return result.event
}

function fieldsOf(text: string): Record<string, unknown> {
  return Object.fromEntries(eventIn(reader.fromJson(text, DEFAULTS)).fields)
}

function problemOf(result: ReadResult): string | null {
  return 'problem' in result ? result.problem.code : null
}

/** ISO with nanoseconds. */
function show(time: DateTime | null): string | null {
  if (time === null) return null
  const seconds = Math.floor(time.micros / 1e6)
  const nanos = (time.micros - seconds * 1e6) * 1000 + time.nanos
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanos).padStart(9, '0')}`
}

test('nested objects become dotted fields; arrays and empty objects stay values', () => {
  assert.deepEqual(fieldsOf('{"a":{"b":{"c":1},"d":[1,{"x":2}],"e":{}},"f":[],"g":null,"h":true}'), {
    'a.b.c': 1,
    'a.d': [1, { x: 2 }],
    'a.e': {},
    f: [],
    g: null,
    h: true,
  })
})

test('the text of a document is its _raw, whatever it holds', () => {
  const text = '{ "message" : "hello",\t"n":1.50 }'
  assert.equal(eventIn(reader.fromJson(text, DEFAULTS)).raw, text)
})

test('integers keep every digit within 64 bits; beyond they are floats, and numbers too large for those are null', () => {
  const fields = fieldsOf(
    '{"a":9007199254740993,"b":-9223372036854775808,"c":9223372036854775808,"d":1e400,"e":9007199254740991,"f":12345678901234567890.5,"s":"9007199254740993","l":[{"x":9007199254740993}],"z":-0}',
  )
  assert.deepEqual(fields, {
    a: 9007199254740993n,
    b: -9223372036854775808n,
    c: 9223372036854776000,
    d: null,
    e: 9007199254740991,
    f: 12345678901234567000,
    s: '9007199254740993',
    l: [{ x: 9007199254740993n }],
    z: 0,
  })
})

test('exact integers change nothing else of a document', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), document => {
      const plain = JSON.stringify({ ...document, _time: undefined, _raw: undefined })
      const withBig = plain === '{}' ? '{"zz":9007199254740993}' : `${plain.slice(0, -1)},"zz":9007199254740993}`
      const small = plain === '{}' ? '{"zz":1}' : `${plain.slice(0, -1)},"zz":1}`
      assert.deepEqual({ ...fieldsOf(withBig), zz: 1 }, fieldsOf(small))
    }),
  )
})

test('half of a surrogate pair becomes the replacement character, a whole pair stays', () => {
  assert.deepEqual(fieldsOf('{"a":"x\\ud800y","b":"\\ud83d\\ude00"}'), { a: 'x\ufffdy', b: '😀' })
})

test('the time is the first timestamp field that states one, and the field stays', () => {
  const event = eventIn(
    reader.fromJson('{"ts":"2020-01-01T00:00:00Z","timestamp":"no time","@timestamp":1596810745}', DEFAULTS),
  )
  assert.equal(show(event.time), '2020-08-07T14:32:25.000000000')
  assert.deepEqual([...event.fields.keys()], ['ts', 'timestamp', '@timestamp'])
  assert.equal(eventIn(reader.fromJson('{"a":1}', DEFAULTS)).time, RECEIVED)
})

test('an exported event comes back with its time and text', () => {
  const event = eventIn(
    reader.fromFields({ _time: '2020-08-07T14:32:25.358Z', _raw: 'the line', a: 1 }, null, DEFAULTS),
  )
  assert.equal(show(event.time), '2020-08-07T14:32:25.358000000')
  assert.equal(event.raw, 'the line')
  assert.deepEqual([...event.fields], [['a', 1]])
})

test('defaults fill what the event lacks', () => {
  const defaults = { ...DEFAULTS, index: 'web', source: 's', sourcetype: 't', host: 'h' }
  const filled = eventIn(reader.fromJson('{"a":1}', defaults))
  assert.equal(filled.index, 'web')
  assert.deepEqual(Object.fromEntries(filled.fields), { a: 1, _source: 's', _sourcetype: 't', host: 'h' })
  const own = eventIn(reader.fromJson('{"_source":"x","_sourcetype":"y","host":"z"}', defaults))
  assert.deepEqual(Object.fromEntries(own.fields), { _source: 'x', _sourcetype: 'y', host: 'z' })
  assert.equal(eventIn(reader.fromJson('{"source":"mine"}', DEFAULTS)).fields.get('_source'), 'mine')
})

test('what is no JSON object is a problem with a code', () => {
  assert.equal(problemOf(reader.fromJson('{"a":', DEFAULTS)), 'invalid_json')
  assert.equal(problemOf(reader.fromJson('{"a":12345678901234567,}', DEFAULTS)), 'invalid_json')
  assert.equal(problemOf(reader.fromJson('[1]', DEFAULTS)), 'not_an_object')
  assert.equal(problemOf(reader.fromJson('null', DEFAULTS)), 'not_an_object')
  assert.equal(problemOf(reader.fromJson(`{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`, DEFAULTS)), 'too_deep')
})

test('a hostile key is a field like any other', () => {
  const event = eventIn(reader.fromJson('{"__proto__":{"x":1},"a":[{"__proto__":12345678901234567}]}', DEFAULTS))
  assert.equal(event.fields.get('__proto__.x'), 1)
  assert.ok(Object.hasOwn((event.fields.get('a') as object[])[0] ?? {}, '__proto__'))
})

test('a line that parses as an object is a document; any other line is text', () => {
  assert.equal(eventIn(reader.fromLine(' {"a":1}', DEFAULTS)).fields.get('a'), 1)
  const text = eventIn(reader.fromLine('{not json', DEFAULTS))
  assert.equal(text.raw, '{not json')
  assert.equal(text.fields.size, 0)
  assert.equal(eventIn(reader.fromLine('', DEFAULTS)).raw, '')
})

test('times are read in every form they are written in', () => {
  const times: readonly (readonly [unknown, string | null])[] = [
    ['2020-08-07T14:32:25Z', '2020-08-07T14:32:25.000000000'],
    ['2020-08-07T14:32:25.358+02:00', '2020-08-07T12:32:25.358000000'],
    ['2020-08-07T14:32:25.123456789-0530', '2020-08-07T20:02:25.123456789'],
    ['2020-08-07 14:32:25.5', '2020-08-07T14:32:25.500000000'],
    ['2020-08-07t14:32z', '2020-08-07T14:32:00.000000000'],
    ['2015-07-29 17:41:41,536', '2015-07-29T17:41:41.536000000'],
    ['2015/07/29 17:41:41', '2015-07-29T17:41:41.000000000'],
    ['2020-08-07', '2020-08-07T00:00:00.000000000'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500000000'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000000'],
    ['10/Oct/2000:13:55:36 -0700', '2000-10-10T20:55:36.000000000'],
    ['Jun 14 15:16:01', '2025-06-14T15:16:01.000000000'],
    ['Jan  2 23:00:00', '2026-01-02T23:00:00.000000000'],
    ['Jan  3 00:00:01', '2025-01-03T00:00:01.000000000'],
    ['Feb 29 01:00:00', '2024-02-29T01:00:00.000000000'],
    ['Sun', null],
    ['Dec 04 04:47:44 2005', '2005-12-04T04:47:44.000000000'],
    [1596810745, '2020-08-07T14:32:25.000000000'],
    [1596810745.5, '2020-08-07T14:32:25.500000000'],
    [1596810745123, '2020-08-07T14:32:25.123000000'],
    [1596810745123456, '2020-08-07T14:32:25.123456000'],
    [1596810745123456789n, '2020-08-07T14:32:25.123456789'],
    ['1596810745.123456789', '2020-08-07T14:32:25.123456789'],
    ['1596810745123456789', '2020-08-07T14:32:25.123456789'],
    [' 1596810745 ', '2020-08-07T14:32:25.000000000'],
    [12, null],
    ['12', null],
    ['2020-13-01T00:00:00Z', null],
    ['2020-02-30', null],
    ['2020-08-07T25:00:00Z', null],
    ['2020-08-07T14:32:25Zoo', null],
    ['yesterday', null],
    ['', null],
    [true, null],
    [null, null],
  ]
  for (const [value, expected] of times) assert.equal(show(parseTime(value, RECEIVED)), expected, String(value))
})

test('RFC 3339 times mean what Date.parse says they mean', () => {
  const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, date => {
      assert.equal(parseTime(date.toISOString(), RECEIVED)?.micros, date.getTime() * 1000)
    }),
  )
})

test('a line has the first time that stands near its start', () => {
  const lines: readonly (readonly [string, string | null])[] = [
    ['127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0"', '2000-10-10T20:55:36.000000000'],
    ['Jun 14 15:16:01 combo sshd(pam_unix)[19939]: failure', '2025-06-14T15:16:01.000000000'],
    ['<34>Oct 11 22:14:15 mymachine su:', '2025-10-11T22:14:15.000000000'],
    ['[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init()', '2005-12-04T04:47:44.000000000'],
    ['2015-07-29 17:41:41,536 - INFO  [main]', '2015-07-29T17:41:41.536000000'],
    ['level=info time=2020-08-07T14:32:25Z msg=x', '2020-08-07T14:32:25.000000000'],
    ['1117838570 2005.06.03 R02-M1', '2005-06-03T22:42:50.000000000'],
    ['order 1596810745 shipped', null],
    ['version 1.2.3 of 2020-08-07', null],
    [`${'x'.repeat(100)} 2020-08-07T14:32:25Z`, null],
    ['', null],
  ]
  for (const [line, expected] of lines) assert.equal(show(findTime(line, RECEIVED)), expected, line)
})

test('lightweight reading keeps the text, the time and what events are found by; what no text holds is kept', () => {
  const light = createEventReader('lightweight')
  const text = '{"time":"2026-01-02T03:04:05Z","host":"h1","status":200,"nested":{"a":1}}'
  for (const read of [light.fromJson(text, DEFAULTS), light.fromLine(text, { ...DEFAULTS, source: 'app' })]) {
    const event = eventIn(read)
    assert.equal(event.raw, text)
    assert.equal(show(event.time), '2026-01-02T03:04:05.000000000')
    assert.equal(event.fields.get('host'), 'h1')
    assert.equal(event.fields.has('status'), false)
    assert.equal(event.fields.has('nested.a'), false)
  }
  assert.equal(eventIn(light.fromLine(text, { ...DEFAULTS, source: 'app' })).fields.get('_source'), 'app')
  const beside = eventIn(light.fromFields({ status: 500 }, 'a line', DEFAULTS))
  assert.equal(beside.fields.get('status'), 500)
  assert.equal(problemOf(light.fromJson('{', DEFAULTS)), 'invalid_json')
})
