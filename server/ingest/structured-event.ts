/**
 * One element of POST /ingest. With `event` it is an envelope: the event's text and what is known about it beside it. Without, the
 * element itself is the event and all its keys are fields.
 */
import type { EventBatch } from '../../storage/ingest/event-batch.ts'
import type { Problem } from '../../storage/ingest/line-reader.ts'
import type { EventDefaults, EventReader, ReadResult } from '../../storage/ingest/read-event.ts'
import { parseTime } from '../../storage/ingest/timestamp.ts'
import type { DateTime } from '../../storage/value.ts'
import type { ServerContext } from '../context.ts'
import { parseRequestJson } from '../json.ts'
import { indexNameProblem, isIndexName } from './defaults.ts'
import { type ByteSpan, memberSpan } from './split-body.ts'

export type Members = Readonly<Record<string, unknown>>

const ENVELOPE_MEMBER = /"(?:event|index)"|\\u/

/** Into the batch; the answer says why it is no event, or null. */
export function readStructuredEvent(
  { reader, lines }: Pick<ServerContext, 'reader' | 'lines'>,
  batch: EventBatch,
  body: Buffer,
  span: ByteSpan,
  defaults: EventDefaults,
): Problem | null {
  // Only lines without such a member are learnt, so none that looks like one of those has any.
  if (lines.structured.readKnown(batch, body, span.start, span.end, defaults)) return null
  const text = body.toString('utf8', span.start, span.end)
  // Without a member that means something to us, the element is an event like any other document.
  if (text.startsWith('{') && !ENVELOPE_MEMBER.test(text))
    return lines.structured.fromJson(batch, body, span.start, span.end, defaults)
  const read = readElement(reader, body, span, text, defaults)
  if ('problem' in read) return read.problem
  batch.addEvent(read.event)
  return null
}

function readElement(
  reader: EventReader,
  body: Buffer,
  span: ByteSpan,
  text: string,
  defaults: EventDefaults,
): ReadResult {
  let element: unknown
  try {
    element = parseRequestJson(text)
  } catch (error) {
    return problem('invalid_json', error instanceof Error ? error.message : String(error))
  }
  if (typeof element === 'string') return reader.fromLine(element, defaults)
  if (!isMembers(element)) return problem('not_an_object', 'an event is a JSON object or a string')
  const isEnvelope = element.event !== undefined && element.event !== null
  const labels = labelsOf(element, defaults, isEnvelope)
  if (typeof labels === 'string') return problem('validation_error', labels)
  if (!isEnvelope) return reader.fromFields(reader.extract(element), text, labels)
  const stated = element.time === undefined ? null : parseTime(element.time, defaults.receivedAt)
  return readEnvelope(reader, element, labels, stated, () => textOfEvent(body, span, element.event))
}

/**
 * `{event, source, sourcetype, host, index, fields, …}`; the labels have been read.
 *
 * @param stated the time beside the event; null: the event is asked for it
 * @param rawText of an event that is not text, as it was sent
 */
export function readEnvelope(
  reader: EventReader,
  element: Members,
  defaults: EventDefaults,
  stated: DateTime | null,
  rawText: () => string,
): ReadResult {
  const { event, time: _, source: _s, sourcetype: _t, host: _h, index: _i, fields: given, ...others } = element
  if (given !== undefined && given !== null && !isMembers(given))
    return problem('validation_error', '`fields` is an object of names and values')
  const fields = { ...others, ...(given as Members | null | undefined) }
  const raw = typeof event === 'string' ? event : rawText()
  const document = isMembers(event) ? reader.extract(event) : objectIn(reader, raw)
  // What stands beside the event was added by someone who knew it better.
  const all = document === null ? fields : { ...document, ...fields }
  if (stated !== null) return reader.fromFields(all, raw, { ...defaults, receivedAt: stated, timestampFields: [] })
  if (document !== null) return reader.fromFields(all, raw, defaults)
  // The time written in the text counts when no field states one.
  const line = reader.fromLine(raw, defaults)
  return reader.fromFields(all, raw, 'event' in line ? { ...defaults, receivedAt: line.event.time } : defaults)
}

/** @returns what is wrong, as text, when a label cannot be. */
export function labelsOf(element: Members, defaults: EventDefaults, isEnvelope: boolean): EventDefaults | string {
  const index = element.index
  if (index !== undefined && index !== null) {
    if (typeof index !== 'string' || !isIndexName(index)) return indexNameProblem(String(index))
  }
  return {
    ...defaults,
    index: typeof index === 'string' ? index : defaults.index,
    ...(isEnvelope && {
      source: label(element.source) ?? defaults.source,
      sourcetype: label(element.sourcetype) ?? defaults.sourcetype,
      host: label(element.host) ?? defaults.host,
    }),
  }
}

function label(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** JSON events are as common inside a text as beside it: what becomes fields of it, or null when it is none. */
export function objectIn(reader: EventReader, text: string): Members | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const document = parseRequestJson(text)
    return isMembers(document) ? reader.extract(document) : null
  } catch {
    return null
  }
}

/** The bytes that were sent, not what we would have written. */
export function textOfEvent(body: Buffer, span: ByteSpan, event: unknown): string {
  const sent = memberSpan(body, span, 'event')
  return sent === null ? JSON.stringify(event, bigintAsText) : body.toString('utf8', sent.start, sent.end)
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function problem(code: string, message: string): ReadResult {
  return { problem: { code, message } }
}
