/** Loki's push route, at its own path and under the prefix. */

import { receiveTime } from '../../storage/ingest/receive-time.ts'
import { DECODERS } from '../encodings/index.ts'
import { RequestError } from '../errors.ts'
import { EventWriter } from '../ingest/event-writer.ts'
import { LokiError, type LokiStream, readLokiJson, readLokiProtobuf, streamReader } from '../protocols/loki.ts'
import { type Call, type Route, route } from './route.ts'

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>
type LokiCall = Call<Parameters, undefined>

export const LOKI_ROUTES: readonly Route[] = ['/loki/api/v1/push', '/api/prom/push', '/api/v1/loki/api/v1/push'].map(
  path =>
    route({
      method: 'POST',
      path,
      scope: 'ingest',
      summary: "Store lines of Loki's push, in JSON or protobuf",
      limit: 'ingest',
      dialect: 'loki',
      handle: push,
    }),
)

async function push(call: LokiCall): Promise<unknown> {
  const { context, reply } = call
  const { config, reader } = context
  const streams = await streamsOf(call)
  const writer = new EventWriter(context, 'refuse')
  const receivedAt = receiveTime()
  let position = 0
  let failed = 0
  let problem = ''
  for (const stream of streams) {
    const read = streamReader(reader, stream, receivedAt)
    for (const entry of stream.entries) {
      if (writer.isDue) await writer.step()
      const result = read(entry)
      if ('event' in result) writer.add(result.event, position)
      else {
        failed++
        problem ||= result.problem.message
      }
      position++
    }
  }
  await writer.write()
  writer.throwIfRefused()
  if (config.get('ingest.ack') === 'published') await writer.published()
  // As Loki itself: what could be stored is, and 400 makes the sender drop the batch and say why.
  if (failed > 0)
    throw new RequestError('INVALID_REQUEST', `${failed} of ${position} entries were not stored: ${problem}`)
  return reply.code(204).send()
}

async function streamsOf(call: LokiCall): Promise<LokiStream[]> {
  const { request, bytes, context } = call
  const type = request.headers['content-type'] ?? 'application/json'
  try {
    if (/^application\/json\b/i.test(type)) return readLokiJson(bytes)
    return readLokiProtobuf(await withoutSnappy(bytes, context.config.get('ingest.max_body_size'), request.headers))
  } catch (error) {
    if (error instanceof LokiError) throw new RequestError('INVALID_REQUEST', error.message)
    throw error
  }
}

/** Loki's senders compress by their own agreement and do not name the encoding; some name it too, and then it is undone already. */
async function withoutSnappy(bytes: Buffer, limit: number, headers: LokiCall['request']['headers']): Promise<Buffer> {
  if (/snappy/.test(headers['content-encoding'] ?? '')) return bytes
  try {
    return await DECODERS.get('snappy')!(bytes, limit)
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new RequestError('PAYLOAD_TOO_LARGE', `the body is larger than ${limit} bytes`)
    throw new LokiError('the body is not snappy')
  }
}
