/** What a row of the route table says about a route; `app.ts` serves exactly that. */
import type { Static, TObject } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
/** What a caller's key must allow; `open` routes need none. */
export type Scope = 'open' | 'query' | 'ingest' | 'admin'

export interface Call<Query, Body> {
  readonly context: ServerContext
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly params: Readonly<Record<string, string>>
  /** Validated and coerced by the route's `query` schema; as it came when there is none. */
  readonly query: Query
  /** Validated by the route's `body` schema; a route without one reads `bytes`. */
  readonly body: Body
  readonly bytes: Buffer
}

export interface Route {
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly query: TObject | null
  readonly body: TObject | null
  /** Which limit holds for the body. */
  readonly limit: 'none' | 'json' | 'ingest'
  /** `elastic`: headers and errors as clients of the bulk protocol expect them. */
  readonly dialect: 'native' | 'elastic'
  readonly handle: (call: Call<never, never>) => unknown
}

interface Definition<Q, B, Query, Body> {
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly query?: Q
  readonly body?: B
  readonly limit?: Route['limit']
  readonly dialect?: Route['dialect']
  /** Text is sent as it is (set the content type); anything else as JSON. */
  handle(call: Call<Query, Body>): unknown
}

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

export function route<Q extends TObject | undefined = undefined, B extends TObject | undefined = undefined>(
  definition: Definition<Q, B, Q extends TObject ? Static<Q> : Parameters, B extends TObject ? Static<B> : undefined>,
): Route {
  const { method, path, scope, summary, query, body, limit, dialect, handle } = definition
  return {
    method,
    path,
    scope,
    summary,
    query: query ?? null,
    body: body ?? null,
    limit: limit ?? (body === undefined ? 'none' : 'json'),
    dialect: dialect ?? 'native',
    handle,
  }
}
