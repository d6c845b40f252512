/**
 * The one mapping from what can go wrong to what a client is told: status, code and the error envelope.
 * Whatever is not named here is our fault: it is logged with its stack and the client gets the request id, nothing more.
 */
import { UnsupportedStageError } from '../engine.ts'
import { CompileError, diagnosticsToJson, renderDiagnostic } from '../grammar/index.ts'
import type { Position } from '../grammar/source.ts'
import { CanceledError } from '../runtime/canceled.ts'
import { DataError } from '../runtime/helpers/errors.ts'
import { QueryMemoryError } from '../runtime/memory.ts'
import { SpillReadError } from '../runtime/spill/spill-file.ts'
import { BackpressureError, ClosedError, CorruptPartError } from '../storage/errors.ts'

export const STATUS_OF_CODE = {
  INVALID_JSON: 400,
  INVALID_REQUEST: 400,
  INVALID_QUERY: 400,
  VALIDATION_ERROR: 400,
  QUERY_TOO_LARGE: 400,
  QUERY_MEMORY_EXCEEDED: 400,
  AUTH_REQUIRED: 401,
  INVALID_TOKEN: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  ALREADY_EXISTS: 409,
  LAST_ROOT_KEY: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNSUPPORTED_STAGE: 422,
  RATE_LIMITED: 429,
  TOO_MANY_QUERIES: 429,
  QUERY_CANCELED: 499,
  QUERY_ERROR: 500,
  INTERNAL_ERROR: 500,
  BACKPRESSURE: 503,
  SHUTTING_DOWN: 503,
  QUERY_TIMEOUT: 504,
} as const

export type ErrorCode = keyof typeof STATUS_OF_CODE

/** Thrown by handlers when a request cannot be served; the message is for the client. */
export class RequestError extends Error {
  readonly code: ErrorCode
  readonly suggestion: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      readonly suggestion?: string | undefined
      readonly retryAfterSeconds?: number
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.name = 'RequestError'
    this.code = code
    this.suggestion = more.suggestion
    this.retryAfterSeconds = more.retryAfterSeconds
    this.headers = more.headers ?? {}
  }
}

export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly suggestion?: string
  readonly position?: Position
  /** The whole corrected query, when every finding knows its correction. */
  readonly fix?: string
  readonly errors?: readonly unknown[]
}

export interface ErrorAnswer {
  readonly status: number
  readonly error: ErrorBody
  readonly headers: Readonly<Record<string, string>>
  /** Our fault: to be logged with its stack. */
  readonly isUnexpected: boolean
}

export function answerError(thrown: unknown, requestId: string): ErrorAnswer {
  if (thrown instanceof CompileError) return compileError(thrown)
  if (thrown instanceof UnsupportedStageError) return answer('UNSUPPORTED_STAGE', thrown.message)
  if (thrown instanceof RequestError) {
    const { suggestion, retryAfterSeconds } = thrown
    return answer(thrown.code, thrown.message, {
      ...(suggestion !== undefined && { more: { suggestion } }),
      headers: { ...thrown.headers, ...(retryAfterSeconds !== undefined && retryAfter(retryAfterSeconds)) },
    })
  }
  if (thrown instanceof BackpressureError)
    return answer('BACKPRESSURE', thrown.message, { headers: retryAfter(thrown.retryAfterSeconds) })
  if (thrown instanceof ClosedError)
    return answer('SHUTTING_DOWN', 'the server is stopping', { headers: retryAfter(STOPPING_RETRY_SECONDS) })
  if (thrown instanceof QueryMemoryError) return answer('QUERY_MEMORY_EXCEEDED', thrown.message)
  if (thrown instanceof SpillReadError) return { ...answer('QUERY_ERROR', thrown.message), isUnexpected: true }
  if (thrown instanceof DataError) return answer('QUERY_ERROR', thrown.message)
  if (thrown instanceof CanceledError) return answer('QUERY_CANCELED', thrown.message)
  if (thrown instanceof CorruptPartError) return { ...answer('QUERY_ERROR', thrown.message), isUnexpected: true }
  return frameworkError(thrown) ?? internalError(requestId)
}

const STOPPING_RETRY_SECONDS = 5

export function shuttingDown(): RequestError {
  return new RequestError('SHUTTING_DOWN', 'the server is stopping', {
    retryAfterSeconds: STOPPING_RETRY_SECONDS,
    headers: { Connection: 'close' },
  })
}

function compileError(thrown: CompileError): ErrorAnswer {
  const errors = diagnosticsToJson(thrown.source, thrown.diagnostics)
  const first = errors[0]!
  const isTooLarge = thrown.diagnostics.every(d => d.code === 'E501')
  return answer(isTooLarge ? 'QUERY_TOO_LARGE' : 'INVALID_QUERY', `${first.code}: ${first.message}`, {
    more: {
      ...suggestionOf(first),
      position: first.position,
      ...(first.fix !== undefined && { fix: first.fix }),
      errors: errors.map((error, n) => ({ ...error, frame: renderDiagnostic(thrown.source, thrown.diagnostics[n]!) })),
    },
  })
}

/** The interface's `suggestion` is the likely correction: the whole query if we have it, else what to type at the place. */
function suggestionOf(error: { readonly suggestion?: string; readonly fix?: string }): { suggestion?: string } {
  if (error.suggestion !== undefined) return { suggestion: error.suggestion }
  return error.fix === undefined ? {} : { suggestion: error.fix }
}

/** What fastify itself refuses: malformed paths, bodies cut short, media types that are not types. */
function frameworkError(thrown: unknown): ErrorAnswer | null {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return null
  const code = CODE_OF_STATUS.get(Number(thrown.statusCode))
  return code === undefined ? null : answer(code, thrown.message)
}

const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'INVALID_REQUEST'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [408, 'REQUEST_TIMEOUT'],
  [413, 'PAYLOAD_TOO_LARGE'],
  [414, 'INVALID_REQUEST'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
  [503, 'SHUTTING_DOWN'],
])

function internalError(requestId: string): ErrorAnswer {
  const message = `something went wrong on the server; its log has the details under request ${requestId}`
  return { ...answer('INTERNAL_ERROR', message), isUnexpected: true }
}

function answer(
  code: ErrorCode,
  message: string,
  extra: { readonly more?: Omit<ErrorBody, 'code' | 'message'>; readonly headers?: Record<string, string> } = {},
): ErrorAnswer {
  return {
    status: STATUS_OF_CODE[code],
    error: { code, message, ...extra.more },
    headers: extra.headers ?? {},
    isUnexpected: false,
  }
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) }
}

/** The same answer as the bulk protocol's clients read it, with our own code beside their type. */
export function elasticErrorBody(answer: ErrorAnswer): Record<string, unknown> {
  const { code, message } = answer.error
  const type = ELASTIC_TYPES.get(code) ?? (answer.status < 500 ? 'illegal_argument_exception' : 'internal_server_error')
  const cause = { type, reason: message }
  return { error: { ...cause, root_cause: [cause], code, message }, status: answer.status }
}

const ELASTIC_TYPES: ReadonlyMap<ErrorCode, string> = new Map([
  ['INVALID_JSON', 'mapper_parsing_exception'],
  ['NOT_FOUND', 'resource_not_found_exception'],
  ['METHOD_NOT_ALLOWED', 'method_not_allowed'],
  ['PAYLOAD_TOO_LARGE', 'content_too_long_exception'],
  ['BACKPRESSURE', 'es_rejected_execution_exception'],
  ['SHUTTING_DOWN', 'node_closed_exception'],
])
