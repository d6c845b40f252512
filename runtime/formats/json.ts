/** json: a document's members become fields, nested ones flattened to dotted names, exactly as at ingest. */
import { flattenInto } from '../../storage/ingest/flatten.ts'
import { parseJson } from '../../storage/ingest/json.ts'
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
    flattenInto(fields, document as Readonly<Record<string, unknown>>)
    for (const [name, value] of fields) emit(name, value)
    return null
  },
}
