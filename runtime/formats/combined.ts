/**
 * combined: the access log of Apache and nginx, and the common log format as its shorter form. Field names are those logstash
 * gave them: clientip ident auth timestamp method request httpversion status bytes referrer agent.
 */
import type { Value } from '../../storage/value.ts'
import { type Extractor, typedCapture } from './extractor.ts'

export const COMBINED_FIELDS = [
  'clientip',
  'ident',
  'auth',
  'timestamp',
  'method',
  'request',
  'httpversion',
  'status',
  'bytes',
  'referrer',
  'agent',
] as const

const REQUEST = /^([A-Z]+) (\S+)(?: HTTP\/([\d.]+))?$/

export const combined: Extractor = {
  names: COMBINED_FIELDS,
  extract(text, out) {
    const ipEnd = text.indexOf(' ')
    const identEnd = text.indexOf(' ', ipEnd + 1)
    const open = text.indexOf(' [', identEnd + 1)
    const close = text.indexOf('] "', open + 2)
    if (ipEnd <= 0 || identEnd < 0 || open < 0 || close < 0) return 'not a combined access log line'
    const requestEnd = quoteEnd(text, close + 3)
    if (requestEnd < 0) return 'the request has no closing quote'
    const statusStart = requestEnd + 2
    const statusEnd = text.indexOf(' ', statusStart)
    if (statusEnd < 0) return 'no status'
    const status = text.slice(statusStart, statusEnd)
    if (!/^\d{3}$/.test(status)) return 'no status'
    const bytesEnd = text.indexOf(' ', statusEnd + 1)
    const bytes = text.slice(statusEnd + 1, bytesEnd < 0 ? text.length : bytesEnd)
    if (!/^(?:\d+|-)$/.test(bytes)) return 'no byte count'
    out[0] = text.slice(0, ipEnd)
    out[1] = text.slice(ipEnd + 1, identEnd)
    out[2] = text.slice(identEnd + 1, open)
    out[3] = text.slice(open + 2, close)
    readRequest(text.slice(close + 3, requestEnd), out)
    out[7] = Number(status)
    out[8] = typedCapture(bytes)
    if (bytesEnd < 0 || text[bytesEnd + 1] !== '"') return null
    const referrerEnd = quoteEnd(text, bytesEnd + 2)
    if (referrerEnd < 0 || text[referrerEnd + 2] !== '"') return null
    const agentEnd = quoteEnd(text, referrerEnd + 3)
    if (agentEnd < 0) return null
    out[9] = text.slice(bytesEnd + 2, referrerEnd)
    out[10] = text.slice(referrerEnd + 3, agentEnd)
    return null
  },
}

function readRequest(request: string, out: Value[]): void {
  const match = REQUEST.exec(request)
  if (match === null) return
  out[4] = match[1]
  out[5] = match[2]
  if (match[3] !== undefined) out[6] = typedCapture(match[3])
}

/** The closing quote of what starts at `from`, escaped quotes skipped; -1 without one. */
function quoteEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}
