/** Operators and lists as SQL, SPL and KQL write them: each is reported with our spelling and read as if it had been that. */
import type { AstExpr } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { describeToken, lexToken } from '../lexer.ts'
import { isPunctuation, isWord, type Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import type { Span } from '../source.ts'
import { canBeRaw, printString } from '../strings.ts'
import type { Token } from '../token.ts'

/** `x like "a%"`, `x =~ "re"`, `x is null`, `x contains "s"`: an operator between operands where we have a function. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  like: 'glob',
  ilike: 'glob',
  contains: 'contains',
  contains_cs: 'contains_cs',
  has: 'has',
  has_cs: 'has',
  has_any: 'has',
  has_all: 'has',
  hasprefix: 'has_glob',
  startswith: 'starts_with',
  startswith_cs: 'starts_with',
  endswith: 'ends_with',
  endswith_cs: 'ends_with',
  matches: 'matches',
  rlike: 'matches',
  regexp: 'matches',
  '=~': 'matches',
  '!~': 'matches',
}

/** `like`, `contains` and their kind between operands, where we have functions. */
export function isForeignInfix(p: Parser, token: Token): boolean {
  if (token.kind !== 'name') return false
  const word = token.text.toLowerCase()
  const second = lexToken(p.text, token.end)
  if (word === 'is') return second.kind === 'keyword' && (second.text === 'null' || second.text === 'not')
  if (!Object.hasOwn(FUNCTIONS, word)) return false
  if (second.literal?.type === 'string') return true
  if (word === 'matches') return isWord(second, 'regex') && lexToken(p.text, second.end).literal?.type === 'string'
  return (word === 'has_any' || word === 'has_all') && isPunctuation(second, '(')
}

export function foreignInfix(p: Parser, left: AstExpr, leftText: string, start: number): AstExpr {
  const operator = p.take('operator')
  if (operator.text.toLowerCase() === 'is') {
    const negated = p.isKeyword('not')
    if (negated) p.take()
    if (!p.isKeyword('null')) p.unexpected(["'null'"], "'null'")
    p.take()
    p.height = 1
    return withoutValue(p, operator, left, leftText, start, negated)
  }
  const isNegation = operator.kind === 'keyword' || operator.text === '!'
  const word = isNegation ? p.take('operator') : operator
  if (isWord(p.peek(), 'regex')) p.take('operator')
  if (/^has_(?:any|all)$/i.test(word.text)) return hasSeveral(p, word, left, leftText, start, isNegation)
  const right = parseExpression(p, PRECEDENCE.coalesce)
  const negated = isNegation || word.text === '!~'
  if (right.kind !== 'literal' || right.value.type !== 'string') {
    return p.fail({
      code: 'E307',
      message: `${describeToken(word)} is not an operator here`,
      span: { start: word.start, end: word.end },
    })
  }
  const [name, value, raw] = asFunction(word.text.toLowerCase(), right.value.value)
  const rightText = raw && canBeRaw(value) ? `r"${value}"` : printString(value)
  const argument: AstExpr = { kind: 'literal', span: right.span, value: { type: 'string', value, raw } }
  return replaced(p, word, start, name, [left, argument], [leftText, rightText], negated)
}

function asFunction(operator: string, value: string): readonly [name: string, value: string, raw: boolean] {
  const name = FUNCTIONS[operator] ?? 'matches'
  if (name === 'matches') return [name, value, true]
  if (operator === 'hasprefix') return [name, `${value}*`, false]
  if (name !== 'glob') return [name, value, false]
  // `ilike "%x%"` is what `contains` is: in any case.
  const inner = /^%([^%_]*)%$/.exec(value)?.[1]
  if (operator === 'ilike' && inner !== undefined) return ['contains', inner, false]
  return [name, value.replaceAll('%', '*').replaceAll('_', '?'), false]
}

/** SQL knows no missing fields: to it, what is not there is null. */
export function isNullText(text: string): string {
  return `(is_null(${text}) or is_missing(${text}))`
}

export function isNotNullText(text: string): string {
  return `(exists(${text}) and not is_null(${text}))`
}

function withoutValue(
  p: Parser,
  operator: Token,
  left: AstExpr,
  leftText: string,
  start: number,
  negated: boolean,
): AstExpr {
  const text = negated ? isNotNullText(leftText) : isNullText(leftText)
  p.report({
    code: 'E307',
    message: "'is' is no operator here, and a field that is missing is not null",
    span: { start: operator.start, end: operator.end },
    suggestion: text,
    edit: { span: p.spanFrom(start), text },
  })
  return left
}

/** KQL's `x has_any ("a", "b")`. */
function hasSeveral(p: Parser, word: Token, left: AstExpr, leftText: string, start: number, negated: boolean): AstExpr {
  const open = p.take()
  const words: string[] = []
  while (p.peek().literal?.type === 'string') {
    words.push(p.text.slice(p.peek().start, p.peek().end))
    p.take()
    if (p.acceptPunctuation(',') === null) break
  }
  p.expectClosing(')', open)
  const join = /any$/i.test(word.text) ? ' or ' : ' and '
  const all = words.map(each => `has(${leftText}, ${each})`).join(join)
  const text = `${negated ? 'not ' : ''}${words.length > 1 || negated ? `(${all})` : all}`
  const edit = { span: p.spanFrom(start), text }
  const span = { start: word.start, end: word.end }
  p.report({ code: 'E307', message: `'${word.text}' is has() for each word here`, span, edit })
  return left
}

function replaced(
  p: Parser,
  operator: Token,
  start: number,
  name: string,
  args: readonly AstExpr[],
  texts: readonly string[],
  negated: boolean,
): AstExpr {
  const span = p.spanFrom(start)
  const text = `${negated ? 'not ' : ''}${name}(${texts.join(', ')})`
  const shown = p.text.slice(operator.start, operator.end)
  p.report({
    code: 'E307',
    message: `'${shown}' is the function ${name}() here`,
    span: { start: operator.start, end: operator.end },
    ...(text.length <= 80 && { suggestion: text }),
    edit: { span, text },
  })
  const nameSpan: Span = { start: operator.start, end: operator.end }
  const call: AstExpr = { kind: 'call', span, name, nameSpan, args, where: null, strict: false }
  return negated ? { kind: 'not', span, operand: call } : call
}

/** `in (1, 2)`: the elements have been read; says that lists stand in square brackets. */
export function notInList(p: Parser, open: Token, elements: readonly AstExpr[]): AstExpr {
  const span = p.spanFrom(open.start)
  const inner = p.fixedText(open.end, p.lastEnd).replace(/\)$/, '').trim()
  const text = `[${inner}]`
  p.report({
    code: 'E307',
    message: 'lists stand in square brackets',
    span,
    ...(text.length <= 80 && { suggestion: text }),
    edit: { span, text },
  })
  return { kind: 'array', span, elements }
}

/** `count(*)`: reported and left out. */
export function starArgument(p: Parser): boolean {
  if (!p.isPunctuation('*') || p.peekSecond().text !== ')') return false
  const star = p.take()
  const span = { start: star.start, end: star.end }
  p.report({ code: 'E307', message: 'count() counts rows; it takes no star', span, edit: { span, text: '' } })
  return true
}
