/** json: a document's members become fields, nested ones flattened to dotted names, exactly as at ingest. */
import { flattenInto } from '../../storage/ingest/flatten.ts'
import { parseExactJson, parseJson } from '../../storage/ingest/json.ts'
import type { Value } from '../../storage/value.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, type FieldSink, openExtractor } from './extractor.ts'

type Document = Readonly<Record<string, unknown>>

/** The object a text is, or what it is instead. */
export function readDocument(text: string): Document | string {
  // What begins with no brace is no object, and an exception costs more than everything else here.
  if (!startsAsObject(text)) return text.trim() === '' ? 'there is no text' : 'not a JSON object: it begins with no {'
  let document: unknown
  try {
    document = parseJson(text)
  } catch (error) {
    return `invalid JSON: ${(error as Error).message}`
  }
  return document as Document
}

function startsAsObject(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return code === 123
  }
  return false
}

/** Deeper than this is no value of the language; what walks one later does so by recursion. */
const MAX_DEPTH = 500

/** Is anything nested too deeply? Few documents have brackets enough that one has to look. */
function isTooDeep(text: string, document: Document): boolean {
  if (text.length <= MAX_DEPTH * 2 || !hasMany(text, '{', '[', MAX_DEPTH)) return false
  let level: unknown[] = [document]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return false
}

function hasMany(text: string, one: string, other: string, limit: number): boolean {
  let count = 0
  for (const bracket of [one, other]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > limit) return true
  }
  return false
}

/** The members somebody wants: what nobody does is not flattened. */
function wantedOf(document: Document, sink: FieldSink): Document {
  const wanted: [string, unknown][] = []
  let all = 0
  for (const name in document) {
    all++
    if (sink.wants(name)) wanted.push([name, document[name]])
  }
  // Not by assignment: a key may be `__proto__`.
  return wanted.length === all ? document : Object.fromEntries(wanted)
}

export function createJson(): Extractor {
  const fields = new Map<string, Value>()
  let current = ''
  let document: Document = {}
  return openExtractor({
    read(text) {
      const found = readDocument(text)
      if (typeof found === 'string') return found
      if (isTooDeep(text, found)) return `not usable JSON: it is nested more than ${MAX_DEPTH} deep`
      current = text
      document = found
      return null
    },
    emit(sink) {
      fields.clear()
      const isExact = flattenInto(fields, wantedOf(document, sink))
      // An integer beyond 2^53 was among them: once more, for its last digits.
      if (!isExact) flattenInto(fields, wantedOf(parseExactJson(current) as Document, sink))
      for (const [name, value] of fields) if (sink.wants(name)) sink.add(name, value)
    },
  })
}

export const json: FormatDescriptor = {
  summary: 'A JSON object; nested objects become dotted fields.',
  options: {},
  fields: [],
  otherFields: 'one for each member of the object',
  example: {
    query: 'parse json from payload | keep user, http.status',
    input: '{"payload":"{\\"user\\":\\"ann\\",\\"http\\":{\\"status\\":200}}"}',
    output: '{"user":"ann","http.status":200}',
  },
  create: createJson,
}
