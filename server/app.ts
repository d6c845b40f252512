/** The HTTP server as a fastify instance, made from the route table: routing, validation, ids, errors. No port is opened here. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Engine } from '../engine.ts'
import type { Caller } from './auth/authority.ts'
import { stripTokenParameter, tokenParameterOf } from './auth/token-parameter.ts'
import { readBody } from './body.ts'
import type { BodyShare } from './body-budget.ts'
import type { Config } from './config.ts'
import { createContext, forRequest, type ServerContext } from './context.ts'
import { DIALECT_HEADERS, DIALECTS, type Dialect, dialectOfPath } from './dialects.ts'
import { answerError, RequestError, shuttingDown } from './errors.ts'
import { parseRequestJson } from './json.ts'
import { ROUTES } from './routes/index.ts'
import type { Call, Route } from './routes/route.ts'
import { refuseUnknownRoute } from './routes/unknown.ts'
import { serveWebSockets } from './tail/web-socket.ts'
import type { TlsSettings } from './tls.ts'
import { type Check, checkBody, checkParameters } from './validate.ts'

/** Room for a query of the greatest length with every character escaped, and for long lists of variables. */
const JSON_BODY_LIMIT = 16 * 1024 * 1024
const KEEP_ALIVE_MS = 72_000
/** Until the last byte of a request has come: a large batch over a slow line is fine, a connection that says nothing is not. */
const REQUEST_TIMEOUT_MS = 300_000
const HEADERS_MAX_BYTES = 64 * 1024
/** fastify refuses what does not look like this before anyone could read the body. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/
const NO_BYTES = Buffer.alloc(0)

/** Routes are checked by `validate.ts` and write their own JSON; fastify's compilers for both would be loaded all the same, a megabyte of them. */
const NO_SCHEMAS = { buildValidator: noSchema, buildSerializer: noSchema }

function noSchema(): never {
  throw new Error('a route of fastify has no schema')
}

export interface AppOptions {
  /** Where log lines go; stderr unless told otherwise. */
  readonly log?: { write(line: string): void }
  /** What is served; the route table unless a listener serves less. */
  readonly routes?: readonly Route[]
  /** null: plain HTTP. */
  readonly tls?: TlsSettings | null
}

export function createApp(engine: Engine, config: Config, options: AppOptions = {}): FastifyInstance {
  return serveContext(createContext(engine, config), options)
}

/** The same over a context that others (listeners) share. */
export function serveContext(context: ServerContext, options: AppOptions = {}): FastifyInstance {
  const { config } = context
  const { routes = ROUTES, tls = null } = options
  const level = config.get('log.level')
  const app = fastify({
    // Its type is of plain servers; nothing here asks which of the two it is.
    ...(tls !== null && ({ https: tls } as object)),
    logger: level === 'silent' ? false : { level, stream: options.log ?? process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    rewriteUrl: stripTokenParameter,
    // The stopping server answers in the envelope itself.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: HEADERS_MAX_BYTES, headersTimeout: 60_000 },
    schemaController: { compilersFactory: NO_SCHEMAS },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, 'native'),
  })
  const shares = new WeakMap<FastifyRequest, BodyShare>()
  // Bodies are read by the route, which knows its limit; what a client calls them does not matter.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const share = context.bodies.open()
    shares.set(request, share)
    readBody(payload, request.headers, limitOf(request.routeOptions.config.limit, config), share).then(
      body => done(null, body),
      error => done(error, undefined),
    )
  })
  app.addHook('onRequest', async (request, reply) => {
    const type = request.headers['content-type']
    if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers['content-type'] = 'application/octet-stream'
    reply.header('X-Request-ID', request.id)
    reply.headers(DIALECT_HEADERS[dialectOf(request)] ?? {})
    const { raw } = reply
    // Answered, or the client is gone: either way its body is.
    const close = () => shares.get(request)?.close()
    raw.once('finish', close)
    raw.once('close', close)
    if (context.isStopping) throw shuttingDown()
    admit(context, request)
  })
  app.addHook('onResponse', async (request, reply) => report(context, request, reply))
  app.addHook('preClose', async () => {
    context.isStopping = true
    context.jobs.stop()
    for (const tail of [...context.openTails]) tail.stop()
    context.tails.stop()
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, dialectOf(request)))
  app.setNotFoundHandler(request => refuseUnknownRoute(routes, request.method, request.url))
  for (const route of routes) addRoute(app, context, route)
  context.log = app.log
  context.onConfigChanged = names => {
    if (names.includes('log.level') && level !== 'silent') app.log.level = config.get('log.level')
  }
  serveWebSockets(app.server, context)
  return app
}

/** Is the caller known, may it do this, and not too often? Before a byte of the body is read. */
function admit({ authority, metrics, rateLimit, config }: ServerContext, request: FastifyRequest): void {
  const { scope } = request.routeOptions.config
  request.stored = { events: 0 }
  try {
    request.caller =
      scope === undefined || authority === null
        ? null
        : authority.authorize(
            { authorization: request.headers.authorization, token: tokenParameterOf(request.raw) },
            scope,
          )
    if (scope !== 'open') rateLimit.take(request.caller?.keyId ?? request.ip, config.get('http.rate_limit'))
  } catch (error) {
    if (error instanceof RequestError) {
      if (error.code === 'RATE_LIMITED') metrics.count('quern_rate_limited_total')
      else metrics.count('quern_auth_failures_total', 1, { code: error.code })
    }
    throw error
  }
}

/** One line a request, and its counters. The address is logged without its query: what people search for is theirs. */
function report({ metrics, shippers }: ServerContext, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? 'none'
  const { statusCode: status, elapsedTime } = reply
  metrics.count('quern_http_requests_total', 1, { method: request.method, route, status })
  metrics.observe('quern_http_request_seconds', elapsedTime / 1000, { route })
  if (Buffer.isBuffer(request.body)) metrics.count('quern_http_request_bytes_total', request.body.length, { route })
  if (request.routeOptions.config.scope === 'ingest' && status < 500 && request.stored !== undefined) {
    const { events } = request.stored
    if (events > 0) metrics.count('quern_ingest_events_total', events, { route })
    if (![401, 403, 429].includes(status)) shippers.seen(request.ip, request.headers['user-agent'], route, events)
  }
  request.log.info(
    {
      method: request.method,
      path: pathOf(request.url),
      route,
      status,
      took_ms: Math.round(elapsedTime * 1000) / 1000,
      remote: request.ip,
      ...(request.caller && { key: request.caller.keyId }),
    },
    'request',
  )
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key it was; null without authentication and on open routes. */
    caller: Caller | null
    /** Events the request has stored. */
    stored: { events: number }
  }
  interface FastifyContextConfig {
    limit?: Route['limit']
    dialect?: Route['dialect']
    scope?: Route['scope']
  }
}

function addRoute(app: FastifyInstance, context: ServerContext, route: Route): void {
  const checkQuery = route.query === null ? null : checkParameters(route.query)
  const check = route.body === null ? null : checkBody(route.body)
  app.route({
    method: route.method,
    url: route.path,
    config: { limit: route.limit, dialect: route.dialect, scope: route.scope },
    handler: async (request, reply) => {
      checkQuery?.(request.query)
      const bytes = Buffer.isBuffer(request.body) ? request.body : NO_BYTES
      const body = check === null ? undefined : parseBody(bytes, check)
      const own = route.scope === 'ingest' ? forRequest(context, request.stored) : context
      const call = { context: own, request, reply, params: request.params, query: request.query, body, bytes }
      // The checks above made `query` and `body` what the route's schemas say.
      const answer = await route.handle(call as Call<never, never>)
      if (
        typeof answer === 'object' &&
        answer !== null &&
        !reply.sent &&
        !('pipe' in answer) &&
        !Buffer.isBuffer(answer)
      )
        reply.type('application/json; charset=utf-8')
      return answer
    },
  })
}

function parseBody(bytes: Buffer, check: Check): unknown {
  let body: unknown
  try {
    body = parseRequestJson(bytes.toString('utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new RequestError('INVALID_JSON', bytes.length === 0 ? 'the body is empty' : `the body is not JSON: ${reason}`)
  }
  check(body)
  return body
}

function dialectOf({ routeOptions, url }: FastifyRequest): Dialect {
  return routeOptions.config.dialect ?? dialectOfPath(url)
}

function limitOf(limit: Route['limit'] | undefined, config: Config): number {
  return limit === 'ingest' ? config.get('ingest.max_body_size') : JSON_BODY_LIMIT
}

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: Route['dialect'],
): FastifyReply {
  const answer = answerError(error, request.id)
  if (answer.isUnexpected) request.log.error({ err: error, path: pathOf(request.url) }, 'request failed')
  const { status, type, body } = DIALECTS[dialect](answer, request)
  reply.code(status).type(type).header('X-Request-ID', request.id).headers(answer.headers)
  return reply.send(body)
}

/** What is not even HTTP, or more headers than anyone sends: there is no request to answer to, only a connection. */
function answerMalformed(error: Error & { readonly code: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = MALFORMED.get(error.code) ?? ['400 Bad Request', 'this is not an HTTP request']
  const body = JSON.stringify({ error: { code: 'INVALID_REQUEST', message } })
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8`
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const MALFORMED: ReadonlyMap<string, readonly [status: string, message: string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    [
      '431 Request Header Fields Too Large',
      `address and headers are larger than ${HEADERS_MAX_BYTES} bytes; POST the query`,
    ],
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'the request did not arrive in time']],
])

const PROCESS_ID = randomBytes(6).toString('hex')
let requestCount = 0

/** The client's own id when it is fit for a header and a log line; otherwise one of ours, unique across restarts. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && /^[\w.:/+=-]{1,128}$/.test(given)) return given
  requestCount++
  return `req_${PROCESS_ID}${requestCount.toString(16).padStart(6, '0')}`
}
