/** cef and leef: security events as devices send them to a SIEM, a header between bars and pairs behind it. */
import type { Value } from '../../storage/value.ts'
import type { FieldDoc, FormatDescriptor } from './descriptor.ts'
import { type Extractor, openExtractor } from './extractor.ts'
import { Pairs, typedCapture } from './values.ts'

const VENDOR: readonly FieldDoc[] = [
  { name: 'deviceVendor', type: 'string', doc: 'who made the device' },
  { name: 'deviceProduct', type: 'string', doc: 'what it is' },
  { name: 'deviceVersion', type: 'string', doc: 'which version of it' },
]

/** The next `|` that is not escaped, from `start`; -1: none. */
function barAt(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === 124) return at
  }
  return -1
}

/** `count` texts between bars, from `start`, and where the last bar stands; null: there are fewer. */
function headerOf(
  text: string,
  start: number,
  count: number,
): { readonly parts: string[]; readonly end: number } | null {
  const parts: string[] = []
  let at = start
  for (let end = -1; parts.length < count; at = end + 1) {
    end = barAt(text, at)
    if (end < 0) return null
    parts.push(text.slice(at, end))
  }
  return { parts, end: at - 1 }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\([\\|=nr])/g, (_, char: string) => (char === 'n' ? '\n' : char === 'r' ? '\r' : char))
}

// ── CEF ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const CEF_FIELDS: readonly FieldDoc[] = [
  { name: 'cefVersion', type: 'any', doc: 'of the layout: 0 or 1' },
  ...VENDOR,
  { name: 'deviceEventClassId', type: 'string', doc: 'kind of event' },
  { name: 'name', type: 'string', doc: 'of the event, for people' },
  { name: 'severity', type: 'any', doc: '0 to 10, or a word' },
]

/** Names whose value is a number where it looks like one; the rest of a header is names. */
const CEF_NUMBERS = new Set(['cefVersion', 'severity'])

export function createCef(): Extractor {
  const pairs = new Pairs()
  let header: readonly string[] = []
  return openExtractor({
    read(text) {
      pairs.clear()
      const start = text.indexOf('CEF:')
      if (start < 0) return 'no CEF: in the text'
      const found = headerOf(text, start + 4, CEF_FIELDS.length)
      if (found === null) return `fewer than ${CEF_FIELDS.length} bars after CEF:`
      header = found.parts
      readExtension(text, found.end + 1, pairs)
      return null
    },
    emit(sink) {
      pairs.emit(sink, value => typedCapture(unescaped(value)))
      for (const [index, { name }] of CEF_FIELDS.entries()) {
        if (header[index] !== '' && sink.wants(name)) sink.add(name, headerValue(name, header[index]!))
      }
    },
  })
}

function headerValue(name: string, text: string): Value {
  return CEF_NUMBERS.has(name) ? typedCapture(text) : unescaped(text)
}

/** `src=10.0.0.1 msg=two words act=blocked`: a value goes on until a space and the next `key=`. */
function readExtension(text: string, start: number, pairs: Pairs): void {
  let name: string | null = null
  let valueStart = start
  for (let equals = equalsAt(text, start); equals >= 0; equals = equalsAt(text, equals + 1)) {
    const keyStart = keyBefore(text, equals, valueStart, name === null)
    if (keyStart < 0) continue
    if (name !== null) pairs.add(name, text.slice(valueStart, Math.max(valueStart, keyStart - 1)).trimEnd())
    name = text.slice(keyStart, equals)
    valueStart = equals + 1
  }
  if (name !== null) pairs.add(name, text.slice(valueStart).trimEnd())
}

/** The next `=` that is not escaped. */
function equalsAt(text: string, start: number): number {
  for (let at = text.indexOf('=', start); at >= 0; at = text.indexOf('=', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** Where the key before an `=` begins; -1: what stands there is no key, so the `=` belongs to a value. */
function keyBefore(text: string, equals: number, from: number, isFirst: boolean): number {
  let at = equals
  while (at > from && isKeyCode(text.charCodeAt(at - 1))) at--
  if (at === equals) return -1
  const isStart = at === from ? isFirst : text.charCodeAt(at - 1) === 32
  return isStart ? at : -1
}

function isKeyCode(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122
  return (
    isLetter || (code >= 48 && code <= 57) || code === 95 || code === 46 || code === 45 || code === 91 || code === 93
  )
}

export const cef: FormatDescriptor = {
  summary:
    'ArcSight Common Event Format, with a syslog header before it or without. Values of the extension may hold spaces; `\\=`, `\\|`, `\\\\` and `\\n` are unescaped.',
  options: {},
  fields: CEF_FIELDS,
  otherFields:
    'one for each key of the extension (`src`, `dst`, `msg`, `cs1Label`); a canonical number becomes a number',
  example: {
    query: 'parse cef | keep deviceVendor, name, severity, src, msg',
    input:
      'Sep 19 08:26:10 host CEF:0|Security|threatmanager|1.0|100|worm successfully stopped|10|src=10.0.0.1 dst=2.1.2.2 msg=Detected a threat. No action needed.',
    output:
      '{"deviceVendor":"Security","name":"worm successfully stopped","severity":10,"src":"10.0.0.1","msg":"Detected a threat. No action needed."}',
  },
  create: createCef,
}

// ── LEEF ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const LEEF_FIELDS: readonly FieldDoc[] = [
  { name: 'leefVersion', type: 'string', doc: 'of the layout: `1.0` or `2.0`' },
  ...VENDOR,
  { name: 'eventId', type: 'string', doc: 'kind of event' },
]

export function createLeef(): Extractor {
  const pairs = new Pairs()
  let header: readonly string[] = []
  return openExtractor({
    read(text) {
      pairs.clear()
      const start = text.indexOf('LEEF:')
      if (start < 0) return 'no LEEF: in the text'
      const found = headerOf(text, start + 5, LEEF_FIELDS.length)
      if (found === null) return `fewer than ${LEEF_FIELDS.length} bars after LEEF:`
      header = found.parts
      const declared = header[0]!.startsWith('2') ? delimiterOf(text, found.end + 1) : null
      const attributes = text.slice(declared?.end ?? found.end + 1)
      for (const piece of attributes.split(declared?.delimiter ?? '\t')) {
        const equals = piece.indexOf('=')
        const name = piece.slice(0, Math.max(equals, 0)).trim()
        if (name !== '') pairs.add(name, piece.slice(equals + 1).trim())
      }
      return null
    },
    emit(sink) {
      pairs.emit(sink, typedCapture)
      for (const [index, { name }] of LEEF_FIELDS.entries()) {
        if (header[index] !== '' && sink.wants(name)) sink.add(name, unescaped(header[index]!))
      }
    },
  })
}

/** 2.0 says what stands between the pairs: `^|`, `x09|`, `0x5e|`, or nothing for a tab. Some devices leave the field out. */
function delimiterOf(text: string, start: number): { readonly delimiter: string; readonly end: number } | null {
  const bar = text.indexOf('|', start)
  if (bar < 0 || bar - start > 6) return null
  const declared = text.slice(start, bar)
  const hex = /^(?:0?x)([0-9a-f]{1,4})$/i.exec(declared)?.[1]
  if (hex !== undefined) return { delimiter: String.fromCharCode(Number.parseInt(hex, 16)), end: bar + 1 }
  if (declared.length > 1) return null
  return { delimiter: declared === '' ? '\t' : declared, end: bar + 1 }
}

export const leef: FormatDescriptor = {
  summary: 'IBM QRadar Log Event Extended Format 1.0 and 2.0, with a syslog header before it or without.',
  options: {},
  fields: LEEF_FIELDS,
  otherFields: 'one for each attribute (`src`, `dst`, `sev`, `usrName`); a canonical number becomes a number',
  example: {
    query: 'parse leef | keep deviceVendor, eventId, src, sev',
    input: 'LEEF:2.0|Lancope|StealthWatch|1.0|41|^|src=10.0.1.8^dst=10.0.0.5^sev=5^srcPort=81',
    output: '{"deviceVendor":"Lancope","eventId":"41","src":"10.0.1.8","sev":5}',
  },
  create: createLeef,
}
