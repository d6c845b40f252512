/** Errors as senders of OTLP read them: a `google.rpc.Status`, in the encoding the request had. */
import type { ErrorAnswer } from '../../errors.ts'
import { writeStatus } from './protobuf.ts'

/** gRPC's numbers for what HTTP's say; what is not listed is the sender's fault below 500 and ours above. */
const GRPC_CODES: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [404, 12],
  [405, 12],
  [413, 8],
  [415, 3],
  [429, 8],
  [503, 14],
])

export function grpcCodeOf({ status }: ErrorAnswer): number {
  return GRPC_CODES.get(status) ?? (status < 500 ? 3 : 13)
}

/** The interface's envelope stands beside the status in JSON, for people and for its own clients. */
export function otlpError(
  answer: ErrorAnswer,
  contentType: string | undefined,
): { readonly type: string; readonly body: string | Buffer } {
  const code = grpcCodeOf(answer)
  const { message } = answer.error
  if (isProtobuf(contentType)) return { type: PROTOBUF_TYPE, body: writeStatus(code, message, retryAfterOf(answer)) }
  return { type: 'application/json', body: JSON.stringify({ code, message, error: answer.error }) }
}

export const PROTOBUF_TYPE = 'application/x-protobuf'

export function isProtobuf(contentType: string | undefined): boolean {
  return /^application\/(?:x-)?protobuf\b/i.test(contentType ?? '')
}

export function retryAfterOf({ headers }: ErrorAnswer): number | null {
  const seconds = Number(headers['Retry-After'])
  return seconds > 0 ? seconds : null
}
