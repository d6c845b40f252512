/** json: a document's members become fields, nested ones flattened to dotted names, exactly as at ingest. */
import { flattenInto } from '../../storage/ingest/flatten.ts'
import { parseExactJson, parseJson } from '../../storage/ingest/json.ts'
import type { Value } from '../../storage/value.ts'
import type { Extractor } from './extractor.ts'

export const json: Extractor = {
  names: null,
  extract(text, _, emit) {
    let document: unknown
    try {
      document = parseJson(text)
    } catch (error) {
      return `invalid JSON: ${(error as Error).message}`
    }
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return 'not a JSON object'
    const fields = new Map<string, Value>()
    const isExact = flattenInto(fields, document as Readonly<Record<string, unknown>>)
    // An integer beyond 2^53 was among them: once more, for its last digits.
    if (!isExact) flattenInto(fields, parseExactJson(text) as Readonly<Record<string, unknown>>)
    for (const [name, value] of fields) emit(name, value)
    return null
  },
}
