/** Expressions that other languages have a syntax for and we a function: `a ? b : c`, `case when`, `cast(a as int)`, `a::int`. */
import type { AstExpr } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { parseDuration } from '../literals.ts'
import { isPunctuation, isWord, type Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import type { Span } from '../source.ts'

function report(p: Parser, what: string, at: Span, whole: Span, text: string): void {
  p.report({
    code: 'E307',
    message: `${what} is written otherwise here`,
    span: at,
    ...(text.length <= 80 && { suggestion: text }),
    edit: { span: whole, text },
  })
}

/** Behind a condition that began at `start`: `? a : b`, or `?: b`. */
export function foreignConditional(p: Parser, condition: AstExpr, start: number): AstExpr {
  const written = p.fixedText(start, p.lastEnd)
  const question = p.take('operator')
  const isElvis = question.text === '?:'
  const first = isElvis ? '' : branch(p)
  if (!isElvis) p.expectPunctuation(':', "the ':' of a condition")
  const second = branch(p)
  const text = isElvis ? `${written} ?? ${second}` : `if(${written}, ${first}, ${second})`
  report(p, isElvis ? "'a ?: b'" : "'a ? b : c'", question, p.spanFrom(start), text)
  return condition
}

function branch(p: Parser): string {
  const start = p.peek().start
  p.nested(p.peek(), () => parseExpression(p, PRECEDENCE.coalesce))
  return p.fixedText(start, p.lastEnd)
}

/** Standing at `case`, with `when` behind it. */
export function foreignCase(p: Parser): AstExpr {
  const { start } = p.peek()
  const word = p.take('function')
  const parts: string[] = []
  const part = (): void => {
    const from = p.peek().start
    p.nested(word, () => parseExpression(p))
    parts.push(p.fixedText(from, p.lastEnd))
  }
  while (p.acceptWord('when') !== null) {
    part()
    if (p.acceptWord('then') === null) p.unexpected(["'then'"], "'then'")
    part()
  }
  if (p.acceptWord('else') !== null) part()
  if (p.acceptWord('end') === null) p.unexpected(["'end'"], "'end'")
  const span = p.spanFrom(start)
  report(p, "'case when'", word, span, `case(${parts.join(', ')})`)
  p.height = 1
  return { kind: 'bad', span }
}

/** Standing at the `as` of `cast(a as int)`; `start` is where `cast` began, `argument` what is cast. */
export function foreignCast(p: Parser, start: number, argument: string): void {
  const word = p.take('keyword')
  const type = p.peek()
  if (type.kind !== 'name') p.unexpected(['a type'], 'a type')
  p.take('function')
  p.expectPunctuation(')', "')' behind the type")
  report(p, "'cast(a as type)'", word, p.spanFrom(start), `${typeFunction(type.text)}(${argument})`)
}

/** Standing at the `::` behind an operand that began at `start`. */
export function foreignCastOperator(p: Parser, start: number): void {
  const argument = p.fixedText(start, p.lastEnd)
  const operator = p.take('operator')
  const type = p.peek()
  if (type.kind !== 'name') p.unexpected(['a type'], 'a type')
  p.take('function')
  report(p, "'a::type'", operator, p.spanFrom(start), `${typeFunction(type.text)}(${argument})`)
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'int',
  bigint: 'int',
  long: 'int',
  double: 'float',
  real: 'float',
  numeric: 'float',
  decimal: 'float',
  text: 'string',
  varchar: 'string',
  boolean: 'bool',
  timestamp: 'datetime',
  timestamptz: 'datetime',
  date: 'datetime',
  interval: 'duration',
}

function typeFunction(name: string): string {
  const lower = name.toLowerCase()
  return TYPES[lower] ?? lower
}

/** Standing at `interval`, with a string behind it: `interval '1 hour'`. */
export function foreignInterval(p: Parser): AstExpr {
  const word = p.take('keyword')
  const { literal } = p.peek()
  const written = literal?.type === 'string' ? literal.value : ''
  p.moveTo(p.peek().end)
  const span = p.spanFrom(word.start)
  const match = /^\s*(\d+)\s*(second|minute|hour|day|week)s?\s*$/i.exec(written)
  const text = `${match?.[1]}${match?.[2]?.[0]?.toLowerCase()}`
  const ns = match === null ? null : parseDuration(text)
  if (ns === null) {
    return p.fail({ code: 'E310', message: 'durations are written 10s, 5m, 1h, 1d', span, expected: ['1h'] })
  }
  report(p, "'interval …'", word, span, text)
  p.height = 1
  return { kind: 'literal', span, value: { type: 'duration', ns, text } }
}

/** `interval '1 hour'`, `case when`: words that are fields or functions unless this follows. */
export function foreignOperand(p: Parser): (() => AstExpr) | null {
  const second = p.peekSecond()
  if (p.isWord('interval') && second.literal?.type === 'string') return () => foreignInterval(p)
  return p.isWord('case') && isWord(second, 'when') ? () => foreignCase(p) : null
}

export function atForeignConditional(p: Parser): boolean {
  return isPunctuation(p.peek(), '?', '?:')
}
