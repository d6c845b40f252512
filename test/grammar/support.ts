/** What the tests of this room share. */
import assert from 'node:assert/strict'
import { type Diagnostic, fixOf, parse, print, renderDiagnostic } from '../../grammar/index.ts'

const SPAN_KEYS = new Set(['span', 'nameSpan', 'textSpan', 'toSpan', 'pathSpan'])

/** The tree without its places. */
export function withoutSpans(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpans)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([key]) => !SPAN_KEYS.has(key))
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutSpans(inner)]))
}

/** The canonical text; fails when the text is no query. */
export function canonical(text: string): string {
  const { query, diagnostics } = parse(text)
  assert.deepEqual(diagnostics.map(summary), [], text)
  const printed = print(query)
  const again = parse(printed)
  assert.deepEqual(again.diagnostics.map(summary), [], printed)
  assert.deepEqual(withoutSpans(again.query), withoutSpans(query), printed)
  return printed
}

export function codes(text: string): string[] {
  return parse(text).diagnostics.map(d => d.code)
}

/** The corrected query; fails when it still has errors. */
export function fixed(text: string): string | null {
  const { source, diagnostics } = parse(text)
  assert.ok(diagnostics.length > 0, `${text} has nothing to fix`)
  const fix = fixOf(source, diagnostics)
  if (fix !== null) assert.deepEqual(parse(fix).diagnostics.map(summary), [], `${text} → ${fix}`)
  return fix
}

/** All frames, as people see them. */
export function frames(text: string): string {
  const { source, diagnostics } = parse(text)
  return diagnostics.map(d => renderDiagnostic(source, d)).join('\n')
}

function summary(diagnostic: Diagnostic): string {
  return `${diagnostic.code}: ${diagnostic.message}`
}
