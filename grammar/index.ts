/** The room's door: text to syntax tree and back. */

export { type Completion, complete } from './complete.ts'
export { desugar, type Rewrite } from './desugar.ts'
export {
  applyFixes,
  CompileError,
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  type DiagnosticJson,
  hintsToJson,
  renderDiagnostic,
} from './diagnostics.ts'
export { diagnosticsToJson, fixOf } from './fix.ts'
export { type Formatted, format } from './format.ts'
export { FORMAT_SYNTAX, PARSE_FORMATS, printFormat } from './formats.ts'
export { type Expanded, expandFragments, type Fragments, NO_FRAGMENTS } from './fragments.ts'
export { formatDuration, type Instant, parseDateTime, parseDuration } from './literals.ts'
export { MAX_QUERY_LENGTH, type ParseResult, parse } from './parse.ts'
export { print, printStage } from './print.ts'
export { printCall, printExpr } from './print-expr.ts'
export { type Description, describeAt } from './service/describe.ts'
export type { CompletionItem, ItemKind } from './service/item.ts'
export type {
  FieldKnowledge,
  FormatKnowledge,
  FunctionKnowledge,
  Knowledge,
  LanguageKnowledge,
  StageKnowledge,
} from './service/knowledge.ts'
export { type Signature, signatureAt } from './service/signature.ts'
export { type ColouredToken, type TokenColour, tokensOf } from './service/tokens.ts'
export { joinSpans, NO_SPAN, type Position, positionOf, type SourceText, type Span } from './source.ts'
export { STAGE_SYNTAX, type StageSyntaxes, stageForm } from './stages/index.ts'
export { keyColumn, type StageSyntax } from './stages/syntax.ts'
export { printString } from './strings.ts'
export { suggestName } from './suggest.ts'
export { parseTimePoint } from './time-point.ts'
export { quoteField } from './token.ts'
