/** The formats of parse. To add one: its file, one line here, one in `ParseFormat`. */
import type { ParseSpec } from '../program.ts'
import { pattern, regex } from './captures.ts'
import { combined } from './combined.ts'
import type { Extractor } from './extractor.ts'
import { json } from './json.ts'
import { kv, logfmt } from './pairs.ts'

type FormatOptions = Pick<ParseSpec, 'format' | 'pattern' | 'options'>

const FORMATS: Readonly<Record<ParseSpec['format'], (spec: FormatOptions) => Extractor>> = {
  json: () => json,
  logfmt: () => logfmt,
  combined: () => combined,
  kv: spec => kv(spec.options.sep ?? ' ', spec.options.assign ?? '='),
  regex: spec => regex(spec.pattern ?? ''),
  pattern: spec => pattern(spec.pattern ?? ''),
}

export function captureExtractor(spec: FormatOptions): Extractor {
  return FORMATS[spec.format](spec)
}
