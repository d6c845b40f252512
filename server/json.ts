/** JSON of requests, with exact integers: a variable or a field beyond 2^53 stays what the client wrote. */
import { parseExactJson, parseJson } from '../storage/ingest/json.ts'

/** @throws {SyntaxError} */
export function parseRequestJson(text: string): unknown {
  return /\d{16}/.test(text) ? parseExactJson(text) : parseJson(text)
}
