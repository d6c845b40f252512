/** One pipeline: its source, its search terms, its stages. A query is one, a let names one, `[ … ]` holds one. */
import type { AstExpr, AstFrom, AstPipeline, AstStage } from './ast.ts'
import { parseExpression } from './expression.ts'
import { parseForeignFrom } from './foreign/sources.ts'
import { opensWithFrom, parseFrom } from './from.ts'
import { type Checkpoint, isPunctuation, type Parser, QUERY_FAILURE, StageFailure } from './parser.ts'
import { parseSearch } from './search.ts'
import { isPredicate, parseStage, stageOpening } from './stage.ts'

/** Of a whole query: a plan is as deep as its pipelines are long. Lets have the same limit. */
export const MAX_STAGES = 1000

export function parsePipeline(p: Parser): AstPipeline {
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
  if (p.offset >= p.text.length || p.atStageEnd()) return null
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

export function refuseMore(p: Parser, what: string): never {
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
  const before = stages.length
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
  p.stageCount += stages.length - before
  if (p.stageCount > MAX_STAGES) refuseMore(p, 'stages')
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
