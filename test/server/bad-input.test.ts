/** Bad input at every way in → status and code: one row each, so that what a client is told is decided here and nowhere else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { compress } from 'snappyjs'
import { ZSTD_BOMB } from './encodings/fixtures.ts'
import { type Served, serve } from './served.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const JSON_TYPE = { 'content-type': 'application/json' }
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const encoded = (encoding: string) => ({ ...JSON_TYPE, 'content-encoding': encoding })
const ZEROS = Buffer.alloc(5_000_000, 0x20)
const EVENT = '{"event":"x"}'

type Row = readonly [
  what: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  status: number,
  code: string | number,
]

const NATIVE: readonly Row[] = [
  ['nothing', '/api/v1/ingest', JSON_TYPE, '', 400, 'INVALID_JSON'],
  ['text', '/api/v1/ingest', JSON_TYPE, 'disk full', 400, 'INVALID_JSON'],
  ['a number', '/api/v1/ingest', JSON_TYPE, '7', 400, 'INVALID_JSON'],
  ['an array without its end', '/api/v1/ingest', JSON_TYPE, '[{"a":1}', 400, 'INVALID_JSON'],
  ['an unknown parameter', '/api/v1/ingest?wait=1', JSON_TYPE, '{"a":1}', 400, 'VALIDATION_ERROR'],
  ['an index that cannot be', '/api/v1/ingest', { ...JSON_TYPE, 'x-index': 'a/b' }, '{"a":1}', 400, 'VALIDATION_ERROR'],
  ['an index that cannot be', '/api/v1/ingest/raw', { 'x-index': '..' }, 'x', 400, 'VALIDATION_ERROR'],
  ['an encoding nobody knows', '/api/v1/ingest', encoded('lzma'), '{"a":1}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['three encodings', '/api/v1/ingest', encoded('gzip, gzip, gzip'), '{"a":1}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['no gzip', '/api/v1/ingest', encoded('gzip'), '{"a":1}', 400, 'INVALID_REQUEST'],
  ['gzip cut short', '/api/v1/ingest', encoded('gzip'), gzipSync('{"a":1}').subarray(0, 20), 400, 'INVALID_REQUEST'],
  ['no zstd', '/api/v1/ingest', encoded('zstd'), '{"a":1}', 400, 'INVALID_REQUEST'],
  ['no brotli', '/api/v1/ingest', encoded('br'), '{"a":1}', 400, 'INVALID_REQUEST'],
  ['no snappy', '/api/v1/ingest', encoded('snappy'), '{"a":1}', 400, 'INVALID_REQUEST'],
  ['too much', '/api/v1/ingest', JSON_TYPE, ZEROS, 413, 'PAYLOAD_TOO_LARGE'],
  ['a bomb in gzip', '/api/v1/ingest', encoded('gzip'), gzipSync(ZEROS), 413, 'PAYLOAD_TOO_LARGE'],
  ['a bomb in a bomb', '/api/v1/ingest', encoded('gzip, gzip'), gzipSync(gzipSync(ZEROS)), 413, 'PAYLOAD_TOO_LARGE'],
  ['a bomb in deflate', '/api/v1/ingest/raw', encoded('deflate'), deflateSync(ZEROS), 413, 'PAYLOAD_TOO_LARGE'],
  ['a bomb in brotli', '/api/v1/ingest/raw', encoded('br'), brotliCompressSync(ZEROS), 413, 'PAYLOAD_TOO_LARGE'],
  ['a bomb in zstd', '/api/v1/ingest/raw', encoded('zstd'), ZSTD_BOMB, 413, 'PAYLOAD_TOO_LARGE'],
  ['a bomb in snappy', '/api/v1/ingest/raw', encoded('snappy'), compress(ZEROS), 413, 'PAYLOAD_TOO_LARGE'],
]

const BULK: readonly Row[] = [
  ['too much', '/_bulk', NDJSON, ZEROS, 413, 'content_too_long_exception'],
  ['a bomb', '/web/_bulk', encoded('gzip'), gzipSync(ZEROS), 413, 'content_too_long_exception'],
  ['an encoding nobody knows', '/_bulk', encoded('lzma'), '', 415, 'illegal_argument_exception'],
  ['no gzip', '/_bulk', encoded('gzip'), 'x', 400, 'illegal_argument_exception'],
  ['no object', '/web/_doc', JSON_TYPE, '[1]', 400, 'mapper_parsing_exception'],
  ['nothing', '/web/_doc', JSON_TYPE, '', 400, 'mapper_parsing_exception'],
  ['an endpoint nobody has', '/_reindex', JSON_TYPE, '{}', 404, 'resource_not_found_exception'],
]

const HEC: readonly Row[] = [
  ['nothing', '/services/collector', JSON_TYPE, '', 400, 5],
  ['text', '/services/collector', JSON_TYPE, 'x', 400, 6],
  ['no event', '/services/collector', JSON_TYPE, '{"time":1}', 400, 12],
  ['a blank event', '/services/collector', JSON_TYPE, '{"event":""}', 400, 13],
  ['fields that are none', '/services/collector', JSON_TYPE, '{"event":"x","fields":7}', 400, 15],
  ['an index that cannot be', '/services/collector', JSON_TYPE, '{"event":"x","index":"a b"}', 400, 7],
  ['an index that cannot be, in the address', '/services/collector/raw?index=a/b', JSON_TYPE, 'x', 400, 6],
  ['a channel that is none', '/services/collector?channel=a%20b', JSON_TYPE, EVENT, 400, 11],
  ['no channel', '/services/collector/ack', JSON_TYPE, '{"acks":[0]}', 400, 10],
  ['no acks', '/services/collector/ack?channel=a', JSON_TYPE, '{}', 400, 6],
  ['too much', '/services/collector/raw', JSON_TYPE, ZEROS, 413, 6],
  ['a bomb', '/services/collector', encoded('gzip'), gzipSync(ZEROS), 413, 6],
  ['an encoding nobody knows', '/services/collector', encoded('lzma'), EVENT, 415, 6],
]

const OTLP: readonly Row[] = [
  ['no JSON', '/otlp/v1/logs', JSON_TYPE, 'x', 400, 3],
  ['an array', '/otlp/v1/logs', JSON_TYPE, '[]', 400, 3],
  ['resourceLogs that are none', '/otlp/v1/logs', JSON_TYPE, '{"resourceLogs":7}', 400, 3],
  ['protobuf', '/otlp/v1/logs', PROTOBUF, '', 415, 3],
  ['text', '/api/v1/otlp/v1/logs', { 'content-type': 'text/plain' }, '{}', 415, 3],
  ['too much', '/otlp/v1/logs', JSON_TYPE, ZEROS, 413, 8],
  ['a bomb', '/otlp/v1/logs', encoded('gzip'), gzipSync(ZEROS), 413, 8],
]

const LOKI: readonly Row[] = [
  ['no JSON', '/loki/api/v1/push', JSON_TYPE, 'x', 400, 'INVALID_REQUEST'],
  ['no streams', '/loki/api/v1/push', JSON_TYPE, '{}', 400, 'INVALID_REQUEST'],
  ['no snappy', '/loki/api/v1/push', PROTOBUF, 'x', 400, 'INVALID_REQUEST'],
  ['a bomb in snappy', '/loki/api/v1/push', PROTOBUF, compress(ZEROS), 413, 'PAYLOAD_TOO_LARGE'],
  [
    'a time that is none',
    '/loki/api/v1/push',
    JSON_TYPE,
    '{"streams":[{"stream":{},"values":[["x","y"]]}]}',
    400,
    'INVALID_REQUEST',
  ],
]

interface AnyBody {
  readonly code: number
  readonly error: { readonly code: string; readonly type: string }
}

/** Where each dialect says what was wrong. */
const DIALECTS: readonly (readonly [name: string, rows: readonly Row[], codeOf: (text: string) => unknown])[] = [
  ['the native routes', NATIVE, text => (JSON.parse(text) as AnyBody).error.code],
  ['the bulk protocol', BULK, text => (JSON.parse(text) as AnyBody).error.type],
  ['the event collector', HEC, text => (JSON.parse(text) as AnyBody).code],
  ['OTLP', OTLP, text => (JSON.parse(text) as AnyBody).code],
  ['Loki', LOKI, text => text.split(':', 1)[0]],
]

for (const [name, rows, codeOf] of DIALECTS) {
  describe(`bad input at ${name}`, () => {
    for (const [what, path, headers, body, status, code] of rows) {
      test(`POST ${path}: ${what} is ${status} ${code}, and nothing is stored`, async () => {
        const { engine, request } = serve({ 'ingest.max_body_size': '1mb' })
        const answer = await request({ method: 'POST', url: path, payload: body, headers })
        assert.deepEqual([answer.status, codeOf(answer.text)], [status, code], answer.text)
        assert.equal(engine.events.length, 0)
      })
    }
  })
}

describe('overload', () => {
  const full = (): Served => {
    const served = serve()
    served.engine.room = 0
    return served
  }

  for (const [path, body] of [
    ['/api/v1/ingest', '{"a":1}'],
    ['/api/v1/ingest/raw', 'x'],
    ['/web/_doc', '{"a":1}'],
    ['/services/collector', EVENT],
    ['/services/collector/raw', 'x'],
    ['/otlp/v1/logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}'],
    ['/loki/api/v1/push', '{"streams":[{"stream":{},"values":[["1","x"]]}]}'],
  ] as const) {
    test(`POST ${path} is 503 with Retry-After`, async () => {
      const answer = await full().post(path, body)
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2'], answer.text)
    })
  }

  for (const path of ['/_bulk', '/web/_bulk', '/_data_stream/web/_bulk', '/api/v1/es/_bulk', '/api/v1/ingest/bulk']) {
    test(`POST ${path} is 200, and each item is 429`, async () => {
      const answer = await full().post(path, '{"index":{}}\n{"n":1}\n{"create":{}}\n{"n":2}\n', NDJSON)
      assert.equal(answer.status, 200)
      assert.deepEqual(
        answer.json.items.map(item => Object.values(item)[0]?.status),
        [429, 429],
      )
    })
  }
})
