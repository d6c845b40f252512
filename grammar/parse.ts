/** Text to syntax tree. Reports everything it finds: after an error it goes on behind the next `|`. */
import type { AstLet, AstPipeline, AstQuery } from './ast.ts'
import type { Diagnostic } from './diagnostics.ts'
import { logQlAsPipeline, opensAsLogQl } from './foreign/logql.ts'
import { opensWithSelect, selectAsPipeline } from './foreign/select.ts'
import { Parser, QUERY_FAILURE, QueryFailure, StageFailure } from './parser.ts'
import { MAX_STAGES, parsePipeline, refuseMore } from './pipeline.ts'
import type { SourceText } from './source.ts'
import type { Watch } from './watch.ts'

/** In UTF-16 code units. */
export const MAX_QUERY_LENGTH = 1024 * 1024

export interface ParseResult {
  readonly source: SourceText
  /** Complete when there are no diagnostics; otherwise what could be made out, with `bad` expressions in it. */
  readonly query: AstQuery
  /** By place. Empty when the text is a query. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Never throws; O(text). `watch` hears what the words are and what could follow. */
export function parse(text: string, watch: Watch | null = null): ParseResult {
  const source: SourceText = { text }
  const refusal = refuse(text)
  if (refusal !== null) return { source, query: emptyQuery(0), diagnostics: [refusal] }
  const p = new Parser(source, watch)
  let query: AstQuery
  try {
    query = parseQuery(p)
  } catch (error) {
    if (!(error instanceof QueryFailure || error instanceof StageFailure)) throw error
    query = emptyQuery(text.length)
  }
  return { source, query, diagnostics: p.diagnostics.toSorted((a, b) => a.span.start - b.span.start) }
}

function emptyQuery(end: number): AstQuery {
  const span = { start: 0, end }
  return { kind: 'query', span, lets: [], pipeline: { kind: 'pipeline', span, from: null, search: null, stages: [] } }
}

/** What is not worth reading at all. */
function refuse(text: string): Diagnostic | null {
  if (text.length > MAX_QUERY_LENGTH) {
    const message = `the query has ${text.length} characters; at most ${MAX_QUERY_LENGTH} are allowed`
    return { code: 'E501', message, span: { start: 0, end: 0 } }
  }
  const nul = text.indexOf('\0')
  if (nul !== -1) return { code: 'E311', message: 'a NUL byte', span: { start: nul, end: nul + 1 } }
  if (opensWithSelect(text)) return translated(text, 6, selectAsPipeline(text))
  return opensAsLogQl(text) ? translated(text, 1, logQlAsPipeline(text)) : null
}

/** The whole text is of another language. */
function translated(text: string, length: number, suggestion: string | null): Diagnostic {
  const start = text.search(/\S/)
  return {
    code: 'E307',
    message: "a query is a pipeline: 'from', then stages between '|'",
    span: { start, end: start + length },
    ...(suggestion !== null && { suggestion, edit: { span: { start: 0, end: text.length }, text: suggestion } }),
  }
}

function parseQuery(p: Parser): AstQuery {
  const lets: AstLet[] = []
  if (p.watch !== null) p.watch.lets = lets
  while (opensWithLet(p)) {
    lets.push(parseLet(p))
    if (lets.length > MAX_STAGES) refuseMore(p, 'lets')
  }
  const pipeline = parsePipeline(p)
  while (p.isPunctuation(';')) {
    const token = p.take()
    const span = { start: token.start, end: token.end }
    if (p.peek().kind === 'end') {
      p.report({ code: 'E301', message: "a query needs no ';' at its end", span, edit: { span, text: '' } })
    } else {
      p.report({ code: 'E301', message: "';' ends a let only; stages stand between '|'", span, expected: ["'|'"] })
      p.moveTo(p.text.length)
    }
  }
  // The end is never taken, and a comment that does not end is its problem.
  const { problem } = p.peek()
  if (problem !== null) p.report(problem)
  return { kind: 'query', span: { start: 0, end: p.text.length }, lets, pipeline }
}

/** `let $x =`, or Kusto's `let x = …;`, which without a `;` could only be meant for `extend`. */
function opensWithLet(p: Parser): boolean {
  if (!p.isWord('let')) return false
  const second = p.peekSecond()
  if (second.kind === 'variable') return true
  if (second.kind === 'name' && /^\s*=(?!=)[^;]*;/.test(p.text.slice(second.end))) return true
  // The end of a text that is still being written.
  return p.watch?.isWriting === true && second.end === p.text.length && second.start > p.peek().end
}

function parseLet(p: Parser): AstLet {
  const start = p.take('keyword').start
  if (p.watch !== null) p.expects({ kind: 'name' })
  const first = p.peek()
  if (first.kind !== 'variable' && first.kind !== 'name') throw QUERY_FAILURE
  const { text: name } = p.take('variable')
  const nameSpan = { start: first.start, end: first.end }
  if (first.kind === 'name') {
    const edit = { span: { start: first.start, end: first.start }, text: '$' }
    const message = 'what a let names begins with $'
    p.report({ code: 'E301', message, span: nameSpan, suggestion: `$${name}`, edit })
  }
  let pipeline: AstPipeline = { ...emptyQuery(0).pipeline, span: p.spanFrom(start) }
  try {
    p.expectPunctuation('=', "'=' after the name")
    pipeline = parsePipeline(p)
    p.expectPunctuation(';', "';' at the end of a let")
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error
    // What could follow the let cannot stand within it.
    if (p.watch !== null && p.peek().kind === 'end') throw QUERY_FAILURE
    while (!p.isPunctuation(';') && p.peek().kind !== 'end') p.moveTo(p.peek().end)
    p.acceptPunctuation(';')
  }
  return { kind: 'let', span: p.spanFrom(start), name, nameSpan, pipeline }
}
