/** clf and combined: the access logs of Apache, nginx and most that imitate them. Names are those logstash gave them. */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, type Spans, setSpan, setUnlessDash } from './extractor.ts'
import { fieldTable, integer, text } from './fields.ts'
import { setRequest } from './request.ts'
import { digitsEnd, found, quoteEnd } from './scan.ts'

const COMMON = {
  clientip: text('address or name of the client'),
  ident: text('what identd said; hardly ever there'),
  auth: text('the user'),
  timestamp: text('as written: `17/May/2015:10:05:03 +0000`'),
  method: text('of the request'),
  request: text('path and query; the whole text where it is no request line'),
  httpversion: text('`1.1`'),
  status: integer('of the response'),
  bytes: integer('sent'),
}

const clfTable = fieldTable(COMMON)
const combinedTable = fieldTable({
  ...COMMON,
  referrer: text('the page that linked here'),
  agent: text('the browser'),
})
const { at } = combinedTable

/** Fills the common fields; the end of the byte count, or what is wrong. */
function scanCommon(line: string, spans: Spans): number | string {
  const ipEnd = line.indexOf(' ')
  if (ipEnd <= 0) return 'it does not begin with a client and a space'
  const identEnd = line.indexOf(' ', ipEnd + 1)
  const open = identEnd < 0 ? -1 : line.indexOf(' [', identEnd)
  if (open < 0) return 'no time in brackets after client, ident and user'
  const close = line.indexOf('] "', open + 2)
  if (close < 0) return 'no request in quotes after the time'
  const requestEnd = quoteEnd(line, close + 3)
  if (requestEnd < 0) return 'the request has no closing quote'
  const status = requestEnd + 2
  const statusEnd = digitsEnd(line, status)
  if (statusEnd !== status + 3 || line.charCodeAt(requestEnd + 1) !== 32 || line.charCodeAt(statusEnd) !== 32) {
    return `no status after the request but ${found(line, requestEnd + 1)}`
  }
  const bytes = statusEnd + 1
  const isNone = line.charCodeAt(bytes) === 45
  const bytesEnd = isNone ? bytes + 1 : digitsEnd(line, bytes)
  if (bytesEnd === bytes) return `no byte count after the status but ${found(line, bytes)}`
  setSpan(spans, at.clientip, 0, ipEnd)
  setUnlessDash(spans, at.ident, line, ipEnd + 1, identEnd)
  if (open > identEnd) setUnlessDash(spans, at.auth, line, identEnd + 1, open)
  setSpan(spans, at.timestamp, open + 2, close)
  setRequest(spans, at, line, close + 3, requestEnd)
  setSpan(spans, at.status, status, statusEnd)
  if (!isNone) setSpan(spans, at.bytes, bytes, bytesEnd)
  return bytesEnd
}

export function createCombined(): Extractor {
  return combinedTable.extractor((line, spans) => {
    const end = scanCommon(line, spans)
    if (typeof end === 'string') return end
    if (end === line.length) return null
    if (line.charCodeAt(end) !== 32) return `text runs into the byte count: ${found(line, end)}`
    // The common log format, or one of its many extensions: what follows is somebody's own.
    if (line.charCodeAt(end + 1) !== 34) return null
    const referrerEnd = quoteEnd(line, end + 2)
    if (referrerEnd < 0 || !line.startsWith(' "', referrerEnd + 1)) return null
    const agentEnd = quoteEnd(line, referrerEnd + 3)
    if (agentEnd < 0) return null
    setUnlessDash(spans, at.referrer, line, end + 2, referrerEnd)
    setUnlessDash(spans, at.agent, line, referrerEnd + 3, agentEnd)
    return null
  })
}

export function createClf(): Extractor {
  return clfTable.extractor((line, spans) => {
    const end = scanCommon(line, spans)
    if (typeof end === 'string') return end
    return end === line.length ? null : 'text follows the byte count; parse combined reads it'
  })
}

export const clf: FormatDescriptor = {
  summary: 'The common log format: an access log line that ends with the byte count. A `-` sets nothing.',
  options: {},
  fields: clfTable.fields,
  otherFields: null,
  example: {
    query: 'parse clf | keep clientip, auth, method, request, status, bytes',
    input: '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
    output:
      '{"clientip":"127.0.0.1","auth":"frank","method":"GET","request":"/apache_pb.gif","status":200,"bytes":2326}',
  },
  create: createClf,
}

export const combined: FormatDescriptor = {
  summary:
    'The access log of Apache and nginx: the common log format with referrer and agent, or without. A `-` sets nothing; what follows the agent is passed over.',
  options: {},
  fields: combinedTable.fields,
  otherFields: null,
  example: {
    query: 'parse combined | keep clientip, method, status, bytes',
    input: '10.0.0.1 - - [01/Jun/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "curl/8"',
    output: '{"clientip":"10.0.0.1","method":"GET","status":200,"bytes":512}',
  },
  create: createCombined,
}
