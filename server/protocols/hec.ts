/**
 * Splunk's HTTP event collector: concatenated JSON envelopes, or lines of text. Its clients read `code` and `text`, and do not send again
 * what was answered with 400; so a bad event costs only itself, and the answer names the first one.
 */
import type { EventDefaults, ReadResult } from '../../storage/ingest/read-event.ts'
import { parseTime } from '../../storage/ingest/timestamp.ts'
import { inSlices } from '../../storage/slices.ts'
import { DateTime } from '../../storage/value.ts'
import type { ServerContext } from '../context.ts'
import { EventWriter } from '../ingest/event-writer.ts'
import { arrayElements, type ByteSpan, isBlank, layoutOf, lines, memberSpan, values } from '../ingest/split-body.ts'
import { isMembers, labelsOf, type Members, readEnvelope, textOfEvent } from '../ingest/structured-event.ts'
import { parseRequestJson } from '../json.ts'

/** The protocol's own codes; its documentation fixes the texts. */
export const HEC_ANSWERS = {
  success: { status: 200, code: 0, text: 'Success' },
  tokenRequired: { status: 401, code: 2, text: 'Token is required' },
  invalidAuthorization: { status: 401, code: 3, text: 'Invalid authorization' },
  invalidToken: { status: 403, code: 4, text: 'Invalid token' },
  noData: { status: 400, code: 5, text: 'No data' },
  invalidFormat: { status: 400, code: 6, text: 'Invalid data format' },
  incorrectIndex: { status: 400, code: 7, text: 'Incorrect index' },
  internalError: { status: 500, code: 8, text: 'Internal server error' },
  busy: { status: 503, code: 9, text: 'Server is busy' },
  channelMissing: { status: 400, code: 10, text: 'Data channel is missing' },
  invalidChannel: { status: 400, code: 11, text: 'Invalid data channel' },
  eventRequired: { status: 400, code: 12, text: 'Event field is required' },
  eventBlank: { status: 400, code: 13, text: 'Event field cannot be blank' },
  indexedFields: { status: 400, code: 15, text: 'Error in handling indexed fields' },
  healthy: { status: 200, code: 17, text: 'HEC is healthy' },
  unhealthy: { status: 503, code: 18, text: 'HEC is unhealthy, queues are full' },
} as const

export type HecAnswer = (typeof HEC_ANSWERS)[keyof typeof HEC_ANSWERS]

export interface HecOutcome {
  readonly answer: HecAnswer
  /** Of the first event that could not be stored, from 0. */
  readonly invalidEvent: number | null
  readonly writer: EventWriter
}

type HecRead = ReadResult | { readonly refusal: HecAnswer }

/** @throws {BackpressureError} when there is no room */
export async function storeHecEvents(
  context: ServerContext,
  body: Buffer,
  defaults: EventDefaults,
): Promise<HecOutcome> {
  return store(context, body, await documentsOf(body), span => readHecEvent(context, body, span, defaults))
}

/** One event a line. @throws {BackpressureError} when there is no room */
export async function storeHecRaw(context: ServerContext, body: Buffer, defaults: EventDefaults): Promise<HecOutcome> {
  const longest = context.config.get('ingest.max_line_bytes')
  return store(context, body, lines(body), ({ start, end }) =>
    end - start > longest
      ? { refusal: HEC_ANSWERS.invalidFormat }
      : context.reader.fromLine(body.toString('utf8', start, end), defaults),
  )
}

async function store(
  context: ServerContext,
  body: Buffer,
  spans: Iterable<ByteSpan>,
  read: (span: ByteSpan) => HecRead,
): Promise<HecOutcome> {
  const writer = new EventWriter(context, 'refuse')
  let answer: HecAnswer = HEC_ANSWERS.success
  let invalidEvent: number | null = null
  let position = -1
  for (const span of spans) {
    if (writer.isDue) await writer.step()
    if (isBlank(body, span)) continue
    position++
    const result = read(span)
    if ('event' in result) writer.add(result.event, position)
    else if (invalidEvent === null) {
      answer = 'refusal' in result ? result.refusal : HEC_ANSWERS.invalidFormat
      invalidEvent = position
    }
  }
  await writer.write()
  writer.throwIfRefused()
  if (position === -1) answer = HEC_ANSWERS.noData
  return { answer, invalidEvent, writer }
}

/** Envelopes one after another, as the protocol has it; and the array that people send. */
async function documentsOf(body: Buffer): Promise<Iterable<ByteSpan>> {
  const layout = layoutOf(body)
  if (layout === 'array') return (await inSlices(arrayElements(body))) ?? values(body)
  return layout === 'lines' ? lines(body) : values(body)
}

function readHecEvent(context: ServerContext, body: Buffer, span: ByteSpan, defaults: EventDefaults): HecRead {
  const text = body.toString('utf8', span.start, span.end)
  let element: unknown
  try {
    element = parseRequestJson(text)
  } catch {
    return { refusal: HEC_ANSWERS.invalidFormat }
  }
  if (!isMembers(element)) return { refusal: HEC_ANSWERS.invalidFormat }
  const { event, fields } = element
  if (event === undefined || event === null) return { refusal: HEC_ANSWERS.eventRequired }
  if (event === '') return { refusal: HEC_ANSWERS.eventBlank }
  if (fields !== undefined && fields !== null && !isMembers(fields)) return { refusal: HEC_ANSWERS.indexedFields }
  const labels = labelsOf(element, defaults, true)
  if (typeof labels === 'string') return { refusal: HEC_ANSWERS.incorrectIndex }
  const stated = timeOf(element, body, span, defaults)
  return readEnvelope(context.reader, withLevel(withTimestamp(element, stated)), labels, stated, () =>
    textOfEvent(body, span, event),
  )
}

/** `time` is kept as `_timestamp`: as a time, or as it was sent where it is none. */
function withTimestamp(element: Members, stated: DateTime | null): Members {
  return element.time === undefined ? element : { ...element, _timestamp: stated ?? element.time }
}

/** The vendor's own libraries put the level beside the message and call it `severity`. */
function withLevel(element: Members): Members {
  const { event, fields } = element
  if (!isMembers(event) || typeof event.severity !== 'string' || event.level !== undefined) return element
  return isMembers(fields) && fields.level !== undefined ? element : { ...element, level: event.severity }
}

const LONG_FRACTION = /"time"\s*:\s*-?\d+\.\d{7}/

/** Epoch seconds by the protocol, as a number or as text; other magnitudes are recognised by their size. */
function timeOf({ time }: Members, body: Buffer, span: ByteSpan, defaults: EventDefaults): DateTime | null {
  if (typeof time === 'number') {
    // A float has no room for nanoseconds; the text that was sent has.
    if (!Number.isInteger(time) && LONG_FRACTION.test(body.toString('latin1', span.start, span.end))) {
      const written = memberSpan(body, span, 'time')
      if (written !== null) return parseTime(body.toString('latin1', written.start, written.end), defaults.receivedAt)
    }
    // Too small for the general rule, which takes them for counters; here the field is a time by definition.
    if (Math.abs(time) < SMALLEST_EPOCH) return new DateTime(Math.round(time * 1e6))
  }
  return parseTime(time, defaults.receivedAt)
}

const SMALLEST_EPOCH = 1e8
