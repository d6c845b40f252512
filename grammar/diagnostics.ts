/**
 * What can be wrong with a user's text. One row per code; codes never change meaning and are never reused.
 * E1xx names · E2xx types · E3xx syntax · E4xx stages and their order · E5xx limits · H9xx hints (never change a result).
 */
import { type Position, positionOf, type SourceText, type Span } from './source.ts'

export const DIAGNOSTIC_CODES = {
  E101: 'unknown field',
  E102: 'unknown stage',
  E103: 'unknown index',
  E104: 'unknown function',
  E105: 'unknown variable',
  E106: 'name defined twice',
  E107: 'unknown parse format',
  E108: 'unknown option',
  E109: 'rows where a value belongs, or a value where rows belong',
  E110: 'lookup table that is not there, or cannot be read',
  E111: 'saved fragment that is not there, or is not what a fragment is',
  E201: 'wrong number of arguments',
  E202: 'wrong argument type',
  E203: 'comparison can never be true',
  E204: 'aggregate outside stats',
  E205: 'invalid pattern or regular expression',
  E206: 'value out of range',
  E207: 'condition is not a boolean',
  E301: 'unexpected text',
  E302: 'unterminated string or comment',
  E303: 'single quotes',
  E304: '= used where == compares',
  E305: '== used where = binds',
  E306: 'missing parentheses after a function',
  E307: 'foreign syntax',
  E308: 'comparisons do not chain',
  E309: 'unclosed bracket',
  E310: 'invalid number, duration or time',
  E311: 'invalid character',
  E312: 'empty stage',
  E401: 'stage in the wrong place',
  E402: 'stage blocks, so it cannot run in a live tail',
  E403: 'not available here',
  E501: 'query too large',
  E502: 'query too deeply nested',
  H901: 'leading wildcard reads every block',
  H902: 'no time range over much data',
  H903: 'regular expression without a literal reads every block',
  H904: 'head before sort',
  H905: 'values were coerced',
  H906: 'no event has the field',
  H907: 'texts could not be parsed',
  H908: 'integers became floats',
  H909: 'comparison with null',
  H910: 'something was left out of the answer',
  H911: 'parse left fields as they were',
  H912: 'a let is not used',
  H913: 'keys of different types never match',
  H914: 'nulls stand first in a descending sort',
  H915: 'the query wrote temporary files',
  H916: 'a search that found nothing may have been meant otherwise',
} as const

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES

/** One finding. `suggestion` is what to type at `span`; `fix` is the whole corrected query, ready to run. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly message: string
  readonly span: Span
  readonly expected?: readonly string[]
  readonly suggestion?: string
  /** Text that replaces `span` in the fixed query; the parser combines the edits of all diagnostics into `fix`. */
  readonly edit?: { readonly span: Span; readonly text: string }
}

/** As the interface specification shows it. */
export interface DiagnosticJson {
  readonly code: string
  readonly message: string
  readonly position: Position
  readonly expected?: readonly string[]
  readonly suggestion?: string
  readonly fix?: string
}

export type HintJson = Pick<DiagnosticJson, 'code' | 'message' | 'suggestion'> & { readonly position?: Position }

/** The user's text is wrong: always at least one diagnostic. Mapped to 400 INVALID_QUERY, exit code 4. */
export class CompileError extends Error {
  readonly source: SourceText
  readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]]
  constructor(source: SourceText, diagnostics: readonly [Diagnostic, ...Diagnostic[]]) {
    super(diagnostics[0].message)
    this.name = 'CompileError'
    this.source = source
    this.diagnostics = diagnostics
  }
}

/** The whole query with every edit applied, or null when some diagnostic offers none. */
export function applyFixes(source: SourceText, diagnostics: readonly Diagnostic[]): string | null {
  if (diagnostics.some(d => d.edit === undefined)) return null
  const ordered = diagnostics.toSorted(byPlace).flatMap(d => d.edit ?? [])
  let text = ''
  let at = 0
  for (const edit of ordered) {
    if (edit.span.start < at) continue
    text += source.text.slice(at, edit.span.start) + edit.text
    at = edit.span.end
  }
  return text + source.text.slice(at)
}

/**
 * Where two edits begin together the longer one comes first: it was made from the text the other would have made. Two
 * insertions close brackets, and the bracket opened last is closed first.
 */
function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.edit === undefined || b.edit === undefined) return 0
  return a.edit.span.start - b.edit.span.start || b.edit.span.end - a.edit.span.end || b.span.start - a.span.start
}

/** Hints in `meta.hints` and explain: without a fix, because nothing is wrong; what is known of the data has no place in the text. */
export function hintsToJson(source: SourceText, hints: readonly Diagnostic[]): HintJson[] {
  return hints.map(({ code, message, span, suggestion }) => ({
    code,
    message,
    ...(span.end > span.start && { position: positionOf(source, span) }),
    ...(suggestion !== undefined && { suggestion }),
  }))
}

/**
 * The caret frame people and golden files read:
 *
 *     E304: '=' assigns; '==' compares
 *       1 | from main | where status = 500
 *         |                          ^ did you mean '=='?
 */
export function renderDiagnostic(source: SourceText, diagnostic: Diagnostic): string {
  const position = positionOf(source, diagnostic.span)
  const line = source.text.split('\n')[position.line - 1] ?? ''
  // Long lines are windowed around the caret, so that a megabyte of query does not become a megabyte of message.
  const from = Math.max(0, position.column - 60)
  const shown = line.slice(from, from + 120)
  const gutter = String(position.line)
  const caret = '^'.repeat(Math.max(1, Math.min(position.length, shown.length - (position.column - 1 - from))))
  const hint = diagnostic.suggestion === undefined ? '' : ` did you mean '${diagnostic.suggestion}'?`
  return [
    `${diagnostic.code}: ${diagnostic.message}`,
    `  ${gutter} | ${shown}`,
    `  ${' '.repeat(gutter.length)} | ${' '.repeat(position.column - 1 - from)}${caret}${hint}`,
  ].join('\n')
}
