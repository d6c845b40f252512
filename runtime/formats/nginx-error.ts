/** nginx_error: `2026/06/01 10:00:00 [error] 12#0: *5 message, client: …, server: …, request: "…"`. */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, type Spans, setSpan } from './extractor.ts'
import { fieldTable, integer, text } from './fields.ts'
import { setRequest } from './request.ts'
import { digitsEnd, hasLayout } from './scan.ts'

const table = fieldTable({
  timestamp: text('as written: `2026/06/01 10:00:00`'),
  level: text('debug info notice warn error crit alert emerg'),
  pid: integer('of the worker'),
  tid: integer('thread'),
  connection: integer('number of the connection'),
  message: text('up to the client'),
  clientip: text('address of the client'),
  server: text('name of the virtual server'),
  method: text('of the request'),
  request: text('path and query; the whole text where it is no request line'),
  httpversion: text('`1.1`'),
  subrequest: text('path of the subrequest it was about'),
  upstream: text('address of the upstream'),
  host: text('as the client asked for it'),
  referrer: text('the page that linked here'),
})
const { at } = table

/** In the order in which nginx writes them, none of them always. */
const DETAILS: readonly (readonly [mark: string, field: number])[] = [
  [', client: ', at.clientip],
  [', server: ', at.server],
  [', request: ', at.request],
  [', subrequest: ', at.subrequest],
  [', upstream: ', at.upstream],
  [', host: ', at.host],
  [', referrer: ', at.referrer],
]

export function createNginxError(): Extractor {
  return table.extractor((line, spans) => {
    if (!hasLayout(line, 0, '0000/00/00 00:00:00 ['))
      return 'no time such as 2026/06/01 10:00:00 and [level] at the start'
    const levelEnd = line.indexOf('] ', 21)
    if (levelEnd <= 21) return 'no level in brackets after the time'
    const pidEnd = digitsEnd(line, levelEnd + 2)
    const tidEnd = digitsEnd(line, pidEnd + 1)
    if (pidEnd === levelEnd + 2 || line[pidEnd] !== '#' || tidEnd === pidEnd + 1 || line[tidEnd] !== ':') {
      return 'no process and thread such as 12#0: after the level'
    }
    setSpan(spans, at.timestamp, 0, 19)
    setSpan(spans, at.level, 21, levelEnd)
    setSpan(spans, at.pid, levelEnd + 2, pidEnd)
    setSpan(spans, at.tid, pidEnd + 1, tidEnd)
    let start = line[tidEnd + 1] === ' ' ? tidEnd + 2 : tidEnd + 1
    if (line[start] === '*') {
      const end = digitsEnd(line, start + 1)
      if (end > start + 1 && line[end] === ' ') {
        setSpan(spans, at.connection, start + 1, end)
        start = end + 1
      }
    }
    let field = at.message
    let valueStart = start
    let detail = 0
    for (let comma = line.indexOf(', ', start); comma >= 0; comma = line.indexOf(', ', comma + 1)) {
      const next = detailAt(line, comma, detail)
      if (next < 0) continue
      setDetail(spans, line, field, valueStart, comma)
      field = DETAILS[next]![1]
      valueStart = comma + DETAILS[next]![0].length
      detail = next + 1
    }
    setDetail(spans, line, field, valueStart, line.length)
    return null
  })
}

function setDetail(spans: Spans, line: string, field: number, start: number, end: number): void {
  const isQuoted = end - start > 1 && line[start] === '"' && line[end - 1] === '"' && field !== at.message
  const from = isQuoted ? start + 1 : start
  const to = isQuoted ? end - 1 : end
  if (field === at.request) setRequest(spans, at, line, from, to)
  else setSpan(spans, field, from, to)
}

/** Which detail begins here, not before the one that is due; -1: none. */
function detailAt(line: string, comma: number, due: number): number {
  for (let i = due; i < DETAILS.length; i++) if (line.startsWith(DETAILS[i]![0], comma)) return i
  return -1
}

export const nginxError: FormatDescriptor = {
  summary: 'The error log of nginx.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse nginx_error | keep level, connection, message, clientip, request, upstream',
    input:
      '2026/06/01 10:00:00 [error] 1234#0: *5678 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.1, server: example.com, request: "GET /api HTTP/1.1", upstream: "http://127.0.0.1:8080/api", host: "example.com"',
    output:
      '{"level":"error","connection":5678,"message":"connect() failed (111: Connection refused) while connecting to upstream","clientip":"10.0.0.1","request":"/api","upstream":"http://127.0.0.1:8080/api"}',
  },
  create: createNginxError,
}
