/** OTLP logs over HTTP: JSON on the main port, JSON and protobuf at the address OTLP's own senders use. */
import { RequestError } from '../errors.ts'
import { readOtlpJson } from '../protocols/otlp/json.ts'
import { OtlpError, type OtlpLogs } from '../protocols/otlp/model.ts'
import { readOtlpProtobuf, writeOtlpResponse } from '../protocols/otlp/protobuf.ts'
import { isProtobuf, PROTOBUF_TYPE } from '../protocols/otlp/status.ts'
import { type OtlpOutcome, storeOtlp } from '../protocols/otlp/store.ts'
import { type Call, type Route, route } from './route.ts'

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>
type OtlpCall = Call<Parameters, undefined>

export const OTLP_ROUTES: readonly Route[] = ['/otlp/v1/logs', '/api/v1/otlp/v1/logs'].map(path =>
  route({
    method: 'POST',
    path,
    scope: 'ingest',
    summary: 'Store OTLP logs in JSON',
    limit: 'ingest',
    dialect: 'otlp',
    async handle(call) {
      if (!isJson(call)) throw unsupportedType(call, 'application/json; the listener on port 4318 takes protobuf')
      const outcome = await storeOtlp(call.context, decode(readOtlpJson, call.bytes))
      return outcome.rejected === 0 ? call.reply.send() : partialSuccess(outcome)
    },
  }),
)

/** What the listener on 4318 serves. */
export const OTLP_LISTENER_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/logs',
    scope: 'ingest',
    summary: 'Store OTLP logs in JSON or protobuf',
    limit: 'ingest',
    dialect: 'otlpListener',
    async handle(call) {
      const isBinary = isProtobuf(call.request.headers['content-type'])
      if (!isBinary && !isJson(call)) throw unsupportedType(call, 'application/json or application/x-protobuf')
      const outcome = await storeOtlp(call.context, decode(isBinary ? readOtlpProtobuf : readOtlpJson, call.bytes))
      if (!isBinary) return partialSuccess(outcome)
      return call.reply.type(PROTOBUF_TYPE).send(writeOtlpResponse(outcome.rejected, outcome.message))
    },
  }),
]

function partialSuccess({ rejected, message }: OtlpOutcome): unknown {
  return rejected === 0 ? {} : { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: message } }
}

function decode(read: (body: Buffer) => OtlpLogs, body: Buffer): OtlpLogs {
  try {
    return read(body)
  } catch (error) {
    if (error instanceof OtlpError) throw new RequestError('INVALID_REQUEST', error.message)
    throw error
  }
}

/** A sender that does not name the type sends the one that is written by hand. */
function isJson({ request }: OtlpCall): boolean {
  const type = request.headers['content-type']
  return type === undefined || /^application\/json\b/i.test(type)
}

function unsupportedType({ request }: OtlpCall, accepted: string): RequestError {
  const type = request.headers['content-type']
  return new RequestError('UNSUPPORTED_MEDIA_TYPE', `content type ${type} is not taken here`, { suggestion: accepted })
}
