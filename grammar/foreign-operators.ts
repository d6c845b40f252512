/** Operators and lists as SQL, SPL and KQL write them: each is reported with our spelling and read as if it had been that. */
import type { AstExpr } from './ast.ts'
import { parseExpression } from './expression.ts'
import { describeToken } from './lexer.ts'
import type { Parser } from './parser.ts'
import { PRECEDENCE } from './precedence.ts'
import type { Span } from './source.ts'
import { canBeRaw, printString } from './strings.ts'
import type { Token } from './token.ts'

/** `x like "a%"`, `x =~ "re"`, `x is null`, `x contains "s"`: an operator between operands where we have a function. */
export function foreignInfix(p: Parser, left: AstExpr, leftText: string, start: number): AstExpr {
  const operator = p.take()
  if (operator.text.toLowerCase() === 'is') {
    const negated = p.isKeyword('not')
    if (negated) p.take()
    if (!p.isKeyword('null')) p.unexpected(["'null'"], "'null'")
    p.take()
    p.height = 1
    return replaced(p, operator, start, 'is_null', [left], [leftText], negated)
  }
  const isNegation = operator.kind === 'keyword'
  const word = isNegation ? p.take() : operator
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
  switch (operator) {
    case 'like':
      return ['glob', value.replaceAll('%', '*').replaceAll('_', '?'), false]
    case 'contains':
      return ['contains', value, false]
    case 'has':
      return ['has', value, false]
    case 'startswith':
      return ['starts_with', value, false]
    case 'endswith':
      return ['ends_with', value, false]
    default:
      return ['matches', value, true]
  }
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
