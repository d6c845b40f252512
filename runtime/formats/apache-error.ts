/** apache_error: the error log of Apache httpd, as 2.2 writes it (`[time] [level]`) and as 2.4 does (`[time] [module:level] [pid …]`). */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, type Spans, setSpan } from './extractor.ts'
import { fieldTable, integer, text } from './fields.ts'
import { digitsEnd, hasLayout, isMonth } from './scan.ts'
import { syslogTimeEnd } from './times.ts'

const table = fieldTable({
  timestamp: text('as written: `Fri Sep 09 10:42:29.902022 2011`'),
  module: text('of the server, without `mod_` (2.4)'),
  level: text('emerg alert crit error warn notice info debug, trace1 to trace8'),
  pid: integer('process (2.4)'),
  tid: integer('thread (2.4)'),
  source: text('file and line in the source of the server, where the level is debug: `mod_ssl.c(123)`'),
  os_error: text('what the system said: `(13)Permission denied`'),
  clientip: text('address of the client'),
  clientport: integer('port of the client (2.4)'),
  code: text('number of the message: `AH00035`'),
  message: text('without its code and the referer'),
  referrer: text('the page that linked here'),
})
const { at } = table

export function createApacheError(): Extractor {
  return table.extractor((line, spans) => {
    const timeEnd = line.indexOf('] [')
    if (!isTime(line, timeEnd)) return 'no time such as [Fri Sep 09 10:42:29 2011] and [level] at the start'
    const levelEnd = line.indexOf(']', timeEnd + 3)
    if (levelEnd < 0) return 'the level has no closing bracket'
    const colon = line.indexOf(':', timeEnd + 3)
    const hasModule = colon >= 0 && colon < levelEnd
    const levelStart = hasModule ? colon + 1 : timeEnd + 3
    if (!isWord(line, levelStart, levelEnd)) return 'no level in brackets after the time'
    setSpan(spans, at.timestamp, 1, timeEnd)
    if (hasModule && colon > timeEnd + 3) setSpan(spans, at.module, timeEnd + 3, colon)
    setSpan(spans, at.level, levelStart, levelEnd)
    let next = afterSpace(line, levelEnd + 1)
    next = afterSpace(line, scanProcess(line, spans, next))
    next = afterSpace(line, scanSource(line, spans, next))
    next = scanSystemError(line, spans, next)
    next = afterSpace(line, scanClient(line, spans, next, hasModule))
    scanMessage(line, spans, next)
    return null
  })
}

/** `[Fri Sep 09 10:42:29 2011] [`, with a fraction of a second or without. */
function isTime(line: string, end: number): boolean {
  if (end < 25 || line.charCodeAt(0) !== 91 || !isMonth(line, 5)) return false
  const clockEnd = syslogTimeEnd(line, 5)
  return clockEnd === end - 5 && hasLayout(line, clockEnd, ' 0000')
}

function isWord(line: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = line.charCodeAt(i) | 32
    if (!((code >= 97 && code <= 122) || (code >= 48 && code <= 57))) return false
  }
  return end > start
}

function afterSpace(line: string, start: number): number {
  return line[start] === ' ' ? start + 1 : start
}

/** `[pid 35708:tid 4328636416]`; where it ends, or `start`. */
function scanProcess(line: string, spans: Spans, start: number): number {
  if (!line.startsWith('[pid ', start)) return start
  const pidEnd = digitsEnd(line, start + 5)
  if (pidEnd === start + 5) return start
  const hasThread = line.startsWith(':tid ', pidEnd)
  const tidEnd = hasThread ? digitsEnd(line, pidEnd + 5) : pidEnd
  if (line[tidEnd] !== ']') return start
  setSpan(spans, at.pid, start + 5, pidEnd)
  if (tidEnd > pidEnd + 5) setSpan(spans, at.tid, pidEnd + 5, tidEnd)
  return tidEnd + 1
}

/** `mod_ssl.c(123):` */
function scanSource(line: string, spans: Spans, start: number): number {
  const open = line.indexOf('.c(', start)
  if (open < 0 || !isFileName(line, start, open)) return start
  const end = digitsEnd(line, open + 3)
  if (end === open + 3 || !line.startsWith('):', end)) return start
  setSpan(spans, at.source, start, end + 1)
  return end + 2
}

function isFileName(line: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = line.charCodeAt(i)
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122
    if (!(isLetter || (code >= 48 && code <= 57) || code === 95)) return false
  }
  return end > start
}

/** `(13)Permission denied: ` */
function scanSystemError(line: string, spans: Spans, start: number): number {
  if (line[start] !== '(') return start
  const end = digitsEnd(line, start + 1)
  const colon = end > start + 1 && line[end] === ')' ? line.indexOf(': ', end) : -1
  if (colon < 0) return start
  setSpan(spans, at.os_error, start, colon)
  return colon + 2
}

/** `[client 72.15.99.187:1234]`: 2.4 adds the port, 2.2 does not, which matters for IPv6. */
function scanClient(line: string, spans: Spans, start: number, hasPort: boolean): number {
  if (!line.startsWith('[client ', start)) return start
  const end = line.indexOf(']', start + 8)
  if (end < 0) return start
  const colon = hasPort ? line.lastIndexOf(':', end) : -1
  const isPort = colon > start + 8 && colon + 1 < end && digitsEnd(line, colon + 1) === end
  setSpan(spans, at.clientip, start + 8, isPort ? colon : end)
  if (isPort) setSpan(spans, at.clientport, colon + 1, end)
  return end + 1
}

/** `AH00128: File does not exist: /a, referer: http://b/` */
function scanMessage(line: string, spans: Spans, start: number): void {
  const codeEnd = line.startsWith('AH', start) ? digitsEnd(line, start + 2) : start
  const hasCode = codeEnd > start + 2 && line.startsWith(': ', codeEnd)
  if (hasCode) setSpan(spans, at.code, start, codeEnd)
  const from = hasCode ? codeEnd + 2 : start
  const referrer = line.lastIndexOf(', referer: ')
  const hasReferrer = referrer >= from
  setSpan(spans, at.message, from, hasReferrer ? referrer : line.length)
  if (hasReferrer) setSpan(spans, at.referrer, referrer + 11, line.length)
}

export const apacheError: FormatDescriptor = {
  summary: 'The error log of Apache httpd, 2.2 and 2.4.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse apache_error | keep module, level, pid, clientip, code, message',
    input:
      '[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708:tid 4328636416] [client 72.15.99.187:51234] AH00128: File does not exist: /usr/local/apache2/htdocs/favicon.ico',
    output:
      '{"module":"core","level":"error","pid":35708,"clientip":"72.15.99.187","code":"AH00128","message":"File does not exist: /usr/local/apache2/htdocs/favicon.ico"}',
  },
  create: createApacheError,
}
