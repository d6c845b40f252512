/** logfmt and kv: pairs of names and values. logfmt is a layout, and a text is in it or not; kv takes pairs wherever they stand. */
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, openExtractor } from './extractor.ts'
import { quoteEnd } from './scan.ts'
import { Pairs, pairValue } from './values.ts'

const EQUALS = 61
const QUOTE = 34

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** `level=info msg="it works" ready`: a bare word is a flag, true. The first word is a pair, or the text is not logfmt. */
export function createLogfmt(): Extractor {
  const pairs = new Pairs()
  const flags: string[] = []
  return openExtractor({
    read(text) {
      pairs.clear()
      flags.length = 0
      if (!startsWithPair(text)) return 'it does not begin with key=value; parse kv takes pairs from anywhere'
      for (let at = 0; at < text.length; ) {
        const code = text.charCodeAt(at)
        if (isBlank(code)) {
          at++
          continue
        }
        let end = at
        while (end < text.length && isNameCode(text.charCodeAt(end))) end++
        if (end > at && text.charCodeAt(end) === EQUALS) {
          const valueEnd = endOfValue(text, end + 1)
          pairs.add(text.slice(at, end), text.slice(end + 1, valueEnd))
          at = valueEnd
          continue
        }
        while (end < text.length && text.charCodeAt(end) !== EQUALS && !isBlank(text.charCodeAt(end))) end++
        if (end > at) flags.push(text.slice(at, end))
        at = Math.max(end, at + 1)
      }
      return null
    },
    emit(sink) {
      for (const flag of flags) if (sink.wants(flag)) sink.add(flag, true)
      pairs.emit(sink, pairValue)
    },
  })
}

/** `=` stands in many texts. The key before the first must look like one: no digit at its start, no punctuation but `_ . @ / -`. */
function startsWithPair(text: string): boolean {
  let start = 0
  while (isBlank(text.charCodeAt(start))) start++
  let end = start
  for (let code = text.charCodeAt(end); isKeyCode(code, end === start); code = text.charCodeAt(end)) end++
  return end > start && text.charCodeAt(end) === EQUALS
}

function isKeyCode(code: number, isFirst: boolean): boolean {
  const isLetter = ((code | 32) >= 97 && (code | 32) <= 122) || code > 127 || code === 95 || code === 64
  if (isLetter || isFirst) return isLetter
  return (code >= 48 && code <= 57) || code === 46 || code === 45 || code === 47
}

function isNameCode(code: number): boolean {
  return code !== EQUALS && code !== QUOTE && !isBlank(code)
}

function endOfValue(text: string, start: number): number {
  if (text.charCodeAt(start) === QUOTE) {
    const close = quoteEnd(text, start + 1)
    if (close >= 0) return close + 1
  }
  let end = start
  while (end < text.length && !isBlank(text.charCodeAt(end))) end++
  return end
}

export const logfmt: FormatDescriptor = {
  summary:
    'Words of the form `key=value`; a value with spaces stands in double quotes, a word alone is a flag. A text that does not begin with a pair is not logfmt; `kv` takes pairs from anywhere.',
  options: {},
  fields: [],
  otherFields: 'one for each key; a bare canonical number becomes a number, a flag is true',
  example: {
    query: 'parse logfmt | keep level, msg, ms',
    input: 'level=warn msg="slow query" ms=250',
    output: '{"level":"warn","msg":"slow query","ms":250}',
  },
  create: createLogfmt,
}

/** A value in double quotes that reach to a separator may hold separators. */
function createKv(separator: string, assign: string): Extractor {
  const pairs = new Pairs()
  return openExtractor({
    read(text) {
      pairs.clear()
      let equals = text.indexOf(assign)
      for (let at = 0; equals >= 0; ) {
        const end = text.indexOf(separator, at)
        if (end >= 0 && end <= equals) {
          at = end + separator.length
          if (equals < at) equals = text.indexOf(assign, at)
          continue
        }
        const name = text.slice(at, equals).trim()
        const start = equals + assign.length
        const valueEnd = quotedEnd(text, start, separator) ?? plainEnd(text, start, separator)
        if (name !== '') pairs.add(name, text.slice(start, valueEnd).trim())
        at = valueEnd + separator.length
        equals = text.indexOf(assign, at)
      }
      return pairs.count === 0 ? `no pair with '${assign}' between '${separator}'` : null
    },
    emit: sink => pairs.emit(sink, pairValue),
  })
}

function quotedEnd(text: string, start: number, separator: string): number | null {
  if (text.charCodeAt(start) !== QUOTE) return null
  const close = quoteEnd(text, start + 1)
  if (close < 0) return null
  return close + 1 === text.length || text.startsWith(separator, close + 1) ? close + 1 : null
}

function plainEnd(text: string, start: number, separator: string): number {
  const end = text.indexOf(separator, start)
  return end < 0 ? text.length : end
}

export const kv: FormatDescriptor = {
  summary: 'Pairs with separators of your own. What is no pair is passed over.',
  options: {
    sep: 'stands between pairs; a space unless given',
    assign: 'stands between name and value; `=` unless given',
  },
  fields: [],
  otherFields: 'one for each name; a bare canonical number becomes a number',
  example: {
    query: 'parse kv(sep="; ", assign=":") | keep user, ms',
    input: 'user:ann; ms:4',
    output: '{"user":"ann","ms":4}',
  },
  problems: ({ options }) =>
    Object.keys(options)
      .filter(name => options[name] === '')
      .map(name => ({ message: `${name} must be at least one character`, option: name })),
  create: ({ options }) => createKv(options.sep ?? ' ', options.assign ?? '='),
}
