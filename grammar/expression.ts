/** Expressions: one grammar everywhere. Climbs the table in precedence.ts; chains of operators are read in a loop. */
import type { AstExpr, AstLiteral, BinaryOperator } from './ast.ts'
import { foreignInfix, notInList, starArgument } from './foreign-operators.ts'
import { lexToken } from './lexer.ts'
import { isPunctuation, isWord, MAX_HEIGHT, type Parser } from './parser.ts'
import { binaryPrecedence, isBinaryOperator, PRECEDENCE } from './precedence.ts'
import type { Token } from './token.ts'

const OPERAND = ['a field', 'a value', "'('"]
const INT64_MAX = 2n ** 63n - 1n

/** An expression whose operators all bind at least as tightly as `min`. */
export function parseExpression(p: Parser, min: number = PRECEDENCE.or): AstExpr {
  const start = p.peek().start
  return continueExpression(p, parsePrefix(p, min), start, min)
}

/** The operators after an operand that has been read already and starts at `start`, its brackets included. */
export function continueExpression(p: Parser, first: AstExpr, start: number, min: number): AstExpr {
  let left = first
  let height = p.height
  let middle: { readonly expr: AstExpr; readonly start: number } | null = null
  for (;;) {
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
      const right = parseExpression(p, infix.level + 1)
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

const FOREIGN_INFIX = new Set(['like', 'is', 'contains', 'has', 'matches', 'startswith', 'endswith'])

/** `like`, `contains` and their kind between operands, where we have functions. */
export function isForeignInfix(p: Parser, token: Token): boolean {
  if (token.kind !== 'name' || !FOREIGN_INFIX.has(token.text.toLowerCase())) return false
  const second = lexToken(p.text, token.end)
  if (!isWord(token, 'is')) return second.literal?.type === 'string'
  return second.kind === 'keyword' && (second.text === 'null' || second.text === 'not')
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
  const list = p.isPunctuation('(') ? parseBracketedList(p) : parseExpression(p, PRECEDENCE.coalesce)
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
  const low = parseExpression(p, PRECEDENCE.coalesce)
  const height = p.height
  if (p.isKeyword('and')) p.take()
  else p.unexpected(["'and'"], "the 'and' of between")
  const high = parseExpression(p, PRECEDENCE.coalesce)
  p.height = Math.max(p.height, height)
  return { kind: 'between', span: p.spanFrom(start), operand, low, high, negated }
}

function takeNegation(p: Parser): boolean {
  const negated = p.isKeyword('not')
  if (negated) p.take()
  return negated
}

function parsePrefix(p: Parser, min: number): AstExpr {
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

function parseLiteral(p: Parser, negativeFrom: number | null): AstLiteral | null {
  const token = p.peek()
  const sign = negativeFrom === null ? 1 : -1
  const literal = token.literal
  if (literal === null || (sign === -1 && (literal.type === 'string' || literal.type === 'datetime'))) return null
  p.take()
  p.height = 1
  const span = p.spanFrom(negativeFrom ?? token.start)
  switch (literal.type) {
    case 'int': {
      const value = sign === -1 ? -literal.value : literal.value
      if (value <= INT64_MAX && value >= -INT64_MAX - 1n)
        return { kind: 'literal', span, value: { type: 'int', value } }
      const float = Number(value)
      if (Number.isFinite(float)) return { kind: 'literal', span, value: { type: 'float', value: float } }
      return p.fail({ code: 'E310', message: 'the number is too large', span: { start: token.start, end: token.end } })
    }
    case 'float':
      return { kind: 'literal', span, value: { type: 'float', value: sign * literal.value } }
    case 'duration': {
      const text = sign === -1 ? `-${literal.text}` : literal.text
      // `0 -` keeps a zero duration from becoming minus zero.
      return { kind: 'literal', span, value: { type: 'duration', ns: sign === -1 ? 0 - literal.ns : literal.ns, text } }
    }
    default:
      return { kind: 'literal', span, value: literal }
  }
}

/** `.f`, `?.f` and `[i]` after an operand that starts at `start`. */
function parsePostfix(p: Parser, first: AstExpr, start: number): AstExpr {
  let object = first
  let height = p.height
  for (;;) {
    const token = p.peek()
    if (isPunctuation(token, '.', '?.')) {
      p.take()
      const name = p.peek()
      if (name.kind !== 'name' && name.kind !== 'quoted-name' && name.kind !== 'keyword') {
        p.unexpected(['a member name'], 'the name of a member')
      }
      p.take()
      const written = name.kind === 'keyword' ? p.text.slice(name.start, name.end) : name.text
      let optional = token.text === '?.'
      for (const part of name.kind === 'name' ? written.split('.') : [written]) {
        object = { kind: 'member', span: p.spanFrom(start), object, name: part, optional }
        optional = false
        height++
      }
    } else if (isPunctuation(token, '[')) {
      p.take()
      const index = p.nested(token, () => parseExpression(p))
      p.expectClosing(']', token)
      object = { kind: 'index', span: p.spanFrom(start), object, index }
      height = Math.max(height, p.height) + 1
    } else {
      p.height = height
      return object
    }
    if (height > MAX_HEIGHT) p.tooDeep(token, `more than ${MAX_HEIGHT} members in a row`)
  }
}

function parsePrimary(p: Parser): AstExpr {
  const token = p.peek()
  const literal = parseLiteral(p, null)
  if (literal !== null) return literal
  p.height = 1
  switch (token.kind) {
    case 'name': {
      const second = p.peekSecond()
      if (isPunctuation(second, '(') || (isPunctuation(second, '!') && p.text[second.end] === '(')) return parseCall(p)
      p.take()
      return { kind: 'field', span: p.spanFrom(token.start), name: token.text }
    }
    case 'quoted-name':
      p.take()
      return { kind: 'field', span: p.spanFrom(token.start), name: token.text }
    case 'variable':
      p.take()
      return { kind: 'variable', span: p.spanFrom(token.start), name: token.text }
    case 'keyword':
      if (token.text === 'true' || token.text === 'false') {
        p.take()
        return { kind: 'literal', span: p.spanFrom(token.start), value: { type: 'bool', value: token.text === 'true' } }
      }
      if (token.text === 'null') {
        p.take()
        return { kind: 'literal', span: p.spanFrom(token.start), value: { type: 'null' } }
      }
      return p.unexpected(OPERAND, 'a value')
    default:
      return parseBracketed(p, token)
  }
}

function parseBracketed(p: Parser, token: Token): AstExpr {
  if (isPunctuation(token, '(')) {
    p.take()
    const inner = p.nested(token, () => parseExpression(p))
    p.expectClosing(')', token)
    return inner
  }
  if (isPunctuation(token, '[')) {
    p.take()
    const elements = p.nested(token, () => parseList(p, token, ']', () => parseExpression(p)))
    return { kind: 'array', span: p.spanFrom(token.start), elements }
  }
  if (isPunctuation(token, '{')) {
    p.take()
    const members = p.nested(token, () => parseList(p, token, '}', () => parseMember(p)))
    return { kind: 'object', span: p.spanFrom(token.start), members }
  }
  return p.unexpected(OPERAND, 'a value')
}

/** Items between commas up to `close`, which is taken; leaves the height of what holds them. */
export function parseList<T>(p: Parser, open: Token, close: string, parseItem: () => T): T[] {
  const items: T[] = []
  let height = 0
  while (!p.isPunctuation(close)) {
    if (p.atStageEnd() && p.peek().text !== '||') break
    items.push(parseItem())
    height = Math.max(height, p.height)
    if (p.acceptPunctuation(',') === null) break
  }
  p.expectClosing(close, open)
  p.height = height + 1
  return items
}

function parseMember(p: Parser): { readonly name: string; readonly value: AstExpr } {
  const key = p.peek()
  const isString = key.literal?.type === 'string'
  if (!isString && key.kind !== 'name' && key.kind !== 'quoted-name' && key.kind !== 'keyword') {
    p.unexpected(['a key', "'}'"], 'a key of the object')
  }
  p.take()
  const name = key.literal?.type === 'string' ? key.literal.value : keyText(p, key)
  p.expectPunctuation(':', "the ':' after a key")
  return { name, value: parseExpression(p) }
}

function keyText(p: Parser, key: Token): string {
  return key.kind === 'keyword' ? p.text.slice(key.start, key.end) : key.text
}

/** A call, standing at its name: `f(a, b)`, `int!(x)`, `count(where p)`. */
export function parseCall(p: Parser): Extract<AstExpr, { kind: 'call' }> {
  const name = p.take()
  const strict = p.acceptPunctuation('!') !== null
  const open = p.expectPunctuation('(', "the '(' of a call")
  let where: AstExpr | null = null
  let height = 0
  const args: AstExpr[] = []
  p.nested(open, () => {
    while (!p.isPunctuation(')') && !(p.atStageEnd() && p.peek().text !== '||')) {
      if (atTrailingWhere(p)) {
        p.take()
        where = parseExpression(p)
        height = Math.max(height, p.height)
        break
      }
      if (!starArgument(p)) args.push(parseArgument(p))
      height = Math.max(height, p.height)
      // A comma before `where` is usual; people leave it out, and nothing else could be meant.
      if (p.acceptPunctuation(',') === null && !atTrailingWhere(p)) break
    }
  })
  p.expectClosing(')', open)
  p.height = height + 1
  const nameSpan = { start: name.start, end: name.end }
  return { kind: 'call', span: p.spanFrom(name.start), name: name.text.toLowerCase(), nameSpan, args, where, strict }
}

function parseArgument(p: Parser): AstExpr {
  const token = p.peek()
  if ((token.kind !== 'name' && token.kind !== 'quoted-name') || !isPunctuation(p.peekSecond(), '->')) {
    return parseExpression(p)
  }
  p.take()
  p.take()
  const body = p.nested(token, () => parseExpression(p))
  p.height++
  return { kind: 'lambda', span: p.spanFrom(token.start), parameter: token.text, body }
}

/** `where` with an operand after it; a field of that name has an operator, a comma or a bracket there. */
function atTrailingWhere(p: Parser): boolean {
  if (!p.isWord('where')) return false
  const second = p.peekSecond()
  if (second.kind === 'keyword') {
    if (second.text !== 'not') return second.text === 'true' || second.text === 'false' || second.text === 'null'
    const third = lexToken(p.text, second.end)
    return !(third.kind === 'keyword' && (third.text === 'in' || third.text === 'between')) && !isForeignInfix(p, third)
  }
  if (second.kind === 'name') return !isForeignInfix(p, second)
  return ['literal', 'quoted-name', 'variable'].includes(second.kind) || isPunctuation(second, '(', '{', '!')
}
