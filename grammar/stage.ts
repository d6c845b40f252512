/** Which stage a text is: a keyword, another language's word for one, a bare predicate, or a typo. */
import type { AstExpr, AstStage } from './ast.ts'
import { parseExpression } from './expression.ts'
import { ADVICE } from './foreign/advice.ts'
import { isForeignInfix } from './foreign/operators.ts'
import { describeToken, skipTrivia } from './lexer.ts'
import { isPunctuation, type Parser } from './parser.ts'
import { FOREIGN_SPELLINGS, type Foreign, syntaxOf } from './stages/index.ts'
import { PLANNED_STAGES, STAGE_KEYWORDS } from './stages/names.ts'
import type { StageSyntax } from './stages/syntax.ts'
import { suggestName } from './suggest.ts'
import type { Token } from './token.ts'

type Opening =
  | { readonly kind: 'stage'; readonly syntax: StageSyntax<AstStage> }
  | { readonly kind: 'foreign'; readonly foreign: Foreign }

const WORD = /[A-Za-z]+(?:[-_][A-Za-z]+)*/y
/** How far ahead the `opens` patterns look, and how much of a foreign stage is translated. */
const MAX_LOOKAHEAD = 300
const MAX_FOREIGN_BODY = 2000

/** The stage that a text without a `|` before it opens with; null when its first word is a search term. */
export function stageOpening(p: Parser): Opening | null {
  const { at } = skipTrivia(p.text, p.offset)
  const opening = openingAt(p, at)
  if (opening === null) return null
  const wordEnd = at + opening.word.length
  const ahead = p.text.slice(wordEnd, wordEnd + MAX_LOOKAHEAD)
  const rest = p.isInner ? untilClosed(ahead) : ahead
  if (!/^(?:[\s|;]|$)/.test(rest) || /^\s*(?:[=<>]|!=)/.test(rest)) return null
  const { found } = opening
  const opens = found.kind === 'stage' ? found.syntax.opens : found.foreign.spelling.opens
  const isBeingWritten = found.kind === 'stage' && p.watch?.isWriting === true && isBegun(opens, p.text.slice(wordEnd))
  return opens.test(rest) || isBeingWritten ? found : null
}

/** What stands before the bracket that closes the pipeline: others may open and close in it. */
function untilClosed(text: string): string {
  let depth = 0
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]]/g)) {
    if (found === '[') depth++
    else if (found === ']' && depth-- === 0) return text.slice(0, index)
  }
  return text
}

/** The text ends in the first word behind that of the stage, or with another word it would be the stage. */
function isBegun(opens: RegExp, rest: string): boolean {
  if (/^\s+[^\s|]*$/.test(rest)) return true
  return !rest.includes('|') && ['x', ' x', '1', '"x"', 'as x'].some(next => opens.test(rest + next))
}

function openingAt(p: Parser, at: number): { readonly word: string; readonly found: Opening } | null {
  WORD.lastIndex = at
  const hyphenated = WORD.exec(p.text)?.[0]
  if (hyphenated === undefined) return null
  const plain = hyphenated.split('-')[0] ?? ''
  for (const word of [hyphenated, plain]) {
    // `project-x` is not what `project` is; `sort-ms` is a sort.
    const foreign = word === hyphenated ? FOREIGN_SPELLINGS.get(word.toLowerCase()) : undefined
    if (foreign !== undefined) return { word, found: { kind: 'foreign', foreign } }
    const keyword = STAGE_KEYWORDS.find(k => k === word.toLowerCase())
    if (keyword !== undefined) return { word, found: { kind: 'stage', syntax: syntaxOf(keyword) } }
  }
  return null
}

/** A stage, standing at its first token; not at a stage end. */
export function parseStage(p: Parser): AstStage {
  const first = p.peek()
  const opening = first.kind === 'name' ? openingAt(p, first.start) : null
  // `status_code` begins with a word, and is none.
  if (opening !== null && isWhole(first, opening.word) && !continuesPredicate(p, opening.found)) {
    if (opening.found.kind === 'foreign') return parseForeign(p, opening.found.foreign, first, opening.word)
    p.watch?.openStage(opening.found.syntax.keyword)
    return opening.found.syntax.parse(p, p.take('stage'))
  }
  if (first.kind === 'name') advise(p, first)
  const predicate = p.speculate(() => {
    const expr = parseExpression(p)
    const isTypo = expr.kind === 'field' && nearStage(expr.name) !== null
    return p.atStageEnd() && isPredicate(expr) && !isTypo ? expr : null
  })
  if (predicate !== null) {
    return { kind: 'where', span: p.spanFrom(first.start), predicate, implicit: true }
  }
  return parseBrokenStage(p, first)
}

/** A stage that we do not have, and what to do instead; not when the word is a field of a condition. */
function advise(p: Parser, first: Token): void {
  const advice = ADVICE.get(first.text.toLowerCase())
  if (advice === undefined || isOperator(p.peekSecond())) return
  p.take('stage')
  p.skipStage()
  const span = { start: first.start, end: first.end }
  const before = p.text.slice(0, first.start).search(/\s*\|\s*$/)
  const isDropped = advice.drop === true && before !== -1
  const edit = { span: { start: before, end: p.peek().start }, text: '' }
  p.fail({ code: 'E307', message: advice.message, span, ...(isDropped && { edit }) })
}

function isWhole(token: Token, word: string): boolean {
  return word.includes('-') ? word.startsWith(token.text) : token.text.length === word.length
}

/** Whether the word before it is a field of a predicate rather than a stage: `count > 5`, `rate(1m) > 5`. */
function continuesPredicate(p: Parser, found: Opening): boolean {
  const second = p.peekSecond()
  // `sort +x` and `fields - a` are stages; `count` and `rate` are computed with.
  if (found.kind === 'stage' && found.syntax.isFunction && isPunctuation(second, '(', '+', '-', '*')) return true
  if (found.kind === 'foreign' && found.foreign.spelling.isFunction && isCalled(p, second)) return true
  if (second.kind === 'keyword') {
    // `extend in = 1`: a reserved word where a name should stand.
    if (/^\s*(?:=(?!=)|[,|]|$)/.test(p.text.slice(second.end, second.end + 40))) return false
    if (second.text !== 'not') return ['and', 'or', 'in', 'between'].includes(second.text)
    return /^\s*(?:in|between)\b/i.test(p.text.slice(second.end, second.end + 40))
  }
  return isPunctuation(second, '=', '==', '===', '!=', '<>', '<', '<=', '>', '>=', '??', '/', '%', '.', '?.')
}

/** A bracket right behind the word. */
function isCalled(p: Parser, second: Token): boolean {
  return isPunctuation(second, '(') && second.start === p.peek().end
}

/** What can be true or false. `a - b` cannot, so it is no predicate but more likely a stage that does not exist. */
export function isPredicate(expr: AstExpr): boolean {
  switch (expr.kind) {
    case 'binary':
      return !['+', '-', '*', '/', '%'].includes(expr.operator)
    case 'literal':
      return expr.value.type === 'bool' || expr.value.type === 'null'
    case 'negate':
    case 'array':
    case 'object':
      return false
    default:
      return true
  }
}

function nearStage(word: string): string | null {
  return suggestName(word, STAGE_KEYWORDS)
}

/** Neither stage nor predicate: says which of the two it was most likely meant to be. */
function parseBrokenStage(p: Parser, first: Token): AstStage {
  const second = p.peekSecond()
  const isWordThenMore = first.kind === 'name' && !isOperator(second) && !isForeignInfix(p, second)
  if (!isWordThenMore) {
    const predicate = parseExpression(p)
    if (!p.atStageEnd()) p.unexpected(["'|'", 'an operator'], "an operator or '|'")
    const span = p.spanFrom(first.start)
    if (isPredicate(predicate)) return { kind: 'where', span, predicate, implicit: true }
    if (first.kind !== 'name') p.fail({ code: 'E207', message: 'a stage without a keyword is a condition', span })
  }
  return unknownStage(p, first)
}

function isOperator(token: Token): boolean {
  if (token.kind === 'keyword') return ['and', 'or', 'in', 'between', 'not'].includes(token.text)
  return token.kind === 'punctuation' && !['|', '||', ';', ',', ')', ']', '}', ':'].includes(token.text)
}

function unknownStage(p: Parser, first: Token): never {
  const span = { start: first.start, end: first.end }
  const word = first.text.toLowerCase()
  if (PLANNED_STAGES.has(word)) p.fail({ code: 'E403', message: `the stage '${word}' is not available here`, span })
  const near = nearStage(word) ?? nearForeign(word)
  return p.fail({
    code: 'E102',
    message: `there is no stage ${describeToken(first)}`,
    span,
    ...(near !== null && { suggestion: near, edit: { span, text: near } }),
  })
}

function nearForeign(word: string): string | null {
  const near = suggestName(word, FOREIGN_SPELLINGS.keys())
  return near === null ? null : (FOREIGN_SPELLINGS.get(near)?.stage.keyword ?? null)
}

function parseForeign(p: Parser, { spelling, stage }: Foreign, first: Token, written: string): AstStage {
  const word = { start: first.start, end: first.start + written.length }
  p.moveTo(word.end)
  p.watch?.mark(word.start, word.end, 'stage')
  p.watch?.openStage(stage.keyword)
  const message = `'${written}' is written '${stage.keyword}' here`
  if (spelling.rewrite === 'keyword') {
    const edit = { span: word, text: stage.keyword }
    p.report({ code: 'E307', message, span: word, suggestion: stage.keyword, edit })
    return stage.parse(p, first)
  }
  p.skipStage()
  const end = word.end + p.text.slice(word.end, p.peek().start).trimEnd().length
  const body = p.text.slice(word.end, end).trim()
  const text = body.length > MAX_FOREIGN_BODY ? null : spelling.rewrite(body)
  const span = { start: word.start, end }
  return p.fail({
    code: 'E307',
    message,
    span: word,
    ...(text !== null && { suggestion: text, edit: { span, text } }),
  })
}
