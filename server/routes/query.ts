/** POST|GET /query, POST /query/stream, GET /query/explain. */
import { Readable } from 'node:stream'
import type { Static } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { QueryOptions } from '../../engine.ts'
import { rowsToArrow } from '../../runtime/interchange/arrow.ts'
import { nextTurn, Turn } from '../../storage/turns.ts'
import type { ServerContext } from '../context.ts'
import { CONTENT_TYPES, dataText, jsonValue, rowsText } from '../query/query-answer.ts'
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
import { QueryTask } from '../query/query-task.ts'
import type { CachedAnswer } from '../query/result-cache.ts'
import { rowLines } from '../query/row-lines.ts'
import { jobHandle } from './jobs.ts'
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

async function answerQuery(context: ServerContext, reply: FastifyReply, asked: QueryRequest): Promise<unknown> {
  // Ten that come at once are not compiled in one go.
  await nextTurn()
  const task = new QueryTask(context, asked)
  reply.header('X-Query-ID', task.id)
  const key = asked.waitMs === 0 ? null : cacheKey(task, asked)
  const known = key === null ? null : context.cache.get(key)
  if (known !== null) {
    task.discard()
    return sendAnswer(reply, asked, {
      text: known.text,
      meta: known.meta && { ...known.meta, took_ms: Math.round(task.tookMs()), query_id: task.id, cached: true },
    })
  }
  task.start()
  if (!(await isDoneWithin(task, asked.waitMs ?? context.config.get('query.sync_timeout'), reply))) {
    context.jobs.add(task)
    reply.code(202).header('Location', `/api/v1/query/jobs/${task.id}`)
    return jobHandle(task)
  }
  if (task.error !== null) throw task.error
  const collected = await task.collected()
  const meta = task.meta()
  if (asked.format === 'arrow') {
    reply.type(CONTENT_TYPES.arrow)
    return await rowsToArrow(collected.columns, collected.rows)
  }
  const text = await (asked.format === 'json' ? dataText(collected) : rowsText(collected, asked.format))
  const answer = { text, meta: asked.format === 'json' ? meta : null }
  if (key !== null && meta.complete) context.cache.set(key, answer)
  return sendAnswer(reply, asked, answer)
}

/** False: the client has waited long enough. Its end, meanwhile, is the end of the query. */
async function isDoneWithin(task: QueryTask, waitMs: number, reply: FastifyReply): Promise<boolean> {
  if (waitMs === 0) return false
  const leave = (): void => {
    if (!reply.raw.writableFinished) task.cancel()
  }
  reply.raw.once('close', leave)
  if (reply.raw.destroyed) leave()
  let timer: NodeJS.Timeout | undefined
  const waited = new Promise<void>(resolve => {
    // What a timer cannot count is longer than any query may run.
    timer = setTimeout(resolve, Math.min(waitMs, 2 ** 31 - 1))
  })
  await Promise.race([task.finished, waited])
  clearTimeout(timer)
  reply.raw.off('close', leave)
  return task.state !== 'running'
}

/** A profile is of one run; all else may be answered again. */
function cacheKey(task: QueryTask, { format, limit, offset, profile }: QueryRequest): string | null {
  const identity = profile === null && format !== 'arrow' ? task.run.identity : null
  return identity === null ? null : `${identity} ${format} ${limit} ${offset}`
}

/** Up to so many characters an answer is sent in one go. */
const ONE_GO = 128 * 1024

function sendAnswer(reply: FastifyReply, { format }: QueryRequest, { text, meta }: CachedAnswer): string | Readable {
  reply.type(CONTENT_TYPES[format])
  const pieces = meta === null ? text : ['{"data":', ...text, `,"meta":${JSON.stringify(meta, jsonValue)}}\n`]
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return size <= ONE_GO ? pieces.join('') : Readable.from(inTurns(pieces), { highWaterMark: 1 })
}

/** Handing a large answer to a socket that takes all of it takes long, too. */
async function* inTurns(pieces: readonly string[]): AsyncGenerator<string> {
  const turn = new Turn()
  for (const piece of pieces) {
    if (piece === '') continue
    if (turn.isOver) await turn.next()
    yield piece
  }
}

async function streamQuery(call: Call<unknown, Static<typeof STREAM_BODY>>): Promise<Readable> {
  const { context, reply, body, request } = call
  const asked = readWords(body, context.config)
  const session = await beginQuery(context, reply.raw)
  reply.header('X-Query-ID', session.id)
  try {
    await nextTurn()
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
  const session = await beginQuery(context, reply.raw)
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
