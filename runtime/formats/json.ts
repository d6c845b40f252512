/** json: a document's members become fields, nested ones flattened to dotted names, exactly as at ingest. */
import { flattenInto } from '../../storage/ingest/flatten.ts'
import { parseExactJson, parseJson } from '../../storage/ingest/json.ts'
import type { Value } from '../../storage/value.ts'
import type { FormatDescriptor } from './descriptor.ts'
import { type Extractor, openExtractor } from './extractor.ts'

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

export function createJson(): Extractor {
  const fields = new Map<string, Value>()
  return openExtractor({
    read(text) {
      const document = readDocument(text)
      if (typeof document === 'string') return document
      fields.clear()
      try {
        const isExact = flattenInto(fields, document)
        // An integer beyond 2^53 was among them: once more, for its last digits.
        if (!isExact) flattenInto(fields, parseExactJson(text) as Document)
      } catch (error) {
        return `not usable JSON: ${(error as Error).message}`
      }
      return null
    },
    emit(sink) {
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
