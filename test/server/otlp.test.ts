/** OTLP in both encodings: the mapping of the interface, everything it does not name kept, and answers as senders read them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Writer } from 'protobufjs/minimal.js'
import { serveContext } from '../../server/app.ts'
import { loadConfig } from '../../server/config.ts'
import { createContext } from '../../server/context.ts'
import { readOtlpJson } from '../../server/protocols/otlp/json.ts'
import { readOtlpProtobuf } from '../../server/protocols/otlp/protobuf.ts'
import { OTLP_LISTENER_ROUTES } from '../../server/routes/otlp.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { DateTime } from '../../storage/value.ts'
import { FakeEngine } from './fake-engine.ts'
import { serve } from './served.ts'

const fields = (event: IncomingEvent | undefined) => Object.fromEntries(event?.fields ?? [])

const REQUEST = {
  resourceLogs: [
    {
      resource: {
        attributes: [
          { key: 'service.name', value: { stringValue: 'checkout' } },
          { key: 'host.name', value: { stringValue: 'node-7' } },
          { key: 'deployment.environment', value: { stringValue: 'prod' } },
          { key: 'k8s.pod.name', value: { stringValue: 'checkout-1' } },
        ],
      },
      scopeLogs: [
        {
          scope: { name: 'my.logger', version: '1.2', attributes: [{ key: 'a', value: { intValue: '1' } }] },
          logRecords: [
            {
              timeUnixNano: '1544712660300000123',
              observedTimeUnixNano: '1544712660300000999',
              severityNumber: 10,
              severityText: 'Information',
              traceId: '5B8EFFF798038103D269B633813FC60C',
              spanId: 'EEE19B7EC3C1B174',
              flags: 1,
              eventName: 'pay',
              body: { stringValue: 'card declined' },
              attributes: [
                { key: 'string', value: { stringValue: 'x' } },
                { key: 'bool', value: { boolValue: true } },
                { key: 'int', value: { intValue: '9007199254740993' } },
                { key: 'small', value: { intValue: 5 } },
                { key: 'double', value: { doubleValue: 1.5 } },
                {
                  key: 'list',
                  value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '2' }, { boolValue: false }] } },
                },
                {
                  key: 'map',
                  value: {
                    kvlistValue: {
                      values: [
                        { key: 'k', value: { kvlistValue: { values: [{ key: 'z', value: { intValue: -3 } }] } } },
                      ],
                    },
                  },
                },
                { key: 'bytes', value: { bytesValue: 'AAH/' } },
                { key: 'nothing', value: {} },
              ],
            },
          ],
        },
      ],
    },
  ],
}

const FIELDS = {
  string: 'x',
  bool: true,
  int: 9007199254740993n,
  small: 5,
  double: 1.5,
  list: ['a', 2, false],
  'map.k.z': -3,
  bytes: 'AAH/',
  'resource.k8s.pod.name': 'checkout-1',
  'scope.name': 'my.logger',
  'scope.version': '1.2',
  'scope.a': 1,
  level: 'Information',
  _source: 'checkout',
  host: 'node-7',
  severity_number: 10,
  trace_id: '5b8efff798038103d269b633813fc60c',
  span_id: 'eee19b7ec3c1b174',
  observed_time: new DateTime(1_544_712_660_300_000, 999),
  flags: 1,
  event_name: 'pay',
}

const PATHS = ['/otlp/v1/logs', '/api/v1/otlp/v1/logs']

const record = (record: object, attributes: object[] = []) => ({
  resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords: [record] }] }],
})

describe('OTLP on the main port', () => {
  for (const path of PATHS) {
    test(`${path}: every member has its place, and success is an empty 200`, async () => {
      const { engine, post } = serve()
      const answer = await post(path, REQUEST)
      assert.deepEqual([answer.status, answer.text], [200, ''])
      const [event] = engine.events
      assert.deepEqual([event?.raw, event?.index], ['card declined', 'prod'])
      assert.deepEqual(event?.time, new DateTime(1_544_712_660_300_000, 123))
      assert.deepEqual(fields(event), FIELDS)
    })

    test(`${path}: protobuf is 415, and so is anything else that is not JSON`, async () => {
      const { engine, post } = serve()
      for (const type of ['application/x-protobuf', 'application/protobuf', 'text/plain']) {
        const answer = await post(path, Buffer.alloc(0), { 'content-type': type })
        assert.equal(answer.status, 415)
      }
      assert.equal(engine.events.length, 0)
    })
  }

  test('a number gives the level where there is no text', async () => {
    const { engine, post } = serve()
    for (const severityNumber of [1, 5, 9, 13, 17, 24, 0, 25, '17', 'SEVERITY_NUMBER_ERROR2'])
      await post('/otlp/v1/logs', record({ severityNumber, body: { stringValue: 'x' } }))
    assert.deepEqual(
      engine.events.map(event => event.fields.get('level')),
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', undefined, undefined, 'error', 'error'],
    )
  })

  test('the time is that of the record, else when it was observed, else now', async () => {
    const { engine, post } = serve()
    const before = Date.now() * 1000
    await post('/otlp/v1/logs', record({ timeUnixNano: '1544712660300000123', body: { stringValue: '{"time":1}' } }))
    await post(
      '/otlp/v1/logs',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":1544712660300000123}]}]}]}',
    )
    await post('/otlp/v1/logs', record({ timeUnixNano: '0', observedTimeUnixNano: '1544712660300000001' }))
    await post('/otlp/v1/logs', record({ attributes: [{ key: '_time', value: { stringValue: '2001-01-01' } }] }))
    const times = engine.events.map(event => event.time)
    for (const time of times.slice(0, 2)) assert.deepEqual(time, new DateTime(1_544_712_660_300_000, 123))
    assert.deepEqual(times[2], new DateTime(1_544_712_660_300_000, 1))
    assert.ok(times[3]!.micros >= before)
  })

  test('a body that is no text is its members and its JSON; text that is JSON is read too', async () => {
    const { engine, post } = serve()
    const members = { kvlistValue: { values: [{ key: 'status', value: { intValue: 500 } }] } }
    await post('/otlp/v1/logs', record({ body: members }))
    await post('/otlp/v1/logs', record({ body: { stringValue: '{"status": 404}' } }))
    await post('/otlp/v1/logs', record({ body: { intValue: '7' } }))
    await post('/otlp/v1/logs', record({}))
    assert.deepEqual(
      engine.events.map(event => [event.raw, event.fields.get('status')]),
      [
        ['{"status":500}', 500],
        ['{"status": 404}', 404],
        ['7', undefined],
        [null, undefined],
      ],
    )
  })

  test('an environment that cannot be an index stays an attribute; an attribute that has our name is moved aside', async () => {
    const { engine, post } = serve()
    const environment = [{ key: 'deployment.environment', value: { stringValue: 'prod eu/west' } }]
    const level = [{ key: 'level', value: { stringValue: 'loud' } }]
    await post('/otlp/v1/logs', record({ severityText: 'INFO', attributes: level }, environment))
    assert.equal(engine.events[0]?.index, 'main')
    assert.deepEqual(fields(engine.events[0]), {
      'resource.deployment.environment': 'prod eu/west',
      level: 'INFO',
      'attributes.level': 'loud',
    })
  })

  test('names in the case of protobuf, and ids in base64, are understood', async () => {
    const { engine, post } = serve()
    await post('/otlp/v1/logs', {
      resource_logs: [
        {
          scope_logs: [
            {
              log_records: [
                {
                  time_unix_nano: '1544712660300000123',
                  severity_number: 17,
                  body: { string_value: 'x' },
                  trace_id: 'W47/95gDgQPSabYzgT/GDA==',
                  span_id: '7uGbfsPBsXQ=',
                },
              ],
            },
          ],
        },
      ],
    })
    const { raw, time } = engine.events[0]!
    assert.deepEqual([raw, time], ['x', new DateTime(1_544_712_660_300_000, 123)])
    assert.deepEqual(fields(engine.events[0]), {
      level: 'error',
      severity_number: 17,
      trace_id: '5b8efff798038103d269b633813fc60c',
      span_id: 'eee19b7ec3c1b174',
    })
  })

  test('bad records are counted in partialSuccess; the good ones beside them are stored', async () => {
    const { engine, post } = serve()
    const logRecords = [{ body: { stringValue: 'a' } }, 7, { timeUnixNano: 'x' }, { body: { stringValue: 'b' } }]
    const answer = await post('/otlp/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }, null] })
    const { partialSuccess } = answer.json as unknown as {
      readonly partialSuccess: { readonly rejectedLogRecords: string; readonly errorMessage: string }
    }
    assert.deepEqual([answer.status, partialSuccess.rejectedLogRecords], [200, '3'])
    assert.match(partialSuccess.errorMessage, /not an object/)
    assert.deepEqual(
      engine.events.map(event => event.raw),
      ['a', 'b'],
    )
  })

  for (const [what, body] of [
    ['no JSON', '{'],
    ['an array', '[]'],
    ['resourceLogs that are no array', '{"resourceLogs":{}}'],
  ] as const) {
    test(`${what} is 400 with a status`, async () => {
      const { post } = serve()
      const answer = await post('/otlp/v1/logs', body)
      assert.equal(answer.status, 400)
      assert.deepEqual(
        [answer.json.error.code, (answer.json as unknown as { code: number }).code],
        ['INVALID_REQUEST', 3],
      )
    })
  }

  test('a full buffer is 503 with Retry-After', async () => {
    const { engine, post } = serve()
    engine.room = 0
    const answer = await post('/otlp/v1/logs', REQUEST)
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2'])
  })

  test('nothing to store is a success', async () => {
    const { post } = serve()
    assert.equal((await post('/otlp/v1/logs', {})).status, 200)
    assert.equal((await post('/otlp/v1/logs', { resourceLogs: [] })).status, 200)
  })
})

// ── protobuf ────────────────────────────────────────────────────────────────────────────────────────────────────────

const tag = (field: number, wireType: number) => (field << 3) | wireType
const message = (field: number, write: (writer: Writer) => void) => (writer: Writer) => {
  write(writer.uint32(tag(field, 2)).fork())
  writer.ldelim()
}
const text = (field: number, value: string) => (writer: Writer) => {
  writer.uint32(tag(field, 2)).string(value)
}
const all =
  (...writes: ((writer: Writer) => void)[]) =>
  (writer: Writer) => {
    for (const write of writes) write(writer)
  }
const bytesOf = (write: (writer: Writer) => void): Buffer => {
  const writer = new Writer()
  write(writer)
  return Buffer.from(writer.finish())
}
const attribute = (field: number, key: string, value: (writer: Writer) => void) =>
  message(field, all(text(1, key), message(2, value)))
const id = (field: number, hex: string) => (writer: Writer) => {
  writer.uint32(tag(field, 2)).bytes(Buffer.from(hex, 'hex'))
}
const nanos = (field: number, value: bigint) => (writer: Writer) => {
  writer
    .uint32(tag(field, 1))
    .fixed32(Number(value & 0xffffffffn))
    .fixed32(Number(value >> 32n))
}

/** The same request as `REQUEST`. */
const BINARY = bytesOf(
  message(
    1,
    all(
      // Unknown fields, and a resource after its logs: both are allowed.
      text(99, 'from a later version'),
      message(
        2,
        all(
          message(
            1,
            all(
              text(1, 'my.logger'),
              text(2, '1.2'),
              attribute(3, 'a', w => void w.uint32(tag(3, 0)).int64(1)),
            ),
          ),
          message(
            2,
            all(
              nanos(1, 1544712660300000123n),
              nanos(11, 1544712660300000999n),
              w => void w.uint32(tag(2, 0)).int32(10),
              text(3, 'Information'),
              message(5, text(1, 'card declined')),
              id(9, '5b8efff798038103d269b633813fc60c'),
              id(10, 'eee19b7ec3c1b174'),
              w => void w.uint32(tag(8, 5)).fixed32(1),
              text(12, 'pay'),
              attribute(6, 'string', text(1, 'x')),
              attribute(6, 'bool', w => void w.uint32(tag(2, 0)).bool(true)),
              attribute(6, 'int', w => void w.uint32(tag(3, 0)).int64(0)),
              attribute(6, 'small', w => void w.uint32(tag(3, 0)).int64(5)),
              attribute(6, 'double', w => void w.uint32(tag(4, 1)).double(1.5)),
              attribute(
                6,
                'list',
                message(
                  5,
                  all(
                    message(1, text(1, 'a')),
                    message(1, w => void w.uint32(tag(3, 0)).int64(2)),
                    message(1, w => void w.uint32(tag(2, 0)).bool(false)),
                  ),
                ),
              ),
              attribute(
                6,
                'map',
                message(
                  6,
                  attribute(
                    1,
                    'k',
                    message(
                      6,
                      attribute(1, 'z', w => void w.uint32(tag(3, 0)).int64(-3)),
                    ),
                  ),
                ),
              ),
              attribute(6, 'bytes', id(7, '0001ff')),
              attribute(6, 'nothing', () => {}),
            ),
          ),
        ),
      ),
      message(
        1,
        all(
          attribute(1, 'service.name', text(1, 'checkout')),
          attribute(1, 'host.name', text(1, 'node-7')),
          attribute(1, 'deployment.environment', text(1, 'prod')),
          attribute(1, 'k8s.pod.name', text(1, 'checkout-1')),
        ),
      ),
    ),
  ),
)

function serveListener(flags: Record<string, string> = {}) {
  const engine = new FakeEngine()
  const config = loadConfig({ flags: { 'log.level': 'silent', ...flags }, environment: {} })
  const app = serveContext(createContext(engine, config), { routes: OTLP_LISTENER_ROUTES })
  const post = (payload: Buffer | string, type: string) =>
    app.inject({ method: 'POST', url: '/v1/logs', payload, headers: { 'content-type': type } })
  return { engine, post }
}

describe('OTLP at its own address', () => {
  test('protobuf says the same as JSON, and success is an empty message', async () => {
    const { engine, post } = serveListener()
    const answer = await post(BINARY, 'application/x-protobuf')
    assert.deepEqual([answer.statusCode, answer.rawPayload.length], [200, 0])
    assert.equal(answer.headers['content-type'], 'application/x-protobuf')
    const [event] = engine.events
    assert.deepEqual([event?.raw, event?.index], ['card declined', 'prod'])
    assert.deepEqual(event?.time, new DateTime(1_544_712_660_300_000, 123))
    const { int: _, ...others } = FIELDS
    assert.deepEqual(fields(event), { ...others, int: 0 })
  })

  test('JSON is answered in JSON', async () => {
    const { engine, post } = serveListener()
    const answer = await post(JSON.stringify(REQUEST), 'application/json; charset=utf-8')
    assert.deepEqual([answer.statusCode, answer.json()], [200, {}])
    assert.deepEqual(fields(engine.events[0]), FIELDS)
  })

  test('integers of 64 bits keep every bit', () => {
    for (const value of [0n, -1n, 9007199254740993n, -9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      const varint = Buffer.from(varintOf(BigInt.asUintN(64, value)))
      const body = Buffer.concat([Buffer.from([tag(3, 0)]), varint])
      const request = bytesOf(
        message(
          1,
          message(
            2,
            message(2, w => void w.uint32(tag(5, 2)).bytes(body)),
          ),
        ),
      )
      const read = readOtlpProtobuf(request).groups[0]?.records[0]?.body
      assert.equal(BigInt(read as number), value)
      const json = JSON.stringify(record({ body: { intValue: String(value) } }))
      assert.equal(BigInt(readOtlpJson(Buffer.from(json)).groups[0]?.records[0]?.body as number), value)
    }
  })

  test('damage is 400 with a status in protobuf; other types are 415', async () => {
    const { engine, post } = serveListener()
    const answer = await post(BINARY.subarray(0, -5), 'application/x-protobuf')
    assert.equal(answer.statusCode, 400)
    assert.equal(answer.headers['content-type'], 'application/x-protobuf')
    assert.deepEqual([...answer.rawPayload.subarray(0, 2)], [0x08, 3])
    assert.equal((await post('x', 'text/plain')).statusCode, 415)
    assert.equal(engine.events.length, 0)
  })

  test('values nested without end are refused, in both encodings', async () => {
    // From the inside out: each level is an array of one value.
    let value: Buffer = Buffer.from([tag(1, 2), 1, 120])
    for (let depth = 0; depth < 200; depth++) {
      const inner = value
      value = bytesOf(message(5, w => void w.uint32(tag(1, 2)).bytes(inner)))
    }
    const body = value
    const request = bytesOf(
      message(
        1,
        message(
          2,
          message(2, w => void w.uint32(tag(5, 2)).bytes(body)),
        ),
      ),
    )
    const { post } = serveListener()
    assert.equal((await post(request, 'application/x-protobuf')).statusCode, 400)
    const json = `${'{"arrayValue":{"values":['.repeat(200)}{"intValue":1}${']}}'.repeat(200)}`
    const answer = await post(
      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${json}}]}]}]}`,
      'application/json',
    )
    assert.equal(answer.json().partialSuccess.rejectedLogRecords, '1')
  })

  test('backpressure names the seconds in the header', async () => {
    const { engine, post } = serveListener()
    engine.room = 0
    const answer = await post(BINARY, 'application/x-protobuf')
    assert.deepEqual([answer.statusCode, answer.headers['retry-after'], answer.rawPayload[1]], [503, '2', 14])
  })
})

function varintOf(value: bigint): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}
