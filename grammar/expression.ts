/** Expressions: one grammar everywhere. Climbs the table in precedence.ts; chains of operators are read in a loop. */
import type { AstExpr, BinaryOperator } from './ast.ts'
import { atForeignConditional, foreignConditional } from './foreign/expressions.ts'
import { foreignInfix, isForeignInfix, notInList } from './foreign/operators.ts'
import { parseList, parseLiteral, parsePostfix, parsePrimary } from './operand.ts'
import { isPunctuation, isWord, MAX_HEIGHT, type Parser } from './parser.ts'
import { binaryPrecedence, isBinaryOperator, PRECEDENCE } from './precedence.ts'
import type { Token } from './token.ts'

/** An expression whose operators all bind at least as tightly as `min`. */
export function parseExpression(p: Parser, min: number = PRECEDENCE.or): AstExpr {
  const start = p.peek().start
  const expr = continueExpression(p, parsePrefix(p, min), start, min)
  return min <= PRECEDENCE.or && atForeignConditional(p) ? foreignConditional(p, expr, start) : expr
}

/** The operators after an operand that has been read already and starts at `start`, its brackets included. */
export function continueExpression(p: Parser, first: AstExpr, start: number, min: number): AstExpr {
  let left = first
  let height = p.height
  let middle: { readonly expr: AstExpr; readonly start: number } | null = null
  for (;;) {
    if (p.watch !== null) p.expects({ kind: 'operator', min, afterComparison: middle !== null })
    const infix = infixAt(p, min)
    if (infix === null) break
    const chained = infix.level === PRECEDENCE.comparison ? middle : null
    const operatorToken = p.peek()
    const leftEnd = p.lastEnd
    if (infix.level === PRECEDENCE.comparison && middle !== null) {
      reportChain(p, infix, operatorToken, leftEnd, middle.start)
    }
    if (infix.kind === 'binary') {
      takeOperator(p, infix.operator)
      const rightStart = p.peek().start
      const compared = infix.level === PRECEDENCE.comparison ? left : null
      const right = p.comparedWith(compared, () => parseExpression(p, infix.level + 1))
      const span = p.spanFrom(start)
      if (chained === null) {
        left = { kind: 'binary', span, operator: infix.operator, left, right }
      } else {
        const second: AstExpr = { kind: 'binary', span, operator: infix.operator, left: chained.expr, right }
        left = { kind: 'binary', span, operator: 'and', left, right: second }
      }
      if (infix.level === PRECEDENCE.comparison) middle = { expr: right, start: rightStart }
    } else if (infix.kind === 'foreign') {
      left = foreignInfix(p, left, p.fixedText(start, leftEnd), start)
      middle = { expr: left, start: -1 }
    } else {
      left = infix.kind === 'in' ? parseIn(p, left, start) : parseBetween(p, left, start)
      middle = { expr: left, start: -1 }
    }
    if (infix.level !== PRECEDENCE.comparison) middle = null
    height = Math.max(height, p.height) + 1
    if (height > MAX_HEIGHT) {
      p.tooDeep(operatorToken, `more than ${MAX_HEIGHT} operators in a row; 'in [...]' compares with many values`)
    }
  }
  p.height = height
  return left
}

type Infix =
  | { readonly kind: 'binary'; readonly level: number; readonly operator: BinaryOperator }
  | { readonly kind: 'in' | 'between' | 'foreign'; readonly level: number }

/** How people from other languages write our operators; reported when the operator is taken. */
const MISWRITTEN: Readonly<Record<string, BinaryOperator>> = {
  '=': '==',
  '===': '==',
  '!==': '!=',
  '<>': '!=',
  '=>': '>=',
  '=<': '<=',
  '&&': 'and',
  '||': 'or',
}

function infixAt(p: Parser, min: number): Infix | null {
  const infix = infixOf(p)
  return infix !== null && infix.level >= min ? infix : null
}

function infixOf(p: Parser): Infix | null {
  const token = p.peek()
  const { comparison } = PRECEDENCE
  if (token.kind === 'punctuation') {
    const operator = MISWRITTEN[token.text] ?? token.text
    if (isBinaryOperator(operator)) return { kind: 'binary', level: binaryPrecedence(operator), operator }
    if (token.text === '!') return foreignNegation(p)
    return token.text === '=~' || token.text === '!~' ? { kind: 'foreign', level: comparison } : null
  }
  if (token.kind === 'keyword') {
    if (token.text === 'or' || token.text === 'and') {
      return { kind: 'binary', level: binaryPrecedence(token.text), operator: token.text }
    }
    if (token.text === 'in' || token.text === 'between') return { kind: token.text, level: comparison }
    if (token.text !== 'not') return null
    const second = p.peekSecond()
    if (second.kind === 'keyword' && (second.text === 'in' || second.text === 'between')) {
      return { kind: second.text, level: comparison }
    }
    return isForeignInfix(p, second) && !isWord(second, 'is') ? { kind: 'foreign', level: comparison } : null
  }
  return isForeignInfix(p, token) ? { kind: 'foreign', level: comparison } : null
}

/** KQL's `!in`, `!contains`: the `!` stands right before the word. */
function foreignNegation(p: Parser): Infix | null {
  const second = p.peekSecond()
  if (second.start !== p.peek().end) return null
  const level = PRECEDENCE.comparison
  if (second.kind === 'keyword' && (second.text === 'in' || second.text === 'between'))
    return { kind: second.text, level }
  return isForeignInfix(p, second) ? { kind: 'foreign', level } : null
}

function takeOperator(p: Parser, operator: BinaryOperator): void {
  const token = p.take()
  if (token.kind === 'keyword' || token.text === operator) return
  const span = { start: token.start, end: token.end }
  const isAssignment = token.text === '='
  const message = isAssignment ? "'=' assigns; '==' compares" : `'${token.text}' is written '${operator}' here`
  const edit = { span, text: operator === 'and' || operator === 'or' ? p.padded(token, operator) : operator }
  p.report({ code: isAssignment ? 'E304' : 'E307', message, span, suggestion: operator, edit })
}

function reportChain(p: Parser, infix: Infix, operator: Token, at: number, middleStart: number): void {
  const span = { start: operator.start, end: operator.end }
  const message = "comparisons do not chain; join them with 'and'"
  const isRange = infix.kind === 'binary' && /^[<>]/.test(infix.operator) && middleStart >= 0
  if (!isRange) p.fail({ code: 'E308', message, span })
  const middle = p.fixedText(middleStart, at)
  const suggestion = `and ${middle} ${operator.text}`
  p.report({
    code: 'E308',
    message,
    span,
    ...(suggestion.length <= 80 && { suggestion }),
    edit: { span: { start: at, end: at }, text: ` and ${middle}` },
  })
}

function parseIn(p: Parser, operand: AstExpr, start: number): AstExpr {
  const negated = takeNegation(p)
  p.take()
  const list = p.comparedWith(operand, () =>
    p.isPunctuation('(') ? parseBracketedList(p) : parseExpression(p, PRECEDENCE.coalesce),
  )
  return { kind: 'in', span: p.spanFrom(start), operand, list, negated }
}

/** After `in`, `(a, b)` is how SQL writes a list; `(expr)` is an ordinary operand. */
function parseBracketedList(p: Parser): AstExpr {
  const open = p.take()
  const elements = p.nested(open, () => parseList(p, open, ')', () => parseExpression(p)))
  const only = elements.length === 1 ? elements[0] : undefined
  if (only !== undefined && (only.kind !== 'literal' || isPunctuation(p.peek(), '.', '?.', '['))) {
    return continueExpression(p, parsePostfix(p, only, open.start), open.start, PRECEDENCE.coalesce)
  }
  return notInList(p, open, elements)
}

function parseBetween(p: Parser, operand: AstExpr, start: number): AstExpr {
  const negated = takeNegation(p)
  p.take()
  if (
    p.isPunctuation('(') &&
    /^\((?:[^()|]|\([^()|]*\))*?\.\./.test(p.text.slice(p.peek().start, p.peek().start + 300))
  ) {
    return rangeAsBetween(p, operand, start, negated)
  }
  const low = p.comparedWith(operand, () => parseExpression(p, PRECEDENCE.coalesce))
  const height = p.height
  if (p.watch !== null) p.expects({ kind: 'word', word: 'and' })
  if (p.isKeyword('and')) p.take()
  else p.unexpected(["'and'"], "the 'and' of between")
  const high = p.comparedWith(operand, () => parseExpression(p, PRECEDENCE.coalesce))
  p.height = Math.max(p.height, height)
  return { kind: 'between', span: p.spanFrom(start), operand, low, high, negated }
}

/** KQL's `between (a .. b)`. */
function rangeAsBetween(p: Parser, operand: AstExpr, start: number, negated: boolean): AstExpr {
  const open = p.take()
  const bound = (): { readonly expr: AstExpr; readonly text: string } => {
    const from = p.peek().start
    const expr = parseExpression(p, PRECEDENCE.coalesce)
    return { expr, text: p.fixedText(from, p.lastEnd) }
  }
  const low = bound()
  p.expectPunctuation('..', "the '..' of the range")
  const high = bound()
  p.expectClosing(')', open)
  const span = p.spanFrom(open.start)
  const text = `${low.text} and ${high.text}`
  p.report({
    code: 'E307',
    message: "a range is written 'between a and b' here",
    span,
    suggestion: text,
    edit: { span, text },
  })
  return { kind: 'between', span: p.spanFrom(start), operand, low: low.expr, high: high.expr, negated }
}

function takeNegation(p: Parser): boolean {
  if (p.isPunctuation('!')) {
    const { start, end } = p.take()
    const message = "'!' is written 'not' here"
    p.report({
      code: 'E307',
      message,
      span: { start, end },
      suggestion: 'not',
      edit: { span: { start, end }, text: 'not ' },
    })
    return true
  }
  const negated = p.isKeyword('not')
  if (negated) p.take()
  return negated
}

function parsePrefix(p: Parser, min: number): AstExpr {
  if (p.watch !== null) p.expects({ kind: 'operand', min })
  const token = p.peek()
  if (token.kind === 'keyword' && token.text === 'not') {
    if (min > PRECEDENCE.not) p.unexpected(["'('"], "a value (write '(not …)')")
    p.take()
    const operand = p.nested(token, () => parseExpression(p, PRECEDENCE.not))
    p.height++
    return { kind: 'not', span: p.spanFrom(token.start), operand }
  }
  if (isPunctuation(token, '!')) {
    p.take()
    const span = { start: token.start, end: token.end }
    p.report({
      code: 'E307',
      message: "'!' is written 'not' here",
      span,
      suggestion: 'not',
      edit: { span, text: 'not ' },
    })
    const operand = p.nested(token, () => parseExpression(p, PRECEDENCE.negate))
    p.height++
    return { kind: 'not', span: p.spanFrom(token.start), operand }
  }
  if (isPunctuation(token, '-')) {
    p.take()
    return p.nested(token, () => parseNegative(p, token.start))
  }
  return parsePostfix(p, parsePrimary(p), token.start)
}

/** `-5` is one literal, so that the smallest int can be written; `-(5)` and `-5.f` are negations. */
function parseNegative(p: Parser, start: number): AstExpr {
  const number = p.peek()
  if (number.kind === 'literal' && !isPunctuation(p.peekSecond(), '.', '?.', '[')) {
    const folded = parseLiteral(p, start)
    if (folded !== null) return folded
  }
  const operand = parseExpression(p, PRECEDENCE.negate)
  p.height++
  return { kind: 'negate', span: p.spanFrom(start), operand }
}
