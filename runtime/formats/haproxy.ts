/** haproxy: `option httplog` and `option tcplog`, with the syslog header in front of them or without, and connection errors. */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, type Spans, setSpan, setUnlessDash } from './extractor.ts'
import { computed, fieldTable, integer, text } from './fields.ts'
import { setRequest } from './request.ts'
import { digitsEnd, found, wordEnd } from './scan.ts'
import { typedOf } from './values.ts'

const signed = (doc: string) => computed('int', doc, typedOf)

const table = fieldTable({
  clientip: text('address of the client'),
  clientport: integer('port of the client'),
  timestamp: text('when it was accepted, as written: `06/Feb/2009:12:14:14.655`'),
  frontend: text('that took the connection; `~` behind it: over TLS'),
  backend: text('that was chosen'),
  server: text('that was chosen; `<NOSRV>`: none'),
  time_request: signed('milliseconds waiting for the request (http); -1 where it never came, as in all that follow'),
  time_queue: signed('milliseconds in queues'),
  time_connect: signed('milliseconds connecting to the server'),
  time_response: signed('milliseconds waiting for the response (http)'),
  time_total: signed('milliseconds from accepting to closing'),
  status: signed('of the response (http); -1 where there was none'),
  bytes: signed('sent to the client'),
  request_cookie: text('captured'),
  response_cookie: text('captured'),
  termination_state: text('how the session ended; `--` is well'),
  actconn: integer('connections of the process'),
  feconn: integer('connections of the frontend'),
  beconn: integer('connections of the backend'),
  srvconn: integer('connections of the server'),
  retries: integer('of connecting'),
  srv_queue: integer('requests before it in the queue of the server'),
  backend_queue: integer('requests before it in the queue of the backend'),
  request_headers: text('captured, without the braces'),
  response_headers: text('captured, without the braces'),
  method: text('of the request'),
  request: text('path and query; the whole text where it is no request line'),
  httpversion: text('`1.1`'),
  bind: text('name or number of the listener, in a connection error'),
  message: text('what went wrong with the connection'),
})
const { at } = table

const HTTP_TIMES = [at.time_request, at.time_queue, at.time_connect, at.time_response, at.time_total]
const TCP_TIMES = [at.time_queue, at.time_connect, at.time_total]
const COUNTS = [at.actconn, at.feconn, at.beconn, at.srvconn, at.retries]
const QUEUES = [at.srv_queue, at.backend_queue]

export function createHaproxy(): Extractor {
  return table.extractor((line, spans) => {
    const start = clientStart(line)
    if (start < 0) return 'no client such as 10.0.0.1:33317 and [time]'
    const clientEnd = line.indexOf(' ', start)
    const colon = line.lastIndexOf(':', clientEnd)
    const timeEnd = line.indexOf('] ', clientEnd)
    if (timeEnd < 0) return 'the time has no closing bracket'
    setSpan(spans, at.clientip, start, colon)
    setSpan(spans, at.clientport, colon + 1, clientEnd)
    setSpan(spans, at.timestamp, clientEnd + 2, timeEnd)
    const frontendEnd = wordEnd(line, timeEnd + 2)
    const backendEnd = wordEnd(line, frontendEnd + 1)
    const slash = line.indexOf('/', frontendEnd)
    if (line.charCodeAt(frontendEnd - 1) === 58) return scanError(line, spans, timeEnd + 2, frontendEnd)
    if (slash < 0 || slash > backendEnd) return `no backend/server but ${found(line, frontendEnd + 1)}`
    setSpan(spans, at.frontend, timeEnd + 2, frontendEnd)
    setSpan(spans, at.backend, frontendEnd + 1, slash)
    setSpan(spans, at.server, slash + 1, backendEnd)
    const timesEnd = scanNumbers(line, spans, backendEnd + 1, HTTP_TIMES)
    if (timesEnd >= 0) return scanHttp(line, spans, timesEnd)
    for (const field of HTTP_TIMES) setSpan(spans, field, -1, -1)
    const shortEnd = scanNumbers(line, spans, backendEnd + 1, TCP_TIMES)
    return shortEnd < 0
      ? `no times such as 10/0/30/69/109 but ${found(line, backendEnd + 1)}`
      : scanTcp(line, spans, shortEnd)
  })
}

/** Where `10.0.0.1:33317 [` begins: at the start, or after the tag of a syslog header; -1: nowhere. */
function clientStart(line: string): number {
  if (isClient(line, 0)) return 0
  const tag = line.indexOf(']: ')
  return tag >= 0 && isClient(line, tag + 3) ? tag + 3 : -1
}

function isClient(line: string, start: number): boolean {
  const end = line.indexOf(' ', start)
  if (end < 0 || line.charCodeAt(end + 1) !== 91) return false
  const colon = line.lastIndexOf(':', end)
  return colon > start && colon + 1 < end && digitsEnd(line, colon + 1) === end
}

/** Numbers between slashes, with signs or without, up to a space or the end; where they end, or -1. */
function scanNumbers(line: string, spans: Spans, start: number, fields: readonly number[]): number {
  let next = start
  for (let i = 0; i < fields.length; i++) {
    const isPlus = line.charCodeAt(next) === 43
    const from = isPlus ? next + 1 : next
    const digits = line.charCodeAt(from) === 45 ? from + 1 : from
    const end = digitsEnd(line, digits)
    const isLast = i === fields.length - 1
    if (end === digits || (isLast ? end < line.length && line.charCodeAt(end) !== 32 : line.charCodeAt(end) !== 47))
      return -1
    setSpan(spans, fields[i]!, from, end)
    next = end + 1
  }
  return next - 1
}

/** `status bytes cookie cookie state a/f/b/s/r q/q {headers} {headers} "request"` */
function scanHttp(line: string, spans: Spans, start: number): string | null {
  const statusEnd = scanNumbers(line, spans, start + 1, [at.status])
  const bytesEnd = statusEnd < 0 ? -1 : scanNumbers(line, spans, statusEnd + 1, [at.bytes])
  if (bytesEnd < 0) return 'no status and byte count after the times'
  const cookieEnd = wordEnd(line, bytesEnd + 1)
  const cookiesEnd = wordEnd(line, cookieEnd + 1)
  const end = scanState(line, spans, cookiesEnd)
  if (end < 0) return 'no termination state and connection counts after the cookies'
  setUnlessDash(spans, at.request_cookie, line, bytesEnd + 1, cookieEnd)
  setUnlessDash(spans, at.response_cookie, line, cookieEnd + 1, cookiesEnd)
  let next = scanHeaders(line, spans, end + 1, at.request_headers)
  next = scanHeaders(line, spans, next, at.response_headers)
  if (line.charCodeAt(next) !== 34) return next >= line.length ? null : `no request in quotes but ${found(line, next)}`
  const close = line.lastIndexOf('"')
  // A request too long for the buffer loses its closing quote.
  setRequest(spans, at, line, next + 1, close > next ? close : line.length)
  return null
}

/** ` state a/f/b/s/r q/q`, from the space in front of it; where it ends, or -1. */
function scanState(line: string, spans: Spans, start: number): number {
  const stateEnd = wordEnd(line, start + 1)
  const countsEnd =
    stateEnd >= line.length || stateEnd === start + 1 ? -1 : scanNumbers(line, spans, stateEnd + 1, COUNTS)
  if (countsEnd < 0) return -1
  setSpan(spans, at.termination_state, start + 1, stateEnd)
  return scanNumbers(line, spans, countsEnd + 1, QUEUES)
}

function scanHeaders(line: string, spans: Spans, start: number, field: number): number {
  if (line.charCodeAt(start) !== 123) return start
  const close = line.indexOf('} ', start)
  if (close < 0) return start
  setSpan(spans, field, start + 1, close)
  return close + 2
}

/** `bytes state a/f/b/s/r q/q` */
function scanTcp(line: string, spans: Spans, start: number): string | null {
  const bytesEnd = scanNumbers(line, spans, start + 1, [at.bytes])
  if (bytesEnd < 0) return 'no byte count after the times'
  return scanState(line, spans, bytesEnd) < 0 ? 'no termination state and connection counts after the byte count' : null
}

/** `frontend/bind: SSL handshake failure` */
function scanError(line: string, spans: Spans, start: number, end: number): string | null {
  const slash = line.indexOf('/', start)
  const hasBind = slash >= 0 && slash < end
  setSpan(spans, at.frontend, start, hasBind ? slash : end - 1)
  if (hasBind) setSpan(spans, at.bind, slash + 1, end - 1)
  setSpan(spans, at.message, Math.min(end + 1, line.length), line.length)
  return null
}

export const haproxy: FormatDescriptor = {
  summary:
    'The log of HAProxy: `option httplog`, `option tcplog` and connection errors, with a syslog header before them or without.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse haproxy | keep clientip, frontend, server, time_total, status, method, request',
    input:
      'haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"',
    output:
      '{"clientip":"10.0.1.2","frontend":"http-in","server":"srv1","time_total":109,"status":200,"method":"GET","request":"/index.html"}',
  },
  create: createHaproxy,
}
