/** The corrected query: every edit applied, and those that only show then, until it is a query. */
import { applyFixes, type Diagnostic, type DiagnosticJson } from './diagnostics.ts'
import { parse } from './parse.ts'
import { positionOf, type SourceText } from './source.ts'

/** One correction may bring another to light: a SELECT has conditions. */
const MAX_ROUNDS = 4

/** Null when something could not be corrected. What is returned parses without a word. */
export function fixOf(source: SourceText, diagnostics: readonly Diagnostic[]): string | null {
  let fixed = applyFixes(source, diagnostics)
  for (let round = 0; fixed !== null && round < MAX_ROUNDS; round++) {
    const again = parse(fixed)
    if (again.diagnostics.length === 0) return fixed.trim()
    fixed = applyFixes(again.source, again.diagnostics)
  }
  return null
}

export function diagnosticsToJson(source: SourceText, diagnostics: readonly Diagnostic[]): DiagnosticJson[] {
  const fix = fixOf(source, diagnostics)
  return diagnostics.map(d => ({
    code: d.code,
    message: d.message,
    position: positionOf(source, d.span),
    ...(d.expected && { expected: d.expected }),
    ...(d.suggestion !== undefined && { suggestion: d.suggestion }),
    ...(fix !== null && { fix }),
  }))
}
