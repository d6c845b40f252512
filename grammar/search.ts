/**
 * Search terms: `timeout host=web-* "connection reset" (status>=500 or not level=info)`. They have a lexis of their own (a
 * word may be `10.0.0.1` or `req-42`) and mean ordinary expressions over `_raw` and fields.
 */
import type { AstExpr } from './ast.ts'
import { reportLuceneTerm } from './foreign/lucene.ts'
import { lexToken, skipTrivia } from './lexer.ts'
import { MAX_HEIGHT, type Parser } from './parser.ts'
import {
  fieldCondition,
  INNER_VALUE_WORD,
  rawCondition,
  VALUE_WORD,
  WORD,
  wordCondition,
  wordLiteral,
} from './search-words.ts'
import { printString } from './strings.ts'
import { quoteField, quoteName, type Token } from './token.ts'
import type { Expectation, WordRole } from './watch.ts'

const OPERATOR = /\s*(===|!==|==|!=|<>|<=|>=|=~|!~|=|<|>)/y
/** `[-1h]`, `[@d]`, `[2026-06-01..2026-06-02]`, `[..-1d]` where a search should begin. */
const TIME_RANGE = /\[\s*(?:[-@\d]|\.\.|now\b)[^[\]|]*\]/iy
const IN_LIST = /\s+(not\s+)?in\s*([([])/iy

/** The terms up to `|`, `;` or the end; null when there are none. */
export function parseSearch(p: Parser): AstExpr | null {
  if (atTermsEnd(p)) return null
  const terms = parseOr(p)
  if (!atTermsEnd(p)) unexpectedTerm(p)
  return terms
}

function atTermsEnd(p: Parser): boolean {
  const at = place(p)
  const char = p.text[at]
  return char === undefined || char === ';' || (char === ']' && p.isInner) || (char === '|' && p.text[at + 1] !== '|')
}

/** The offset of the next term; the parser is moved there, so that spans begin at the term. */
function place(p: Parser): number {
  const { at, problem } = skipTrivia(p.text, p.offset)
  if (problem !== null) p.report(problem)
  return at
}

function parseOr(p: Parser): AstExpr {
  const start = place(p)
  let left = parseAnd(p)
  let height = p.height
  while (takeJoin(p, 'or', '||')) {
    const right = parseAnd(p)
    left = { kind: 'binary', span: p.spanFrom(start), operator: 'or', left, right }
    height = taller(p, height)
  }
  p.height = height
  return left
}

function parseAnd(p: Parser): AstExpr {
  const start = place(p)
  let left = parseNot(p)
  let height = p.height
  expectJoin(p)
  while (takeJoin(p, 'and', '&&') || startsTerm(p)) {
    const right = parseNot(p)
    left = { kind: 'binary', span: p.spanFrom(start), operator: 'and', left, right }
    height = taller(p, height)
    expectJoin(p)
  }
  p.height = height
  return left
}

/** For whoever watches: a word between two terms. */
function expectJoin(p: Parser): void {
  if (p.watch === null) return
  const at = place(p)
  for (const word of ['and', 'or']) {
    p.expectsWord(at, at + (wordAt(p, at)?.length ?? 0), 'term', { kind: 'word', word })
  }
  p.expects({ kind: 'pipe' })
  expectTerm(p)
}

function expectTerm(p: Parser): void {
  if (p.watch === null) return
  const at = place(p)
  p.expectsWord(at, at + (wordAt(p, at)?.length ?? 0), 'term', { kind: 'term' })
}

function taller(p: Parser, height: number): number {
  const result = Math.max(height, p.height) + 1
  if (result > MAX_HEIGHT) {
    const at = p.lastEnd
    p.tooDeep({ start: at - 1, end: at }, `more than ${MAX_HEIGHT} search terms; 'f in (...)' looks for many values`)
  }
  return result
}

function startsTerm(p: Parser): boolean {
  if (atTermsEnd(p)) return false
  const at = place(p)
  return p.text[at] !== ')' && p.text[at] !== '|' && wordAt(p, at)?.toLowerCase() !== 'or'
}

function takeJoin(p: Parser, word: string, foreign: string): boolean {
  const at = place(p)
  if (wordAt(p, at)?.toLowerCase() === word) {
    p.watch?.mark(at, at + word.length, 'keyword')
    p.moveTo(at + word.length)
    return true
  }
  if (!p.text.startsWith(foreign, at)) return false
  const span = { start: at, end: at + foreign.length }
  p.report({
    code: 'E307',
    message: `'${foreign}' is written '${word}' here`,
    span,
    suggestion: word,
    edit: { span, text: p.padded(span, word) },
  })
  p.watch?.mark(at, span.end, 'keyword')
  p.moveTo(span.end)
  return true
}

function wordAt(p: Parser, at: number): string | null {
  WORD.lastIndex = at
  return p.text[at] === "'" ? null : (WORD.exec(p.text)?.[0] ?? null)
}

function parseNot(p: Parser): AstExpr {
  const start = place(p)
  expectTerm(p)
  if (wordAt(p, start)?.toLowerCase() === 'not') {
    p.watch?.mark(start, start + 3, 'keyword')
    p.moveTo(start + 3)
  } else if (p.text[start] === '!') {
    const span = { start, end: start + 1 }
    p.report({
      code: 'E307',
      message: "'!' is written 'not' here",
      span,
      suggestion: 'not',
      edit: { span, text: 'not ' },
    })
    p.moveTo(start + 1)
  } else return parseTerm(p, start)
  const operand = p.nested({ start, end: start + 3 }, () => parseNot(p))
  p.height++
  return { kind: 'not', span: p.spanFrom(start), operand }
}

function parseTerm(p: Parser, start: number): AstExpr {
  p.moveTo(start)
  p.height = 1
  const char = p.text[start] ?? ''
  if (char === '(') return parseGroup(p)
  if (char === '"' || char === "'" || p.text.startsWith('r"', start)) return parsePhrase(p)
  if (char === '`') return parseFieldTerm(p, p.take().text, start)
  const word = wordAt(p, start)
  if (word === null) return unexpectedTerm(p)
  const join = /^(?:and$|or$|&&)/i.exec(word)?.[0]
  if (join !== undefined) {
    const message = `'${join}' stands between two search terms`
    p.fail({ code: 'E301', message, span: { start, end: start + join.length }, expected: ['a search term'] })
  }
  if (reportLuceneTerm(p, word, start)) return { kind: 'bad', span: p.spanFrom(start) }
  p.moveTo(start + word.length)
  if (matchAt(OPERATOR, p.text, p.offset) !== null || matchAt(IN_LIST, p.text, p.offset) !== null) {
    p.watch?.mark(start, p.offset, 'field')
    return parseFieldTerm(p, word, start)
  }
  p.watch?.mark(start, p.offset, 'term')
  expectTermOperator(p, word)
  return wordCondition(word, p.spanFrom(start))
}

/** Behind a field its operator is next; only whoever knows the fields can tell. */
function expectTermOperator(p: Parser, word: string): void {
  if (p.watch === null || p.text.length === p.offset) return
  p.expectsWord(p.text.length, p.text.length, 'token', { kind: 'term-operator', field: word })
}

function parseGroup(p: Parser): AstExpr {
  const open = p.take()
  const inner = p.nested(open, () => {
    expectTerm(p)
    if (atTermsEnd(p)) return unexpectedTerm(p)
    return parseOr(p)
  })
  const at = place(p)
  if (p.text[at] !== ')' && !atTermsEnd(p)) unexpectedTerm(p)
  p.expectClosing(')', open)
  return inner
}

function parsePhrase(p: Parser): AstExpr {
  const token = p.peek()
  const value = stringValue(token)
  if (matchAt(OPERATOR, p.text, token.end) !== null) {
    const span = { start: token.start, end: token.end }
    const suggestion = quoteField(value.value)
    p.fail({
      code: 'E301',
      message: 'a field stands before an operator, and field names are not written in quotes',
      span,
      suggestion,
      edit: { span, text: suggestion },
    })
  }
  p.take()
  return rawCondition('contains', value.value, value.raw, p.spanFrom(token.start))
}

function stringValue(token: Token): { readonly value: string; readonly raw: boolean } {
  return token.literal?.type === 'string' ? token.literal : { value: token.text, raw: false }
}

/** Standing behind the field: an operator and a value, or `in (…)`. */
function parseFieldTerm(p: Parser, written: string, start: number): AstExpr {
  const span = p.spanFrom(start)
  const isQuoted = p.text[start] === '`'
  if (!isQuoted && quoteField(written) !== written) {
    const suggestion = quoteName(written)
    const message = `'${written}' is no bare field name; backticks make it one`
    if (!/[\p{L}\p{N}]/u.test(written)) p.fail({ code: 'E301', message, span })
    p.report({
      code: 'E301',
      message,
      span,
      suggestion,
      edit: { span, text: suggestion },
    })
  }
  const field: AstExpr = { kind: 'field', span, name: written }
  if (matchAt(OPERATOR, p.text, p.offset) === null) return parseInTerm(p, field, start)
  const operator = takeOperator(p)
  return parseValue(p, p.isInner ? INNER_VALUE_WORD : VALUE_WORD, written, (value, token) => {
    const condition = p.spanFrom(start)
    if (token === null) return fieldCondition(field, operator, value, condition, valueSpan(p, value))
    const { value: text, raw } = stringValue(token)
    const literalSpan = { start: token.start, end: token.end }
    const right: AstExpr = { kind: 'literal', span: literalSpan, value: { type: 'string', value: text, raw } }
    return { kind: 'binary', span: condition, operator, left: field, right }
  })
}

function valueSpan(p: Parser, word: string): { readonly start: number; readonly end: number } {
  return { start: p.lastEnd - word.length, end: p.lastEnd }
}

/** A value: a word as written, or the token of a quoted one. */
function parseValue<T>(p: Parser, pattern: RegExp, field: string, make: (word: string, token: Token | null) => T): T {
  const at = place(p)
  if (p.watch !== null) expectValue(p, at, pattern, field)
  p.moveTo(at)
  const char = p.text[at] ?? ''
  if (char === '"' || char === "'" || p.text.startsWith('r"', at)) return make('', p.take())
  const word = matchAt(pattern, p.text, at)
  // `f = =x`: the operator has been read already.
  if (word === null || /^[=<>~!]/.test(word)) return p.unexpected(['a value'], 'a value')
  p.moveTo(at + word.length)
  p.watch?.mark(at, p.offset, roleOfWord(word))
  return make(word, null)
}

function roleOfWord(word: string): WordRole {
  const { type } = wordLiteral(word)
  if (type === 'int' || type === 'float') return 'number'
  if (type === 'bool' || type === 'null') return 'constant'
  return word.startsWith('$') ? 'variable' : 'string'
}

function expectValue(p: Parser, at: number, pattern: RegExp, field: string): void {
  const expectation: Expectation = { kind: 'term-value', field }
  if (/^r?["']/.test(p.text.slice(at, at + 2))) p.expects(expectation)
  else p.expectsWord(at, at + (matchAt(pattern, p.text, at)?.length ?? 0), 'value', expectation)
}

type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '==',
  '==': '==',
  '===': '==',
  '!=': '!=',
  '!==': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

function takeOperator(p: Parser): Comparison {
  const written = matchAt(OPERATOR, p.text, p.offset) ?? ''
  const text = written.trim()
  const end = p.offset + written.length
  const span = { start: end - text.length, end }
  p.watch?.mark(span.start, span.end, 'operator')
  const comparison = COMPARISONS[text]
  if (comparison === undefined) {
    return p.fail({ code: 'E307', message: `'${text}' is no search operator; '| where matches(f, r"…")' is`, span })
  }
  const ours = comparison === '==' ? '=' : comparison
  if (text !== ours) {
    const isComparison = text === '=='
    const message = isComparison
      ? "'==' compares expressions; '=' binds a field to a value in search terms"
      : `'${text}' is written '${ours}' in search terms`
    p.report({ code: isComparison ? 'E305' : 'E307', message, span, suggestion: ours, edit: { span, text: ours } })
  }
  p.moveTo(end)
  return comparison
}

function parseInTerm(p: Parser, field: AstExpr, start: number): AstExpr {
  const written = matchAt(IN_LIST, p.text, p.offset)
  if (written === null) return p.unexpected(["'='", "'in'"], "'=' after a field")
  const negated = /^\s+not/i.test(written)
  p.watch?.mark(p.offset + written.search(/\S/), p.offset + written.slice(0, -1).trimEnd().length, 'keyword')
  p.moveTo(p.offset + written.length - 1)
  const open = p.take()
  const close = open.text === '(' ? ')' : ']'
  const elements: AstExpr[] = []
  const name = field.kind === 'field' ? field.name : ''
  while (p.text[place(p)] !== close && (!atTermsEnd(p) || isBeingWritten(p))) {
    elements.push(parseValue(p, WORD, name, (word, token) => listElement(p, word, token)))
    const at = place(p)
    if (p.text[at] !== ',') break
    p.moveTo(at + 1)
  }
  p.expectClosing(close, open)
  const list: AstExpr = { kind: 'array', span: p.spanFrom(open.start), elements }
  if (open.text === '[') {
    const text = `(${p.fixedText(open.end, p.lastEnd).replace(/\]$/, '')})`
    const message = 'lists stand in round brackets in search terms'
    p.report({ code: 'E307', message, span: list.span, suggestion: text, edit: { span: list.span, text } })
  }
  p.height = 2
  return { kind: 'in', span: p.spanFrom(start), operand: field, list, negated }
}

/** Behind a bracket or comma that ends the text a value is next all the same. */
function isBeingWritten(p: Parser): boolean {
  return p.watch?.isWriting === true && p.peek().kind === 'end'
}

function listElement(p: Parser, word: string, token: Token | null): AstExpr {
  if (token === null) return { kind: 'literal', span: valueSpan(p, word), value: wordLiteral(word) }
  const { value, raw } = stringValue(token)
  return { kind: 'literal', span: { start: token.start, end: token.end }, value: { type: 'string', value, raw } }
}

function unexpectedTerm(p: Parser): never {
  const at = place(p)
  const token = lexToken(p.text, at)
  if (token.problem !== null) return p.fail(token.problem)
  p.moveTo(at)
  const char = p.text[at] ?? ''
  if (char === '' || char === '|') return p.unexpected(['a search term'], 'a search term')
  const range = /^\s*$/.test(p.text.slice(0, at)) ? matchAt(TIME_RANGE, p.text, at) : null
  if (range !== null) {
    const span = { start: at, end: at + range.length }
    const suggestion = `from main${range}`
    const message = 'a time range stands behind the index it is of'
    p.fail({ code: 'E301', message, span, suggestion, edit: { span, text: suggestion } })
  }
  const span = { start: at, end: at + char.length }
  const message = `'${char}' is part of a search term only in quotes, such as ${printString(char)}`
  return p.fail({ code: 'E301', message, span, expected: ['a search term'] })
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}
