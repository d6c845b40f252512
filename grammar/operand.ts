/** What operators stand between: literals, fields, calls, brackets, and the `.f` and `[i]` behind them. */
import type { AstExpr, AstLiteral } from './ast.ts'
import { parseExpression } from './expression.ts'
import { isForeignCall, reportForeignCall } from './foreign/calls.ts'
import { foreignCast, foreignCastOperator, foreignOperand } from './foreign/expressions.ts'
import { isForeignInfix, starArgument } from './foreign/operators.ts'
import { lexToken } from './lexer.ts'
import { isPunctuation, isWord, MAX_HEIGHT, type Parser } from './parser.ts'
import type { Token } from './token.ts'

const OPERAND = ['a field', 'a value', "'('"]
const INT64_MAX = 2n ** 63n - 1n

/** With `negativeFrom`, the offset of a minus sign, the negative number; null when no literal stands there. */
export function parseLiteral(p: Parser, negativeFrom: number | null): AstLiteral | null {
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
export function parsePostfix(p: Parser, first: AstExpr, start: number): AstExpr {
  let object = first
  let height = p.height
  for (;;) {
    const token = p.peek()
    if (isPunctuation(token, '.') && p.peekSecond().literal?.type === 'string') return concatenated(p, object)
    if (isPunctuation(token, '::')) foreignCastOperator(p, start)
    else if (isPunctuation(token, '.', '?.')) {
      p.take()
      const name = p.peek()
      if (p.watch !== null) p.expects({ kind: 'name' })
      if (name.kind !== 'name' && name.kind !== 'quoted-name' && name.kind !== 'keyword') {
        p.unexpected(['a member name'], 'the name of a member')
      }
      p.take('field')
      const written = name.kind === 'keyword' ? p.text.slice(name.start, name.end) : name.text
      let optional = token.text === '?.'
      for (const part of name.kind === 'name' ? written.split('.') : [written]) {
        object = { kind: 'member', span: p.spanFrom(start), object, name: part, optional }
        optional = false
        height++
      }
    } else if (isPunctuation(token, '[')) {
      p.take()
      const index = p.comparedWith(null, () => p.nested(token, () => parseExpression(p)))
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

/** SPL's `host."-web"`: the rest is read as if there had been a `+`. */
function concatenated(p: Parser, object: AstExpr): AstExpr {
  const { start, end } = p.take()
  const span = { start, end }
  p.report({
    code: 'E307',
    message: "'.' joins texts in other languages; '+' does here",
    span,
    suggestion: '+',
    edit: { span, text: p.padded(span, '+') },
  })
  parsePostfix(p, parsePrimary(p), p.peek().start)
  return object
}

export function parsePrimary(p: Parser): AstExpr {
  const token = p.peek()
  const literal = parseLiteral(p, null)
  if (literal !== null) return literal
  p.height = 1
  switch (token.kind) {
    case 'name': {
      const foreign = foreignOperand(p)
      if (foreign !== null) return foreign()
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
  while (!p.atListEnd(close)) {
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
  if (p.watch !== null) p.expects({ kind: 'name' })
  const isString = key.literal?.type === 'string'
  if (!isString && key.kind !== 'name' && key.kind !== 'quoted-name' && key.kind !== 'keyword') {
    p.unexpected(['a key', "'}'"], 'a key of the object')
  }
  p.take('field')
  const name = key.literal?.type === 'string' ? key.literal.value : keyText(p, key)
  p.expectPunctuation(':', "the ':' after a key")
  return { name, value: parseExpression(p) }
}

function keyText(p: Parser, key: Token): string {
  return key.kind === 'keyword' ? p.text.slice(key.start, key.end) : key.text
}

/** A call, standing at its name: `f(a, b)`, `int!(x)`, `count(where p)`. */
export function parseCall(p: Parser, isAggregate = false): Extract<AstExpr, { kind: 'call' }> {
  const name = p.take('function')
  const strict = p.acceptPunctuation('!') !== null
  const open = p.expectPunctuation('(', "the '(' of a call")
  let where: AstExpr | null = null
  let height = 0
  const args: AstExpr[] = []
  const isForeign = isForeignCall(name.text.toLowerCase())
  const argumentTexts: string[] = []
  let isCast = false
  const nameSpan = { start: name.start, end: name.end }
  p.watch?.openCall({ name: name.text.toLowerCase(), nameSpan, isAggregate })
  p.nested(open, () => {
    while (!p.atListEnd(')')) {
      if (isAggregate) expectTrailingWhere(p)
      if (atTrailingWhere(p)) {
        p.take('keyword')
        p.watch?.updateCall({ inWhere: true })
        where = parseExpression(p)
        height = Math.max(height, p.height)
        break
      }
      const from = p.peek().start
      if (args.length > 0 || !starArgument(p)) {
        args.push(parseArgument(p, args.length > 0 && TAKE_LAMBDAS.has(name.text.toLowerCase())))
      }
      if (isForeign) argumentTexts.push(p.fixedText(from, p.lastEnd))
      if (isWord(name, 'cast') && p.isWord('as')) {
        foreignCast(p, name.start, p.fixedText(from, p.lastEnd))
        isCast = true
        break
      }
      height = Math.max(height, p.height)
      if (isAggregate) expectTrailingWhere(p)
      // A comma before `where` is usual; people leave it out, and nothing else could be meant.
      if (p.acceptPunctuation(',') === null && !atTrailingWhere(p)) break
      p.watch?.updateCall({ argument: args.length, subject: args[0]?.kind === 'field' ? args[0].name : null })
    }
  })
  if (!isCast) p.expectClosing(')', open)
  p.watch?.closeCall()
  if (isForeign) reportForeignCall(p, name.text, argumentTexts, name.start)
  p.height = height + 1
  return { kind: 'call', span: p.spanFrom(name.start), name: name.text.toLowerCase(), nameSpan, args, where, strict }
}

/** Where `x => …` can only be meant as a lambda, and is no slip for `>=`. */
const TAKE_LAMBDAS: ReadonlySet<string> = new Set(['any', 'all', 'filter', 'map'])

function parseArgument(p: Parser, isLambda: boolean): AstExpr {
  const token = p.peek()
  const arrow = p.peekSecond()
  const isForeign = isLambda && isPunctuation(arrow, '=>')
  if ((token.kind !== 'name' && token.kind !== 'quoted-name') || !(isForeign || isPunctuation(arrow, '->'))) {
    return p.comparedWith(null, () => parseExpression(p))
  }
  if (isForeign) {
    const span = { start: arrow.start, end: arrow.end }
    const message = "the '=>' of a lambda is written '->' here"
    p.report({ code: 'E307', message, span, suggestion: '->', edit: { span, text: '->' } })
  }
  p.take()
  p.take()
  p.watch?.defined.push(token.text)
  const body = p.nested(token, () => parseExpression(p))
  p.height++
  return { kind: 'lambda', span: p.spanFrom(token.start), parameter: token.text, body }
}

function expectTrailingWhere(p: Parser): void {
  if (p.watch !== null) p.expects({ kind: 'word', word: 'where' })
}

/** `where` with an operand after it; a field of that name has an operator, a comma or a bracket there. */
function atTrailingWhere(p: Parser): boolean {
  if (!p.isWord('where')) return false
  const second = p.peekSecond()
  // Somebody is about to write the operand.
  if (second.kind === 'end') return p.watch?.isWriting === true && second.start > p.peek().end
  if (second.kind === 'keyword') {
    if (second.text !== 'not') return second.text === 'true' || second.text === 'false' || second.text === 'null'
    const third = lexToken(p.text, second.end)
    return !(third.kind === 'keyword' && (third.text === 'in' || third.text === 'between')) && !isForeignInfix(p, third)
  }
  if (second.kind === 'name') return !isForeignInfix(p, second)
  return ['literal', 'quoted-name', 'variable'].includes(second.kind) || isPunctuation(second, '(', '{', '!')
}
