/** Bodies of every way in: whole ones with damaged documents between good ones, and bytes that are nothing at all. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Writer } from 'protobufjs/minimal.js'
import { compress } from 'snappyjs'
import type { Random } from './random.ts'

export interface Body {
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
  /** The `id` of every good event in it, in order; null: nobody knows. */
  readonly good: readonly number[] | null
}

/** A way in: how good documents are written, and what can stand between them without taking them along. */
interface Way {
  readonly paths: readonly string[]
  readonly type: string
  body(documents: readonly Document[]): Buffer
  /** Not an event, but whole in the sense of the body's framing. */
  readonly bad: readonly string[]
  good(id: number): string
}

type Document = { readonly id: number; readonly text: string } | { readonly id: null; readonly text: string }

const MESSAGES = [
  '',
  'x',
  'größer',
  '"quoted" \\ and {[',
  '\u0000\u001f',
  '😀',
  '2026-06-01T10:00:00Z',
  '{"a":1}',
  ' '.repeat(300),
]

/** An event as JSON: with odd members, which must not matter. */
function eventOf(id: number): string {
  const odd = ['', ',"__proto__":{"a":1}', ',"a":{"b":[{"c":null}]},"":1', ',"n":1e999,"m":-0.0,"big":9007199254740993']
  const message = JSON.stringify(MESSAGES[id % MESSAGES.length])
  return `{"id":${id},"message":${message}${odd[id % odd.length]}}`
}

const BAD_JSON = ['{"id":', '7', 'null', '[1]', '"text"', '{]', 'tru', '{"id":1,}', '[}', '{"a":"\u0001"}']
const lined = (documents: readonly Document[]) => Buffer.from(documents.map(({ text }) => `${text}\n`).join(''))

const WAYS: readonly Way[] = [
  {
    paths: ['/api/v1/ingest'],
    type: 'application/x-ndjson',
    body: documents => lined([{ id: null, text: '{"first":"line"}' }, ...documents]),
    good: eventOf,
    bad: BAD_JSON.filter(text => text !== '"text"'),
  },
  {
    paths: ['/api/v1/ingest'],
    type: 'application/json',
    body: documents => Buffer.from(`[${documents.map(({ text }) => text).join(' ,\n')}]`),
    good: id => `{"event":${eventOf(id)},"source":"s"}`,
    bad: ['7', 'null', '[1]', 'tru', '{"event":1,"fields":2}', '{"event":1,"index":"../x"}'],
  },
  {
    paths: ['/_bulk', '/web/_bulk', '/api/v1/es/_bulk', '/_data_stream/d/_bulk', '/api/v1/ingest/bulk'],
    type: 'application/x-ndjson',
    body: lined,
    good: id => `{"${id % 2 === 0 ? 'index' : 'create'}":{"_id":"${id}"}}\n${id % 5 === 0 ? '\n' : ''}${eventOf(id)}`,
    bad: [
      ...BAD_JSON.map(text => `{"index":{}}\n${text}`),
      '{"delete":{"_id":"1"}}',
      '{"update":{"_id":"1"}}\n{"doc":{}}',
      'nonsense',
      '[]',
      '{"drop":{}}',
      '{"index":7}\n8',
    ],
  },
  {
    paths: ['/services/collector', '/services/collector/event', '/api/v1/ingest/hec'],
    type: 'application/x-www-form-urlencoded',
    body: documents => lined([{ id: null, text: '{"event":"first"}' }, ...documents]),
    good: id => `{"event":${eventOf(id)},"time":"${1.7e9 + id}.25"}`,
    bad: [
      '{"time":1}',
      '{"event":""}',
      '{"event":null}',
      '{"event":"x","fields":[]}',
      '{"event":"x","index":"?"}',
      '7',
      'null',
    ],
  },
  {
    paths: ['/otlp/v1/logs', '/api/v1/otlp/v1/logs', '/v1/logs'],
    type: 'application/json',
    body: documents =>
      Buffer.from(
        `{"resourceLogs":[null,{"scopeLogs":[7,{"logRecords":[${documents.map(({ text }) => text).join(',')}]}]}]}`,
      ),
    good: id =>
      `{"timeUnixNano":"${1.7e9 + id}000000001","body":{"stringValue":${JSON.stringify(MESSAGES[id % MESSAGES.length])}},"attributes":[{"key":"id","value":{"intValue":"${id}"}}]}`,
    bad: ['7', 'null', '"x"', '{"timeUnixNano":"soon"}', '{"timeUnixNano":{}}', '[]'],
  },
  {
    paths: ['/loki/api/v1/push', '/api/prom/push'],
    type: 'application/json',
    body: documents =>
      Buffer.from(
        `{"streams":[{"stream":{"job":"j"},"values":[${documents.map(({ text }) => text).join(',')}]},null]}`,
      ),
    good: id => `["${1.7e9 + id}000000001",${JSON.stringify(MESSAGES[id % MESSAGES.length])},{"id":${id}}]`,
    bad: ['7', 'null', '[]', '["x","y"]', '["1"]', '[1,2]', '{}'],
  },
]

/** Good documents with bad ones between them: exactly the good ones must be stored. */
export function mixedBody(random: Random): Body {
  const way = random.pick(WAYS)
  let next = 0
  const documents = Array.from({ length: random.int(1, 30) }, (): Document => {
    if (random.chance(0.3)) return { id: null, text: random.pick(way.bad) }
    const id = next++
    return { id, text: way.good(id) }
  })
  const good = documents.flatMap(({ id }) => (id === null ? [] : [id]))
  return { path: random.pick(way.paths), type: way.type, bytes: way.body(documents), good }
}

const WORDS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  '\n',
  '\0',
  'null',
  '-',
  '1e999',
  '9'.repeat(25),
  '\\ud800',
  '"index"',
  '"event":',
  '\ufeff',
  '<34>1 ',
  '\u001f\u008b',
]

/** A body of some way in with its bytes changed, or none that ever was one. */
export function brokenBody(random: Random): Body {
  const { path, type, bytes } = random.chance(0.2) ? binaryBody(random) : mixedBody(random)
  const at = random.chance(0.1) ? random.pick(WAYS).paths[0]! : path
  return { path: at, type, bytes: random.chance(0.05) ? deep(random) : mutated(random, bytes), good: null }
}

function binaryBody(random: Random): Pick<Body, 'path' | 'type' | 'bytes'> {
  const type = 'application/x-protobuf'
  const bytes = protobufOf(random, 6)
  if (random.chance(0.5)) return { path: '/v1/logs', type, bytes }
  return { path: '/loki/api/v1/push', type, bytes: compress(bytes) }
}

/** A message of any fields: the readers meet every wire type at every place. */
function protobufOf(random: Random, depth: number): Buffer {
  const writer = new Writer()
  for (let fields = random.int(0, 5); fields > 0; fields--) {
    const field = random.int(1, 12)
    switch (random.pick([0, 1, 2, 2, 2, 2, 5])) {
      case 0:
        writer.uint32(field << 3).uint32(random.int(0, 2 ** 31))
        break
      case 1:
        writer.uint32((field << 3) | 1).double(random.next())
        break
      case 5:
        writer.uint32((field << 3) | 5).fixed32(random.int(0, 2 ** 31))
        break
      default:
        writer
          .uint32((field << 3) | 2)
          .bytes(depth > 0 && random.chance(0.8) ? protobufOf(random, depth - 1) : Buffer.from(random.pick(MESSAGES)))
    }
  }
  return Buffer.from(writer.finish())
}

function deep(random: Random): Buffer {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"arrayValue":{"values":[', ']}}'],
  ] as const)
  const depth = random.int(1, 20_000)
  return Buffer.from(`${open.repeat(depth)}1${random.chance(0.7) ? close.repeat(depth) : ''}`)
}

export function mutated(random: Random, bytes: Buffer): Buffer {
  let body = Buffer.from(bytes)
  for (let changes = random.int(1, 5); changes > 0; changes--) {
    const at = random.int(0, Math.max(0, body.length - 1))
    const end = Math.min(body.length, at + random.int(0, 40))
    const before = body.subarray(0, at)
    switch (random.int(0, 4)) {
      case 0:
        body = Buffer.concat([before, body.subarray(end)])
        break
      case 1:
        body = Buffer.concat([body.subarray(0, end), body.subarray(at)])
        break
      case 2:
        body = Buffer.concat([before, Buffer.from(random.pick(WORDS)), body.subarray(at)])
        break
      case 3:
        if (body.length > 0) body[at] = random.int(0, 255)
        break
      default:
        body = Buffer.from(random.chance(0.3) ? before : body)
    }
  }
  return body
}

const ENCODERS: readonly (readonly [name: string, encode: (bytes: Buffer) => Buffer])[] = [
  ['identity', bytes => bytes],
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['snappy', bytes => compress(bytes)],
]

export function encoded(random: Random, bytes: Buffer): { readonly encoding: string; readonly bytes: Buffer } {
  const [encoding, encode] = random.pick(ENCODERS)
  return { encoding, bytes: encode(bytes) }
}
