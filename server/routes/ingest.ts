/** POST /ingest and /ingest/raw: the native ways in. One bad event never loses the good ones around it. */
import { type Static, Type } from '@sinclair/typebox'
import { inSlices } from '../../storage/slices.ts'
import type { ServerContext } from '../context.ts'
import { RequestError } from '../errors.ts'
import { requestDefaults } from '../ingest/defaults.ts'
import { EventWriter } from '../ingest/event-writer.ts'
import { arrayElements, type ByteSpan, isBlank, layoutOf, lines, values } from '../ingest/split-body.ts'
import { readStructuredEvent } from '../ingest/structured-event.ts'
import { FailureTally } from '../ingest/tally.ts'
import { type Call, route } from './route.ts'

const PARAMETERS = Type.Object(
  { wait_for: Type.Optional(Type.Union([Type.Literal('accepted'), Type.Literal('published')])) },
  { additionalProperties: false },
)

type IngestCall = Call<Static<typeof PARAMETERS>, undefined>

export const INGEST_ROUTES = [
  route({
    method: 'POST',
    path: '/api/v1/ingest',
    scope: 'ingest',
    summary: 'Store events: a JSON array, NDJSON or JSON documents one after another',
    limit: 'ingest',
    query: PARAMETERS,
    handle: async call => ingest(call, await documentsOf(call.bytes)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/ingest/raw',
    scope: 'ingest',
    summary: 'Store text, one event per line',
    limit: 'ingest',
    query: PARAMETERS,
    handle: ingestRaw,
  }),
]

async function ingest({ context, request, query, bytes }: IngestCall, documents: Iterable<ByteSpan>): Promise<unknown> {
  const defaults = requestDefaults(request.headers)
  const { writer, tally } = begin(context)
  let index = -1
  let isJson = false
  for (const span of documents) {
    if (writer.isDue) await writer.step()
    if (isBlank(bytes, span)) continue
    index++
    const problem = readStructuredEvent(context, writer.batch, bytes, span, defaults)
    isJson ||= problem?.code !== 'invalid_json'
    if (problem !== null) tally.add({ index, code: problem.code.toUpperCase(), message: problem.message })
    else writer.took(index)
  }
  // Not one document in it was JSON: the client sent something else altogether.
  if (!isJson && tally.failed > 0) throw notJson(`the body is not JSON: ${tally.errors[0]?.message}`)
  return finish(context, query, writer, tally)
}

async function ingestRaw({ context, request, query, bytes }: IngestCall): Promise<unknown> {
  const defaults = requestDefaults(request.headers)
  const longest = context.config.get('ingest.max_line_bytes')
  const { writer, tally } = begin(context)
  let line = 0
  let index = -1
  for (const span of lines(bytes)) {
    if (writer.isDue) await writer.step()
    line++
    if (isBlank(bytes, span)) continue
    index++
    const length = span.end - span.start
    if (length > longest) {
      const message = `line ${line} is ${length} bytes long; ingest.max_line_bytes is ${longest}`
      tally.add({ index, line, code: 'LINE_TOO_LONG', message })
      continue
    }
    const problem = context.lines.raw.fromLine(writer.batch, bytes, span.start, span.end, defaults)
    if (problem !== null) tally.add({ index, line, code: problem.code.toUpperCase(), message: problem.message })
    else writer.took(index)
  }
  return finish(context, query, writer, tally)
}

/** @throws {RequestError} INVALID_JSON when the body as a whole is not what this route takes. */
async function documentsOf(body: Buffer): Promise<Iterable<ByteSpan>> {
  const layout = layoutOf(body)
  if (layout === 'lines') return lines(body)
  if (layout === 'values') return values(body)
  const elements = layout === 'array' ? await inSlices(arrayElements(body)) : null
  if (elements !== null) return elements
  const message =
    layout === 'array'
      ? 'the array of events never ends properly; nothing of it was stored'
      : 'the body is neither a JSON array of events nor NDJSON'
  throw notJson(message)
}

function notJson(message: string): RequestError {
  return new RequestError('INVALID_JSON', message, { suggestion: 'plain text goes to POST /api/v1/ingest/raw' })
}

function begin(context: ServerContext): { writer: EventWriter; tally: FailureTally } {
  return {
    writer: new EventWriter(context, 'refuse'),
    tally: new FailureTally(),
  }
}

async function finish(
  { config }: ServerContext,
  query: Static<typeof PARAMETERS>,
  writer: EventWriter,
  tally: FailureTally,
): Promise<unknown> {
  await writer.write()
  for (const { positions, reason } of writer.refused)
    for (const index of positions) tally.add({ index, code: 'BACKPRESSURE', message: reason.message })
  if ((query.wait_for ?? config.get('ingest.ack')) === 'published') await writer.published()
  const { errors, failed } = tally
  return { data: { accepted: writer.accepted, failed, ...(errors.length > 0 && { errors }) } }
}
