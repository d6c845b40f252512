/** w3c: the extended log format of IIS and others. Which fields a line has, its file says in a `#Fields:` line, and the query repeats. */
import type { Value } from '../../storage/value.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, setUnlessDash, spanExtractor } from './extractor.ts'
import { hasLayout, QUOTE } from './scan.ts'
import { textOf, typedOf } from './values.ts'

/** What IIS logs unless told otherwise. */
const IIS =
  'date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken'

/** `cs(User-Agent)` is `cs_user_agent`: names that need no backticks. */
function fieldName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}

function namesOf(fields: string | undefined): readonly string[] {
  const words = (fields ?? IIS).trim().replace(/^#Fields:\s*/i, '')
  return words === '' ? [] : words.split(/\s+/).map(fieldName)
}

function cellValue(text: string, start: number, end: number): Value {
  const isQuoted = end - start > 1 && text[start] === '"' && text[end - 1] === '"'
  return isQuoted ? text.slice(start + 1, end - 1) : typedOf(text, start, end)
}

const SHAPES: Readonly<Record<string, string>> = { date: '0000-00-00', time: '00:00:00' }

/** `fields` as a `#Fields:` line has them; undefined: the default order of IIS. */
export function createW3c(fields: string | undefined): Extractor {
  const names = namesOf(fields)
  const shapes = names.map(name => SHAPES[name] ?? null)
  const columns = [...new Set(names)].map(name => ({ name, value: name in SHAPES ? textOf : cellValue }))
  const places = names.map(name => columns.findIndex(field => field.name === name))
  return spanExtractor(columns, (line, spans) => {
    if (line.charCodeAt(0) === HASH) return directive(line)
    const length = line.endsWith('\r') ? line.length - 1 : line.length
    const separator = line.includes('\t') ? '\t' : ' '
    let count = 0
    for (let at = 0; at <= length; count++) {
      const end = cellEnd(line, at, separator, length)
      if (count < names.length) {
        const shape = shapes[count]!
        if (shape !== null && !(end - at === shape.length && hasLayout(line, at, shape)))
          return `the ${names[count]} is not like ${shape}`
        if (end > at) setUnlessDash(spans, places[count]!, line, at, end)
      }
      at = end + 1
    }
    return count === names.length
      ? null
      : `${count} ${count === 1 ? 'value' : 'values'} where ${names.length} fields are named`
  })
}

const HASH = 35

/** A value in double quotes may hold separators. */
function cellEnd(line: string, start: number, separator: string, length: number): number {
  if (line.charCodeAt(start) === QUOTE) {
    const close = line.indexOf(`"${separator}`, start + 1)
    if (close >= 0 && close < length) return close + 1
    if (start + 1 < length && line.charCodeAt(length - 1) === QUOTE) return length
  }
  const end = line.indexOf(separator, start)
  return end < 0 || end > length ? length : end
}

function directive(line: string): string {
  const fields = /^#Fields:\s*(.*\S)/i.exec(line)?.[1]
  if (fields === undefined) return 'a directive, not a record'
  return `a directive, not a record; its lines are read by parse w3c(fields=${JSON.stringify(fields)})`
}

export const w3c: FormatDescriptor = {
  summary:
    'The W3C extended log format. Names lose what is no letter or digit: `cs(User-Agent)` becomes `cs_user_agent`. A `-` sets nothing. Directives (`#Fields: …`) fail as records; `_error_detail` of one says what to write.',
  options: {
    fields: 'the names, as the `#Fields:` line of the file has them; the default order of IIS unless given',
  },
  fields: [],
  otherFields: 'the `fields`; a canonical number becomes a number',
  example: {
    query:
      'parse w3c(fields="date time c-ip cs-method cs-uri-stem sc-status time-taken") | keep c_ip, cs_uri_stem, sc_status',
    input: '2026-06-01 10:00:00 10.0.0.1 GET /index.html 200 31',
    output: '{"c_ip":"10.0.0.1","cs_uri_stem":"/index.html","sc_status":200}',
  },
  problems({ options }) {
    const names = namesOf(options.fields)
    if (names.length > 0 && names.every(name => name !== '')) return []
    return [{ message: 'fields must name the columns: "date time c-ip cs-method"', option: 'fields' }]
  },
  create: ({ options }) => createW3c(options.fields),
}
