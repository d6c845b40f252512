/**
 * How an error looks to the clients of each protocol. What went wrong is decided in `errors.ts`, once; here it is only spelled.
 */
import type { FastifyRequest } from 'fastify'
import type { ErrorAnswer } from './errors.ts'
import { elasticErrorBody } from './errors.ts'
import { splunkError } from './protocols/hec-errors.ts'
import { otlpError } from './protocols/otlp/status.ts'

export interface SpelledError {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
}

const JSON_TYPE = 'application/json; charset=utf-8'

export const DIALECTS = {
  /** The interface's own envelope. */
  native: (answer: ErrorAnswer): SpelledError => json(answer.status, { error: answer.error }),
  /** Clients of the bulk protocol. */
  elastic: (answer: ErrorAnswer): SpelledError => json(answer.status, elasticErrorBody(answer)),
  splunk(answer: ErrorAnswer, request: FastifyRequest): SpelledError {
    const { status, body } = splunkError(answer, request.headers.authorization, request.url)
    return json(status, body)
  },
  /** On the main port, which speaks JSON only. */
  otlp: (answer: ErrorAnswer): SpelledError => ({ status: answer.status, ...otlpError(answer, undefined) }),
  /** At OTLP's own address: in the encoding that was sent. */
  otlpListener: (answer: ErrorAnswer, request: FastifyRequest): SpelledError => ({
    status: answer.status,
    ...otlpError(answer, request.headers['content-type']),
  }),
  /** As native, but that a stage which cannot be tailed is told as a plain string. */
  tail: (answer: ErrorAnswer): SpelledError =>
    json(answer.status, { error: answer.status === 422 ? answer.error.message : answer.error }),
  /** Loki's clients log the text as it is. */
  loki: (answer: ErrorAnswer): SpelledError => ({
    status: answer.status,
    type: 'text/plain; charset=utf-8',
    body: `${answer.error.code}: ${answer.error.message}\n`,
  }),
} as const satisfies Record<string, (answer: ErrorAnswer, request: FastifyRequest) => SpelledError>

export type Dialect = keyof typeof DIALECTS

/** Of a request that no route serves: clients of the bulk protocol do not even read an answer without its header. */
export function dialectOfPath(path: string): Dialect {
  return /^\/_|^\/[^/]+\/_|^\/api\/v1\/es\//.test(path) ? 'elastic' : 'native'
}

/** Headers that every answer of the dialect carries. */
export const DIALECT_HEADERS: Partial<Record<Dialect, Readonly<Record<string, string>>>> = {
  elastic: { 'X-Elastic-Product': 'Elasticsearch' },
}

function json(status: number, body: unknown): SpelledError {
  return { status, type: JSON_TYPE, body: JSON.stringify(body) }
}
