/** syslog: RFC 5424 with structured data, and what daemons have written since long before it (RFC 3164), with a PRI or without. */
import type { ObjectValue, Value } from '../../storage/value.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, type Spans, setSpan, setUnlessDash } from './extractor.ts'
import { computed, fieldTable, integer, text, typed } from './fields.ts'
import { digitsEnd, found, isMonth, quoteEnd, SPACE, skipSpaces, wordEnd } from './scan.ts'
import { isoTimeEnd, syslogTimeEnd } from './times.ts'

const SEVERITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']
const FACILITIES = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp'],
  ...['ntp', 'audit', 'alert', 'clock'],
  ...['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'],
]
const MAX_PRI = 191

const table = fieldTable({
  facility: computed('string', `of the PRI: ${FACILITIES.join(' ')}`, (line, start, end) => {
    return FACILITIES[priority(line, start, end) >> 3]
  }),
  severity: computed('string', `of the PRI: ${SEVERITIES.join(' ')}`, (line, start, end) => {
    return SEVERITIES[priority(line, start, end) & 7]
  }),
  version: integer('1 in RFC 5424, else missing'),
  timestamp: text('as written: `Mar 27 13:06:56`, `2026-06-01T10:00:00.123+02:00`'),
  hostname: text('of the sender'),
  appname: text('of the program; in RFC 3164 the tag without the process'),
  procid: typed('process, a number nearly always'),
  msgid: text('kind of message (RFC 5424)'),
  structured_data: computed('object', 'by id, then by name: `structured_data.origin.ip` (RFC 5424)', structuredData),
  message: text('the rest'),
})
const { at } = table

function priority(line: string, start: number, end: number): number {
  return Number(line.slice(start, end))
}

export function createSyslog(): Extractor {
  return table.extractor((line, spans) => {
    const priEnd = line.charCodeAt(0) === 60 ? digitsEnd(line, 1) : 0
    const hasPri = priEnd > 1 && priEnd < 5 && line.charCodeAt(priEnd) === 62
    if (hasPri) {
      if (priority(line, 1, priEnd) > MAX_PRI) return `the PRI ${line.slice(0, priEnd + 1)} is beyond ${MAX_PRI}`
      setSpan(spans, at.facility, 1, priEnd)
      setSpan(spans, at.severity, 1, priEnd)
      if (line.startsWith('1 ', priEnd + 1)) return scan5424(line, spans, priEnd + 3)
    }
    const start = hasPri ? skipSpaces(line, priEnd + 1) : 0
    const timeEnd = timestampEnd(line, start)
    if (timeEnd < 0) {
      if (!hasPri) return 'neither a PRI such as <34> nor a time such as Mar 27 13:06:56 at the start'
      // A device that sends no time: RFC 3164 has a relay take the whole text as the message.
      setSpan(spans, at.message, start, line.length)
      return null
    }
    setSpan(spans, at.timestamp, start, timeEnd)
    scanSender(line, spans, skipSpaces(line, timeEnd))
    return null
  })
}

/** Followed by a space or by nothing. */
function timestampEnd(line: string, start: number): number {
  const end = isMonth(line, start) ? syslogTimeEnd(line, start) : isoTimeEnd(line, start)
  return end >= 0 && (end === line.length || line.charCodeAt(end) === SPACE) ? end : -1
}

// ── RFC 3164 ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `host tag[pid]: message`, from the host; the host may be left out. */
function scanSender(line: string, spans: Spans, start: number): void {
  const hostEnd = wordEnd(line, start)
  if (line.charCodeAt(hostEnd - 1) === 58 && hostEnd > start + 1) {
    scanTag(line, spans, start)
    return
  }
  if (hostEnd > start) setSpan(spans, at.hostname, start, hostEnd)
  scanTag(line, spans, skipSpaces(line, hostEnd))
}

/** The longest name before a process in brackets that has spaces in it. */
const MAX_SPACED_TAG = 48

function scanTag(line: string, spans: Spans, from: number): void {
  // Cisco puts a space between the host and its colon.
  const start = line.startsWith(': ', from) ? from + 2 : from
  let end = start
  let code = line.charCodeAt(end)
  while (end < line.length && code !== SPACE && code !== 91 && !isColonBefore(line, end)) code = line.charCodeAt(++end)
  if (code === SPACE) end = spacedTagEnd(line, start)
  if (end <= start || end >= line.length) {
    setSpan(spans, at.message, start, line.length)
    return
  }
  if (line.charCodeAt(end) === 58) {
    setSpan(spans, at.appname, start, end)
    setMessage(line, spans, end + 1)
    return
  }
  const processEnd = digitsEnd(line, end + 1)
  const isProcess = processEnd > end + 1 && line.charCodeAt(processEnd) === 93
  const next = line.charCodeAt(processEnd + 1)
  if (!isProcess || !(next === 58 || next === SPACE || processEnd + 1 === line.length)) {
    setSpan(spans, at.message, start, line.length)
    return
  }
  setSpan(spans, at.appname, start, end)
  setSpan(spans, at.procid, end + 1, processEnd)
  setMessage(line, spans, next === 58 ? processEnd + 2 : processEnd + 1)
}

/** A colon that ends a tag: `a::b` and `12:30` go on. */
function isColonBefore(line: string, place: number): boolean {
  if (line.charCodeAt(place) !== 58) return false
  return place + 1 === line.length || line.charCodeAt(place + 1) === SPACE
}

/** `Microsoft Word[14463]:` */
function spacedTagEnd(line: string, start: number): number {
  const open = line.indexOf('[', start)
  if (open < 0 || open - start > MAX_SPACED_TAG || !/^\w/.test(line.slice(start, start + 1))) return -1
  const end = digitsEnd(line, open + 1)
  const colon = line.indexOf(':', start)
  return end > open + 1 && line.startsWith(']:', end) && colon === end + 1 ? open : -1
}

function setMessage(line: string, spans: Spans, start: number): void {
  setSpan(spans, at.message, line.charCodeAt(start) === SPACE ? start + 1 : start, line.length)
}

// ── RFC 5424 ────────────────────────────────────────────────────────────────────────────────────────────────────────

const HEADER = [at.timestamp, at.hostname, at.appname, at.procid, at.msgid]

/** `timestamp host app process id data message`, from the timestamp. */
function scan5424(line: string, spans: Spans, start: number): string | null {
  let next = start
  for (const field of HEADER) {
    const end = line.indexOf(' ', next)
    if (end < 0) return `the header ends before the ${table.fields[field]!.name}`
    if (field === at.timestamp && !(isoTimeEnd(line, next) === end || (end === next + 1 && line[next] === '-'))) {
      return `no RFC 3339 time after the version but ${found(line, next)}`
    }
    setUnlessDash(spans, field, line, next, end)
    next = end + 1
  }
  setSpan(spans, at.version, start - 2, start - 1)
  const dataEnd = line.charCodeAt(next) === 45 ? next + 1 : elementsEnd(line, next)
  if (dataEnd < 0) {
    return line.charCodeAt(next) === 91
      ? 'the structured data has no closing bracket'
      : `no structured data but ${found(line, next)}`
  }
  if (dataEnd < line.length && line.charCodeAt(dataEnd) !== SPACE) {
    return `text runs into the structured data: ${found(line, dataEnd)}`
  }
  setUnlessDash(spans, at.structured_data, line, next, dataEnd)
  if (dataEnd >= line.length) return null
  const hasMark = line.charCodeAt(dataEnd + 1) === 0xfeff
  setSpan(spans, at.message, hasMark ? dataEnd + 2 : dataEnd + 1, line.length)
  return null
}

/** The end of `[id name="value" …][id …]`, or -1. */
function elementsEnd(line: string, start: number): number {
  let end = start
  while (line.charCodeAt(end) === 91) {
    end = elementEnd(line, end)
    if (end < 0) return -1
  }
  return end > start ? end : -1
}

function elementEnd(line: string, start: number): number {
  let close = -1
  for (let next = start + 1; ; ) {
    if (close < next) close = line.indexOf(']', next)
    if (close < 0) return -1
    const quote = line.indexOf('="', next)
    if (quote < 0 || close < quote) return close + 1
    const end = quoteEnd(line, quote + 2)
    if (end < 0) return -1
    next = end + 1
  }
}

function structuredData(line: string, start: number, end: number): Value {
  const elements: [string, ObjectValue][] = []
  for (let open = start; open < end; ) {
    const close = elementEnd(line, open)
    const element = line.slice(open + 1, close - 1)
    const idEnd = wordEnd(element, 0)
    elements.push([element.slice(0, idEnd), Object.fromEntries(parametersOf(element, idEnd))])
    open = close
  }
  return Object.fromEntries(elements)
}

/** ` name="value" …`, from the space in front of the first. */
function parametersOf(element: string, start: number): [string, string][] {
  const parameters: [string, string][] = []
  for (let next = start; ; ) {
    const quote = element.indexOf('="', next)
    if (quote < 0) return parameters
    const name = element.slice(element.lastIndexOf(' ', quote) + 1, quote)
    const end = quoteEnd(element, quote + 2)
    // Only these three are escaped; any other backslash is one.
    parameters.push([name, element.slice(quote + 2, end).replace(/\\(["\\\]])/g, '$1')])
    next = end + 1
  }
}

export const syslog: FormatDescriptor = {
  summary:
    'RFC 5424 with structured data, and RFC 3164 as daemons write it: with a PRI or without, classic or ISO times, with a host or without, `tag[pid]:`. A `-` of RFC 5424 sets nothing.',
  options: {},
  fields: table.fields,
  otherFields: null,
  example: {
    query: 'parse syslog | keep facility, severity, hostname, appname, procid, message',
    input: '<38>Mar 27 13:08:09 ip-10-77-20-248 sshd[1361]: Accepted publickey for ubuntu from 85.245.107.41',
    output:
      '{"facility":"auth","severity":"info","hostname":"ip-10-77-20-248","appname":"sshd","procid":1361,"message":"Accepted publickey for ubuntu from 85.245.107.41"}',
  },
  create: createSyslog,
}
