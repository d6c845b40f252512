/**
 * Text and JSON on their way in become events: nested objects flattened to dotted names, the event time found, `_raw` kept exactly.
 * Shared by every ingest route, the command line and pipe mode, so that an event means the same however it came.
 */
import type { IncomingEvent } from '../index.ts'
import type { DateTime, Value } from '../value.ts'
import { flattenInto } from './flatten.ts'
import { parseExactJson, parseJson } from './json.ts'
import { KnownLines } from './known-lines.ts'
import { findTime, parseTime } from './timestamp.ts'

export interface EventDefaults {
  readonly index: string
  readonly source: string | null
  readonly sourcetype: string | null
  readonly host: string | null
  readonly receivedAt: DateTime
  /** Names looked for, in order, for the event's time. */
  readonly timestampFields: readonly string[]
}

/** `_timestamp timestamp @timestamp time ts datetime`: the specification's list for native routes. */
export const TIMESTAMP_FIELDS: readonly string[] = ['_timestamp', 'timestamp', '@timestamp', 'time', 'ts', 'datetime']
/** The bulk route's list. */
export const BULK_TIMESTAMP_FIELDS: readonly string[] = ['@timestamp', 'timestamp', 'time', 'ts', 'datetime']

export type ReadResult =
  | { readonly event: IncomingEvent }
  | { readonly problem: { readonly code: string; readonly message: string } }

export type EventReader = {
  /** One JSON document as sent; `_raw` is its text. A document that is not an object is a problem. */
  fromJson(text: string, defaults: EventDefaults): ReadResult
  /** One line of any text: JSON when it parses as an object (`full` mode), otherwise just `_raw` with a time found at its start if any. */
  fromLine(line: string, defaults: EventDefaults): ReadResult
  /** Fields that are already an object (OTLP, HEC, native `fields`), with the text that stands as `_raw`. */
  fromFields(fields: Readonly<Record<string, unknown>>, raw: string | null, defaults: EventDefaults): ReadResult
  /** Of a document whose text stays as `_raw`: the members that become fields. All of them, unless the reader is a light one. */
  extract(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/** `lightweight`: of JSON only labels and the time become fields; the rest stays in `_raw`, for queries to parse. */
export type ReadMode = 'full' | 'lightweight'

const LABELS: readonly string[] = ['host', 'level', 'source', '_source', '_sourcetype', '_raw', '_time']

const TOO_DEEP = 'the event is nested too deeply'

export function createEventReader(mode: ReadMode = 'full'): EventReader {
  const extract = mode === 'full' ? everything : labelsAndTime
  const known = mode === 'full' ? new KnownLines() : null
  return {
    fromJson: (text, defaults) =>
      known?.read(text, defaults) ?? noted(known, text, defaults, fromJson(text, defaults, extract)),
    fromLine: (line, defaults) =>
      known?.read(line, defaults) ?? noted(known, line, defaults, fromLine(line, defaults, extract)),
    fromFields,
    extract,
  }
}

function noted(known: KnownLines | null, text: string, defaults: EventDefaults, result: ReadResult): ReadResult {
  if (known !== null && 'event' in result) known.note(text, defaults, result.event)
  return result
}

type Extract = EventReader['extract']

function everything(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return document
}

function labelsAndTime(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const name of [...LABELS, ...TIMESTAMP_FIELDS]) if (Object.hasOwn(document, name)) kept[name] = document[name]
  return kept
}

function fromJson(text: string, defaults: EventDefaults, extract: Extract): ReadResult {
  let document: unknown
  try {
    document = parseJson(text)
  } catch (error) {
    return error instanceof RangeError ? problem('too_deep', TOO_DEEP) : problem('invalid_json', messageOf(error))
  }
  if (!isObject(document)) return problem('not_an_object', `an event is a JSON object, not ${kindOf(document)}`)
  return read(extract(document), text, text, defaults, extract)
}

function fromLine(line: string, defaults: EventDefaults, extract: Extract): ReadResult {
  if (startsWithBrace(line)) {
    try {
      const document = parseJson(line)
      if (isObject(document)) return read(extract(document), line, line, defaults, extract)
    } catch {
      // Text that merely starts with a brace is text.
    }
  }
  const fields = new Map<string, Value>()
  addDefaults(fields, defaults)
  const time = findTime(line, defaults.receivedAt) ?? defaults.receivedAt
  return { event: { index: defaults.index, time, raw: line, fields } }
}

function fromFields(
  fields: Readonly<Record<string, unknown>>,
  raw: string | null,
  defaults: EventDefaults,
): ReadResult {
  return read(fields, null, raw, defaults, everything)
}

/** `json`: the text the document was parsed from, for the digits that parsing lost; null when there is none. */
function read(
  document: Readonly<Record<string, unknown>>,
  json: string | null,
  raw: string | null,
  defaults: EventDefaults,
  extract: Extract,
): ReadResult {
  try {
    const fields = new Map<string, Value>()
    if (!flattenInto(fields, document) && json !== null) {
      const exact = parseExactJson(json)
      if (isObject(exact)) flattenInto(fields, extract(exact))
    }
    return { event: eventOf(fields, raw, defaults) }
  } catch (error) {
    // The only way to fail: nesting that no walk of a value could follow.
    if (error instanceof RangeError) return problem('too_deep', TOO_DEEP)
    throw error
  }
}

function eventOf(fields: Map<string, Value>, text: string | null, defaults: EventDefaults): IncomingEvent {
  const time = timeOf(fields, defaults) ?? defaults.receivedAt
  fields.delete('_time')
  let raw = text
  // An exported event that comes back: its own text stands, unless the sender's document is the text.
  const own = fields.get('_raw')
  if (own !== undefined) {
    if (raw === null) raw = typeof own === 'string' ? own : JSON.stringify(own, bigintAsText)
    fields.delete('_raw')
  }
  addDefaults(fields, defaults)
  return { index: defaults.index, time, raw, fields }
}

/** The first timestamp field that states a time; the field itself stays as it was sent. */
function timeOf(fields: Map<string, Value>, defaults: EventDefaults): DateTime | null {
  for (const name of defaults.timestampFields) {
    const value = fields.get(name)
    if (value === undefined) continue
    const time = parseTime(value, defaults.receivedAt)
    if (time !== null) return time
  }
  // An exported event that comes back without any other time.
  return parseTime(fields.get('_time'), defaults.receivedAt)
}

function addDefaults(fields: Map<string, Value>, defaults: EventDefaults): void {
  if (!fields.has('_source')) {
    // `source` is how queries spell `_source`, so an event that names its own source must be found by it.
    const source = defaults.source ?? fields.get('source')
    if (typeof source === 'string') fields.set('_source', source)
  }
  if (defaults.sourcetype !== null && !fields.has('_sourcetype')) fields.set('_sourcetype', defaults.sourcetype)
  if (defaults.host !== null && !fields.has('host')) fields.set('host', defaults.host)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function problem(code: string, message: string): ReadResult {
  return { problem: { code, message } }
}

function startsWithBrace(line: string): boolean {
  let at = 0
  while (line.charCodeAt(at) === 32 || line.charCodeAt(at) === 9) at++
  return line.charCodeAt(at) === 123
}
