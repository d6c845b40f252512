/** The room's door: text to syntax tree and back. */

export { desugar, type Rewrite } from './desugar.ts'
export {
  applyFixes,
  CompileError,
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticJson,
  diagnosticsToJson,
  renderDiagnostic,
} from './diagnostics.ts'
export { FORMAT_SYNTAX, PARSE_FORMATS, printFormat } from './formats.ts'
export { type Expanded, expandFragments, type Fragments, NO_FRAGMENTS } from './fragments.ts'
export { formatDuration, type Instant, parseDateTime, parseDuration } from './literals.ts'
export { MAX_QUERY_LENGTH, type ParseResult, parse } from './parse.ts'
export { print, printStage } from './print.ts'
export { printCall, printExpr } from './print-expr.ts'
export { joinSpans, NO_SPAN, type Position, positionOf, type SourceText, type Span } from './source.ts'
export { STAGE_SYNTAX, type StageSyntaxes } from './stages/index.ts'
export { keyColumn, type StageSyntax } from './stages/syntax.ts'
export { suggestName } from './suggest.ts'
export { parseTimePoint } from './time-point.ts'
export { quoteField } from './token.ts'
