/** POST|GET /query, POST /query/stream, GET /query/explain. */
import { Readable } from 'node:stream'
import type { Static } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { QueryOptions } from '../../engine.ts'
import type { ServerContext } from '../context.ts'
import { answerText, CONTENT_TYPES, jsonValue, metaOf, rowsText } from '../query/query-answer.ts'
import {
  EXPLAIN_PARAMETERS,
  QUERY_BODY,
  QUERY_PARAMETERS,
  type QueryRequest,
  readQueryRequest,
  readWords,
  STREAM_BODY,
} from '../query/query-request.ts'
import { beginQuery, type QuerySession } from '../query/query-session.ts'
import { rowLines } from '../query/row-lines.ts'
import { type Call, route } from './route.ts'

export const QUERY_ROUTES = [
  route({
    method: 'POST',
    path: '/api/v1/query',
    scope: 'query',
    summary: 'Run a query and answer with its rows',
    body: QUERY_BODY,
    handle: ({ context, reply, body }) => answerQuery(context, reply, readQueryRequest(body, context.config)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/query',
    scope: 'query',
    summary: 'Run a query and answer with its rows',
    query: QUERY_PARAMETERS,
    handle: ({ context, reply, query }) => answerQuery(context, reply, readQueryRequest(query, context.config)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/query/stream',
    scope: 'query',
    summary: 'Run a query and stream its rows as NDJSON, however many there are',
    body: STREAM_BODY,
    handle: streamQuery,
  }),
  route({
    method: 'GET',
    path: '/api/v1/query/explain',
    scope: 'query',
    summary: 'How a query would run: plan, rules, what is skipped; or what is wrong with it',
    query: EXPLAIN_PARAMETERS,
    handle: explainQuery,
  }),
]

async function answerQuery(context: ServerContext, reply: FastifyReply, asked: QueryRequest): Promise<string> {
  const session = await beginQuery(context, reply.raw, asked.waitMs)
  reply.header('X-Query-ID', session.id)
  try {
    const run = context.engine.query(asked.text, optionsOf(context, asked, session))
    const collected = await run.collect({ limit: asked.limit, offset: asked.offset })
    session.signal.throwIfAborted()
    reply.type(CONTENT_TYPES[asked.format])
    if (asked.format !== 'json') return rowsText(collected, asked.format)
    const { complete, warnings } = collected
    const outcome = { queryId: session.id, tookMs: session.tookMs(), complete, warnings }
    return answerText(collected, metaOf(run, asked, outcome))
  } catch (error) {
    throw session.reasonFor(error)
  } finally {
    session.end()
  }
}

async function streamQuery(call: Call<unknown, Static<typeof STREAM_BODY>>): Promise<Readable> {
  const { context, reply, body, request } = call
  const asked = readWords(body, context.config)
  const session = await beginQuery(context, reply.raw, null)
  reply.header('X-Query-ID', session.id)
  try {
    const run = context.engine.query(asked.text, optionsOf(context, asked, session))
    const lines = rowLines(run, asked.text, session, error => request.log.error({ err: error }, 'stream failed'))
    // Whatever goes wrong before there is a first row can still be answered with its proper status.
    const first = await lines.next()
    reply.type(CONTENT_TYPES.ndjson)
    const stream = Readable.from(continued(first, lines), { highWaterMark: 1 })
    // A client that leaves between two chunks, or before the first, leaves the query too.
    stream.once('close', () => void lines.return())
    return stream
  } catch (error) {
    session.end()
    throw session.reasonFor(error)
  }
}

async function* continued(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  if (first.done !== true) yield first.value
  yield* rest
}

async function explainQuery({ context, reply, query }: Call<Static<typeof EXPLAIN_PARAMETERS>, undefined>) {
  const { text, options } = readWords(query, context.config)
  const { analyze, passes, js } = query
  // With `analyze` or `js` the query runs, under the same rules as any other.
  const session = await beginQuery(context, reply.raw, null)
  try {
    const explanation = await context.engine.explain(text, {
      ...optionsOf(context, { options }, session),
      ...(analyze !== undefined && { analyze }),
      ...(passes !== undefined && { passes }),
      ...(js !== undefined && { js }),
    })
    reply.type(CONTENT_TYPES.json)
    return JSON.stringify({ data: explanation, meta: { took_ms: Math.round(session.tookMs()) } }, jsonValue)
  } catch (error) {
    throw session.reasonFor(error)
  } finally {
    session.end()
  }
}

function optionsOf(
  { config }: ServerContext,
  { options }: Pick<QueryRequest, 'options'>,
  { signal }: QuerySession,
): QueryOptions {
  return { ...options, signal, memoryBytes: config.get('query.memory'), diskBytes: config.get('query.disk') }
}
