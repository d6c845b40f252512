/** Syslog without sockets: messages out of streams, events out of messages. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SyslogFramer } from '../../server/protocols/syslog/framing.ts'
import { messageOf, SyslogReader } from '../../server/protocols/syslog/message.ts'
import { createEventReader } from '../../storage/ingest/read-event.ts'
import { DateTime } from '../../storage/value.ts'

const RECEIVED = new DateTime(Date.UTC(2026, 5, 15, 12) * 1000)

/** What comes out of the stream; `long` and `cut` where the sink was told so. */
function framesOf(chunks: readonly (string | Buffer)[], longest = 1000): string[] {
  const frames: string[] = []
  const framer = new SyslogFramer(longest, {
    frame: bytes => frames.push(bytes.toString('utf8')),
    tooLong: () => frames.push('long'),
    cutShort: () => frames.push('cut'),
  })
  for (const chunk of chunks) framer.push(Buffer.from(chunk))
  framer.end()
  return frames
}

describe('messages in a stream', () => {
  for (const [what, stream, expected] of [
    ['lines', '<1>a\n<1>b\n', ['<1>a', '<1>b']],
    ['a last line without an end', '<1>a\n<1>b', ['<1>a', '<1>b']],
    ['CRLF, NUL and empty lines', '<1>a\r\n\n<1>b\0<1>c\r\n', ['<1>a', '<1>b', '<1>c']],
    ['counted', '4 <1>a5 <1>bb', ['<1>a', '<1>bb']],
    ['counted, with line feeds within and between', '6 <1>a\nb\n5 <1>c\n', ['<1>a\nb', '<1>c']],
    ['one kind after the other', '4 <1>a<1>b\n4 <1>c', ['<1>a', '<1>b', '<1>c']],
    ['counted in bytes, not characters', `6 <1>é!${'4 <1>b'}`, ['<1>é!', '<1>b']],
    ['lines that begin with a number', '12 monkeys\n2026-06-01 x\n7\n', ['12 monkeys', '2026-06-01 x', '7']],
    ['a counted message cut short', '9 <1>a', ['cut', '<1>a']],
    ['nothing', '', []],
    ['a number alone', '12', ['12']],
    ['digits without end', '1234567890 <1>a\n', ['1234567890 <1>a']],
  ] as const) {
    test(`${what}, however the stream is cut`, () => {
      const bytes = Buffer.from(stream)
      assert.deepEqual(framesOf([bytes]), expected)
      assert.deepEqual(framesOf([...bytes].map(byte => Buffer.from([byte]))), expected)
    })
  }

  test('a message that is too long costs only itself', () => {
    const long = 'x'.repeat(50)
    const expected = ['<1>a', 'long', '<1>b']
    for (const stream of [`<1>a\n<1>${long}\n<1>b\n`, `4 <1>a53 <1>${long}4 <1>b`]) {
      assert.deepEqual(framesOf([stream], 20), expected)
      assert.deepEqual(framesOf([...stream], 20), expected)
    }
  })

  test('any messages in any framing come out as they went in, however the stream is cut', () => {
    const text = fc.string({ minLength: 1, maxLength: 30 }).map(each => `<13>${each.replace(/[\0\r\n]/g, '_')}`)
    const messages = fc.array(fc.tuple(text, fc.boolean()), { maxLength: 8 })
    fc.assert(
      fc.property(messages, fc.array(fc.nat(200), { maxLength: 6 }), (list, cuts) => {
        const stream = Buffer.from(
          list.map(([each, isCounted]) => (isCounted ? `${Buffer.byteLength(each)} ${each}` : `${each}\n`)).join(''),
        )
        const places = [0, ...cuts.filter(cut => cut < stream.length).sort((a, b) => a - b), stream.length]
        const chunks = places.slice(1).map((end, n) => stream.subarray(places[n], end))
        assert.deepEqual(
          framesOf(chunks),
          list.map(([each]) => each),
        )
      }),
      { numRuns: 300, seed: 3 },
    )
  })

  test('no bytes make it throw, or hold more than the longest message', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), chunks => {
        for (const frame of framesOf(
          chunks.map(chunk => Buffer.from(chunk)),
          40,
        ))
          assert.ok(frame.length <= 60)
      }),
      { numRuns: 300, seed: 4 },
    )
  })
})

function read(text: string) {
  const message = messageOf(Buffer.from(text))
  const result = new SyslogReader(createEventReader()).read(message.text, '10.0.0.9', RECEIVED)
  assert.ok('event' in result)
  const { time, raw, fields } = result.event
  return { time, raw, token: message.token, fields: Object.fromEntries(fields) as Record<string, unknown> }
}

describe('a syslog message as an event', () => {
  test('RFC 5424: time to the microsecond, labels, structured data, and the mark before the text', () => {
    const text =
      '<165>1 2003-10-11T22:14:15.003999-07:00 web-1 evntslog 42 ID47 [exampleSDID@32473 iut="3" eventID="10\\"11"][x y="z"] \ufeffAn application event'
    const { time, raw, fields } = read(text)
    assert.deepEqual(time, new DateTime(Date.UTC(2003, 9, 12, 5, 14, 15) * 1000 + 3999))
    assert.equal(raw, text)
    assert.deepEqual(fields, {
      facility: 'local4',
      severity: 'notice',
      level: 'info',
      version: 1,
      hostname: 'web-1',
      host: 'web-1',
      appname: 'evntslog',
      _source: 'evntslog',
      _sourcetype: 'syslog',
      procid: 42,
      msgid: 'ID47',
      'structured_data.exampleSDID@32473.iut': '3',
      'structured_data.exampleSDID@32473.eventID': '10"11',
      'structured_data.x.y': 'z',
      message: 'An application event',
    })
  })

  test('RFC 5424 that says nothing: the host is the peer and the time is now', () => {
    const { time, fields } = read('<14>1 - - - - - -')
    assert.equal(time, RECEIVED)
    assert.deepEqual([fields.host, fields._source, fields.level], ['10.0.0.9', 'syslog', 'info'])
  })

  test('RFC 3164: the year is the one that puts it before now', () => {
    const { time, fields } = read("<34>Oct 11 22:14:15 mymachine su[12]: 'su root' failed")
    assert.equal(time.micros, Date.UTC(2025, 9, 11, 22, 14, 15) * 1000)
    assert.deepEqual(
      [fields.host, fields._source, fields.procid, fields.message, fields.level, fields.severity, fields.facility],
      ['mymachine', 'su', 12, "'su root' failed", 'fatal', 'crit', 'auth'],
    )
  })

  test('RFC 3164 with a time of RFC 3339, as rsyslog forwards', () => {
    const { time, fields } = read('<13>2026-06-01T10:00:00.123456+02:00 web-1 app: hello')
    assert.equal(time.micros, Date.UTC(2026, 5, 1, 8) * 1000 + 123_456)
    assert.deepEqual([fields.host, fields._source, fields.message], ['web-1', 'app', 'hello'])
  })

  test('every severity has a level', () => {
    const levels = [0, 1, 2, 3, 4, 5, 6, 7].map(
      severity => read(`<${8 + severity}>Oct 11 22:14:15 h a: x`).fields.level,
    )
    assert.deepEqual(levels, ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'])
  })

  test('text that is no syslog is kept, with its time where it has one; JSON is read', () => {
    const plain = read('2026-01-02T03:04:05Z something happened')
    assert.equal(plain.raw, '2026-01-02T03:04:05Z something happened')
    assert.equal(plain.time.micros, Date.UTC(2026, 0, 2, 3, 4, 5) * 1000)
    assert.deepEqual(plain.fields, { _source: 'syslog', _sourcetype: 'syslog', host: '10.0.0.9' })
    assert.equal(read('{"a":1}').fields.a, 1)
    assert.equal(read('<13>Oct 11 22:14:15 h app: @cee: {"a":1,"_time":5}').fields.a, 1)
    assert.equal(read('<13>Oct 11 22:14:15 h app: {"a":1,"host":"other"}').fields.host, 'h')
    assert.equal(read('<999>nonsense').raw, '<999>nonsense')
  })

  test('a key in the structured data is found, and is no part of the event', () => {
    const key = '[quern@32473 token="qk_secret"]'
    for (const [data, left] of [
      [key, '-'],
      [`[a b="c"]${key}`, '[a b="c"]'],
      [`${key}[a b="c"]`, '[a b="c"]'],
      [`[a b="c"]${key}[d e="f"]`, '[a b="c"][d e="f"]'],
    ]) {
      const { token, raw, fields } = read(`<14>1 - h app - - ${data} hello`)
      assert.equal(token, 'qk_secret')
      assert.equal(raw, `<14>1 - h app - - ${left} hello`)
      assert.equal(fields.message, 'hello')
    }
    assert.equal(read(`<14>Oct 11 22:14:15 h app: ${key}`).token, null)
  })

  test('a byte order mark, a line end and a NUL around a datagram are not part of it', () => {
    assert.equal(read('\ufeff<14>Oct 11 22:14:15 h app: x\r\n\0').raw, '<14>Oct 11 22:14:15 h app: x')
  })
})
