/** Text to syntax tree. Reports everything it finds: after an error it goes on behind the next `|`. */
import type { AstExpr, AstFrom, AstLet, AstPipeline, AstQuery, AstStage } from './ast.ts'
import type { Diagnostic } from './diagnostics.ts'
import { parseExpression } from './expression.ts'
import { logQlAsPipeline, opensAsLogQl } from './foreign/logql.ts'
import { opensWithSelect, selectAsPipeline } from './foreign/select.ts'
import { parseForeignFrom } from './foreign/sources.ts'
import { opensWithFrom, parseFrom } from './from.ts'
import { type Checkpoint, isPunctuation, Parser, QUERY_FAILURE, QueryFailure, StageFailure } from './parser.ts'
import { parseSearch } from './search.ts'
import type { SourceText } from './source.ts'
import { isPredicate, parseStage, stageOpening } from './stage.ts'
import type { Watch } from './watch.ts'

/** In UTF-16 code units. */
export const MAX_QUERY_LENGTH = 1024 * 1024

/** A plan is as deep as its pipeline is long. Lets have the same limit. */
const MAX_STAGES = 1000

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
  while (p.isWord('let') && namesLet(p)) {
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

/** Behind the word `let`: the `$name` that makes it one, or the end of a text that is still being written. */
function namesLet(p: Parser): boolean {
  const second = p.peekSecond()
  return (
    second.kind === 'variable' ||
    (p.watch?.isWriting === true && second.end === p.text.length && second.start > p.peek().end)
  )
}

function parseLet(p: Parser): AstLet {
  const start = p.take('keyword').start
  if (p.watch !== null) p.expects({ kind: 'name' })
  if (p.peek().kind !== 'variable') throw QUERY_FAILURE
  const { text: name } = p.take()
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
  return { kind: 'let', span: p.spanFrom(start), name, pipeline }
}

function parsePipeline(p: Parser): AstPipeline {
  const start = p.peek().start
  let from: AstFrom | null = null
  let search: AstExpr | null = null
  const stages: AstStage[] = []
  p.watch?.openPipeline(stages)
  try {
    if (p.watch !== null) p.expects({ kind: 'opening' })
    from = parseOpening(p)
    p.watch?.setFrom(from)
    if (from === null && stageOpening(p) !== null) parseStages(p, stages)
    else search = parseTerms(p, from !== null)
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error
    readOn(p)
    p.skipStage()
  }
  parseRest(p, stages)
  p.watch?.closePipeline()
  return { kind: 'pipeline', span: p.spanFrom(start), from, search, stages }
}

function parseOpening(p: Parser): AstFrom | null {
  const foreign = parseForeignFrom(p)
  if (foreign !== null) return foreign
  return opensWithFrom(p) ? parseFrom(p, p.take('keyword')) : null
}

function parseTerms(p: Parser, hasSource: boolean): AstExpr | null {
  if (p.watch !== null && hasSource) {
    p.expects({ kind: 'term' })
    p.expects({ kind: 'pipe' })
  }
  if (p.offset >= p.text.length || isPunctuation(p.peek(), '|', '||', ';')) return null
  const word = hasSource ? stageOpening(p) : null
  if (word !== null) reportMissingPipe(p, true)
  if (word !== null) return null
  const before = p.checkpoint()
  try {
    return parseSearch(p)
  } catch (error) {
    if (!(error instanceof StageFailure) || (p.watch?.places.length ?? 0) > 0) throw error
    return parseMisplacedPredicate(p, before, hasSource, error)
  }
}

/** What is no search term may be an expression that lacks its `where`; otherwise the first error stands. */
function parseMisplacedPredicate(p: Parser, before: Checkpoint, hasSource: boolean, error: StageFailure): AstExpr {
  const failed = p.diagnostics.slice(before.diagnostics)
  p.restore(before)
  const start = p.peek().start
  const predicate = p.speculate(() => {
    const expr = parseExpression(p)
    return p.atStageEnd() && isPredicate(expr) ? expr : null
  })
  if (predicate === null) {
    for (const diagnostic of failed) p.report(diagnostic)
    throw error
  }
  const suggestion = hasSource ? '| where' : 'where'
  p.report({
    code: 'E301',
    message: "an expression stands after 'where'; search terms are words and field=value",
    span: p.spanFrom(start),
    suggestion,
    edit: { span: { start, end: start }, text: `${suggestion} ` },
  })
  return predicate
}

function refuseMore(p: Parser, what: string): never {
  const at = p.peek().start
  p.report({ code: 'E501', message: `more than ${MAX_STAGES} ${what}`, span: { start: at, end: at } })
  throw QUERY_FAILURE
}

/** The parser stands at the word of a stage with no `|` before it. */
function reportMissingPipe(p: Parser, couldBeTerm: boolean): void {
  const token = p.peek()
  const at = { start: token.start, end: token.start }
  p.report({
    code: 'E301',
    message: `a '|' is missing before '${token.text}'${couldBeTerm ? ', or quotes around it to search for the word' : ''}`,
    span: { start: token.start, end: token.end },
    expected: ["'|'"],
    edit: { span: at, text: '| ' },
  })
}

/** Into `stages`: one stage, and those behind it that only lack their `|`. */
function parseStages(p: Parser, stages: AstStage[]): void {
  const start = p.peek().start
  try {
    expectStage(p)
    stages.push(parseStage(p))
    expectPipe(p)
    while (!p.atStageEnd()) {
      if (stageOpening(p) === null) p.unexpected(["'|'"], "'|' or the end")
      reportMissingPipe(p, false)
      stages.push(parseStage(p))
    }
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error
    readOn(p)
    p.skipStage()
    const span = { start, end: p.peek().start }
    stages.push({ kind: 'where', span, predicate: { kind: 'bad', span }, implicit: true })
  }
  if (stages.length > MAX_STAGES) refuseMore(p, 'stages')
}

// ── For whoever watches ─────────────────────────────────────────────────────────────────────────────────────────────

function expectStage(p: Parser): void {
  if (p.watch === null) return
  p.watch.openStage(null)
  p.expects({ kind: 'stage' })
}

function expectPipe(p: Parser): void {
  if (p.watch !== null) p.expects({ kind: 'pipe' })
}

/** The stage has failed, but the end of the text may still lie in it: what stands before it is read as expressions. */
function readOn(p: Parser): void {
  // What failed at the end itself wants something there that nobody can offer.
  if (p.watch === null || p.watch.places.length > 0 || p.peek().end === p.text.length) return
  for (let isDone = false; !isDone; ) {
    isDone = p.atStageEnd()
    if (isDone && p.peek().kind !== 'end') return
    const before = p.offset
    try {
      p.leaveBrackets()
      parseExpression(p)
      isDone ||= p.atStageEnd()
      if (p.acceptWord('as') === null && p.acceptWord('by') === null) p.acceptPunctuation(',')
    } catch (error) {
      if (!(error instanceof StageFailure)) throw error
    }
    if (p.offset === before && !isDone) p.moveTo(Math.max(p.peek().end, before + 1))
  }
}

function parseRest(p: Parser, stages: AstStage[]): void {
  if (!p.atStageEnd()) parseStages(p, stages)
  while (isPunctuation(p.peek(), '|', '||')) {
    const pipe = p.take()
    if (p.atStageEnd()) expectStage(p)
    const span = { start: pipe.start, end: pipe.end }
    if (pipe.text === '||') {
      p.report({
        code: 'E312',
        message: 'there is no stage between the pipes',
        span,
        edit: { span, text: p.atStageEnd() ? '' : '|' },
      })
    } else if (p.atStageEnd()) {
      const isLast = !isPunctuation(p.peek(), '|', '||')
      const message = isLast ? 'there is no stage after the pipe' : 'there is no stage between the pipes'
      p.report({ code: 'E312', message, span, edit: { span, text: '' } })
      continue
    }
    if (!p.atStageEnd()) parseStages(p, stages)
  }
}
