/**
 * Loki's push: streams of lines under labels, in JSON or in protobuf (snappy). Labels and structured metadata become fields; the line is
 * the event's text.
 */
import type { Reader } from 'protobufjs/minimal.js'
import type { EventDefaults, EventReader, ReadResult } from '../../storage/ingest/read-event.ts'
import { DateTime } from '../../storage/value.ts'
import { DEFAULT_INDEX } from '../ingest/defaults.ts'
import { isMembers, objectIn } from '../ingest/structured-event.ts'
import { parseRequestJson } from '../json.ts'
import { attributesOf, timeOfNanos } from './otlp/model.ts'
import { protobuf } from './protobuf.ts'

type Labels = Readonly<Record<string, unknown>>

interface LokiEntry {
  /** null: it is none; the entry is refused. */
  readonly time: DateTime | null
  readonly line: string
  readonly metadata: Labels
}

export interface LokiStream {
  readonly labels: Labels
  readonly entries: readonly LokiEntry[]
}

/** The body as a whole is no push. */
export class LokiError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LokiError'
  }
}

/** Labels that say where an entry comes from, best first: what agents set without being told comes first. */
const SOURCE_LABELS = ['service_name', 'service', 'job', 'app', 'container']
const HOST_LABELS = ['host', 'hostname', 'instance', 'node_name']
const LEVEL_LABELS = ['level', 'detected_level', 'severity']

/** Reads the entries of one stream. */
export function streamReader(
  reader: EventReader,
  { labels }: LokiStream,
  receivedAt: DateTime,
): (entry: LokiEntry) => ReadResult {
  const host = firstOf(labels, HOST_LABELS)
  const shared = { ...labels, ...(host !== null && { host }) }
  const defaults: EventDefaults = {
    index: DEFAULT_INDEX,
    source: firstOf(labels, SOURCE_LABELS),
    sourcetype: null,
    host,
    receivedAt,
    timestampFields: [],
  }
  return ({ time, line, metadata }) => {
    if (time === null) return { problem: { code: 'invalid_time', message: 'a timestamp is not in nanoseconds' } }
    const fields: Record<string, unknown> = { ...objectIn(reader, line), ...shared, ...metadata }
    const level = firstOf(fields, LEVEL_LABELS)
    if (level !== null) fields.level = level
    delete fields._time
    return reader.fromFields(fields, line, { ...defaults, receivedAt: time })
  }
}

/** `{"streams":[{"stream":{labels},"values":[["<ns>","line",{metadata}]]}]}` @throws {LokiError} */
export function readLokiJson(body: Buffer): LokiStream[] {
  let document: unknown
  try {
    document = parseRequestJson(body.toString('utf8'))
  } catch (error) {
    throw new LokiError(`the body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  const streams = isMembers(document) ? document.streams : undefined
  if (!Array.isArray(streams)) throw new LokiError('the body is not an object with streams')
  return streams.map(stream => {
    if (!isMembers(stream)) return { labels: {}, entries: [NO_ENTRY] }
    // The first version of the interface wrote labels as text and entries as objects.
    const labels = isMembers(stream.stream) ? stream.stream : parseLabels(String(stream.labels ?? '{}'))
    const entries = [...listOf(stream.values).map(readPair), ...listOf(stream.entries).map(readObject)]
    return { labels, entries }
  })
}

const NO_ENTRY: LokiEntry = { time: null, line: '', metadata: {} }

function readPair(pair: unknown): LokiEntry {
  if (!Array.isArray(pair) || typeof pair[1] !== 'string') return NO_ENTRY
  const [time, line, metadata] = pair
  return { time: timeOfDigits(time), line, metadata: isMembers(metadata) ? metadata : {} }
}

function readObject(entry: unknown): LokiEntry {
  if (!isMembers(entry) || typeof entry.line !== 'string') return NO_ENTRY
  const millis = Date.parse(String(entry.ts))
  const time = Number.isNaN(millis) ? timeOfDigits(entry.ts) : new DateTime(millis * 1000)
  return { time, line: entry.line, metadata: {} }
}

function timeOfDigits(given: unknown): DateTime | null {
  const text = typeof given === 'bigint' || typeof given === 'number' ? String(given) : given
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? timeOfNanos(BigInt(text)) : null
}

/** `PushRequest`, the snappy around it undone. @throws {LokiError} */
export function readLokiProtobuf(body: Buffer): LokiStream[] {
  try {
    const streams: LokiStream[] = []
    eachMessage(body, (field, reader) => {
      if (field === 1) streams.push(readStream(reader.bytes()))
      return field === 1
    })
    return streams
  } catch (error) {
    if (error instanceof LokiError) throw error
    throw new LokiError(`the body is not the message: ${error instanceof Error ? error.message : error}`)
  }
}

function readStream(bytes: Uint8Array): LokiStream {
  let labels: Labels = {}
  const entries: LokiEntry[] = []
  eachMessage(bytes, (field, reader) => {
    if (field === 1) labels = parseLabels(reader.string())
    else if (field === 2) entries.push(readEntry(reader.bytes()))
    return field === 1 || field === 2
  })
  return { labels, entries }
}

function readEntry(bytes: Uint8Array): LokiEntry {
  let time: DateTime | null = null
  let line = ''
  const metadata: [string, unknown][] = []
  eachMessage(bytes, (field, reader) => {
    if (field === 1) time = readTimestamp(reader.bytes())
    else if (field === 2) line = reader.string()
    else if (field === 3) metadata.push(readLabelPair(reader.bytes()))
    return field <= 3
  })
  return { time, line, metadata: attributesOf(metadata) }
}

function readTimestamp(bytes: Uint8Array): DateTime {
  let seconds = 0
  let nanos = 0
  eachMessage(bytes, (field, reader) => {
    if (field === 1) seconds = Number(reader.int64())
    else if (field === 2) nanos = reader.int32()
    return field <= 2
  })
  return new DateTime(seconds * 1e6 + Math.floor(nanos / 1000), nanos % 1000)
}

function readLabelPair(bytes: Uint8Array): [string, unknown] {
  let name = ''
  let value = ''
  eachMessage(bytes, (field, reader) => {
    if (field === 1) name = reader.string()
    else if (field === 2) value = reader.string()
    return field <= 2
  })
  return [name, value]
}

/** `read` answers whether it took the field; others are skipped. */
function eachMessage(bytes: Uint8Array, read: (field: number, reader: Reader) => boolean): void {
  const reader = protobuf().Reader.create(bytes)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag >>> 3 === 0) throw new LokiError('a field has the number 0')
    if (!read(tag >>> 3, reader)) reader.skipType(tag & 7)
  }
}

const LABEL = /\s*([A-Za-z_][\w.:/-]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y

/** `{job="web", host="a"}` @throws {LokiError} */
export function parseLabels(text: string): Labels {
  const inner = text.trim().replace(/^\{([\s\S]*)\}$/, '$1')
  const labels: [string, unknown][] = []
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inner.length) {
    const at = LABEL.lastIndex
    const match = LABEL.exec(inner)
    if (match === null) {
      if (inner.slice(at).trim() === '') break
      throw new LokiError(`these are not labels: ${text.slice(0, 100)}`)
    }
    labels.push([match[1]!, unquote(match[2]!)])
  }
  return attributesOf(labels)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function unquote(text: string): string {
  return text.replace(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped)
}

function firstOf(labels: Labels, names: readonly string[]): string | null {
  for (const name of names) {
    const value = labels[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

function listOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : []
}
