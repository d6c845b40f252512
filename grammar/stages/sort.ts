import type { AstSort, AstSortKey } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { isPunctuation, type Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { quoteField } from '../token.ts'
import { isNameToken, parseCommaList, quoteClauseWord, type StageSyntax } from './syntax.ts'

export const sortSyntax: StageSyntax<AstSort> = {
  keyword: 'sort',
  form: 'sort [-]<key>, …',
  summary: "Orders the events; '-' descends. Equal ones keep their order, nulls come last, or first when descending.",
  opens: /^\s+[-\w@`(]/,
  foreign: [{ words: ['order'], opens: /^\s+by\s/i, rewrite: 'keyword' }],
  parse(p, keyword) {
    dropBy(p)
    const keys = parseCommaList(
      p,
      () => parseSortKey(p),
      token => isNameToken(token),
    )
    return { kind: 'sort', span: p.spanFrom(keyword.start), keys }
  },
  print({ keys }) {
    const [first = '', ...rest] = keys.map(printSortKey)
    // `sort by …` is how others write it.
    const safe = quoteClauseWord(first, 'by')
    return `sort ${[/^by\b/i.test(safe) ? `(${safe})` : safe, ...rest].join(', ')}`
  },
}

/** `sort by x`: `by` is no field when something that starts a key follows it. */
function dropBy(p: Parser): void {
  const token = p.peek()
  if (!p.isWord('by')) return
  const second = p.peekSecond()
  const startsKey = isNameToken(second, 'desc', 'asc') || isPunctuation(second, '-', '(')
  if (!startsKey) return
  p.take()
  const span = { start: token.start, end: token.end }
  const edit = { span: { start: token.start, end: second.start }, text: '' }
  p.report({ code: 'E307', message: "the keys follow 'sort' directly", span, edit })
}

function parseSortKey(p: Parser): AstSortKey {
  const start = p.peek().start
  const minus = p.acceptPunctuation('-')
  if (minus === null && p.isPunctuation('+')) dropPlus(p)
  // `-a + b` would leave open what descends.
  const value = parseExpression(p, minus === null ? PRECEDENCE.or : PRECEDENCE.negate)
  const span = p.spanFrom(start)
  const direction = p.peek()
  if (!p.isWord('desc') && !p.isWord('asc')) return { span, value, descending: minus !== null }
  p.take()
  const descending = direction.text.toLowerCase() === 'desc'
  const written = p.fixedText(span.start, span.end)
  const isSimple = value.kind === 'field' || value.kind === 'call'
  const text = descending ? (isSimple ? `-${written}` : `-(${written})`) : written
  const whole = p.spanFrom(start)
  p.report({
    code: 'E307',
    message: descending ? "'-' before the key sorts descending" : 'keys sort ascending by themselves',
    span: { start: direction.start, end: direction.end },
    suggestion: text,
    edit: { span: whole, text },
  })
  return { span: whole, value, descending }
}

function dropPlus(p: Parser): void {
  const token = p.take()
  const span = { start: token.start, end: token.end }
  p.report({ code: 'E307', message: 'keys sort ascending by themselves', span, edit: { span, text: '' } })
}

function printSortKey(key: AstSortKey): string {
  if (key.descending) {
    const { value } = key
    if (value.kind === 'field') return `-${quoteField(value.name)}`
    return `-${value.kind === 'call' ? printExpr(value) : `(${printExpr(value)})`}`
  }
  const text = printExpr(key.value)
  return text.startsWith('-') || /(?:^|\s)(?:desc|asc)$/i.test(text) ? `(${text})` : text
}
