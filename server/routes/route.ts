/** What a row of the route table says about a route; `app.ts` serves exactly that. */
import type { Static, TObject } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import type { Dialect } from '../dialects.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export const SCOPES = ['open', 'query', 'ingest', 'admin', 'root'] as const
/** What a caller's key must allow; `open` routes need none, `root` ones a root key. */
export type Scope = (typeof SCOPES)[number]

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
  /** Headers and errors as the clients of its protocol expect them. */
  readonly dialect: Dialect
  readonly answers: string | null
  readonly handle: (call: Call<never, never>) => unknown
}

/** A route that remembers in its type what it was defined with: the command line's client is typed by it. */
export interface TypedRoute<M extends Method, P extends string, Query, Body> extends Route {
  readonly method: M
  readonly path: P
  /** Never there; carries types only. */
  readonly types?: { readonly query: Query; readonly body: Body }
}

interface Definition<M, P, Q, B, Query, Body> {
  readonly method: M
  readonly path: P
  readonly scope: Scope
  readonly summary: string
  readonly query?: Q
  readonly body?: B
  readonly limit?: Route['limit']
  readonly dialect?: Route['dialect']
  /** What the answer holds, for the reference: `{jobs:[…]}`. */
  readonly answers?: string
  /** Text is sent as it is (set the content type); anything else as JSON. */
  handle(call: Call<Query, Body>): unknown
}

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>
type QueryOf<Q> = Q extends TObject ? Static<Q> : Parameters
type BodyOf<B> = B extends TObject ? Static<B> : undefined

export function route<
  const M extends Method,
  const P extends string,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(definition: Definition<M, P, Q, B, QueryOf<Q>, BodyOf<B>>): TypedRoute<M, P, QueryOf<Q>, BodyOf<B>> {
  const { method, path, scope, summary, query, body, limit, dialect, answers, handle } = definition
  return {
    method,
    path,
    scope,
    summary,
    query: query ?? null,
    body: body ?? null,
    limit: limit ?? (body === undefined ? 'none' : 'json'),
    dialect: dialect ?? 'native',
    answers: answers ?? null,
    handle,
  }
}
