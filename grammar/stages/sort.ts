import type { AstSort, AstSortKey } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { isPunctuation, type Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { quoteField, type Token } from '../token.ts'
import { isNameToken, parseCommaList, quoteClauseWord, type StageSyntax } from './syntax.ts'

export const sortSyntax: StageSyntax<AstSort> = {
  keyword: 'sort',
  form: 'sort [-]<key>, …',
  summary: "Orders the events; '-' descends. Equal ones keep their order, nulls come last, or first when descending.",
  opens: /^\s+[-\w@`(]/,
  foreign: [{ words: ['order'], opens: /^\s+by\s/i, rewrite: 'keyword' }],
  parse(p, keyword) {
    const rows = foreignCount(p)
    dropBy(p)
    const keys = parseCommaList(
      p,
      () => parseSortKey(p),
      token => isNameToken(token, 'nulls'),
    )
    if (rows !== null) limitAfter(p, rows)
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

/** SPL's `sort 10 -count`: the number, which is the rows that are kept; 0 keeps all. */
function foreignCount(p: Parser): Token | null {
  const token = p.peek()
  const second = p.peekSecond()
  // `10 - a` and `10-a` are expressions; nobody writes them as `10 -a`.
  const isSigned = isPunctuation(second, '-', '+') && /^\s+[-+][^\s]/.test(p.text.slice(token.end, token.end + 20))
  return token.literal?.type === 'int' && (isNameToken(second) || isSigned) ? p.take() : null
}

function limitAfter(p: Parser, rows: Token): void {
  const span = { start: rows.start, end: rows.end }
  const from = rows.end + 1
  const keys = p.fixedText(from, p.lastEnd)
  const text =
    rows.literal?.type === 'int' && rows.literal.value > 0n ? `${keys.trim()} | head ${rows.text}` : keys.trim()
  const edit = { span: p.spanFrom(rows.start), text }
  p.report({ code: 'E307', message: "sort orders; 'head' behind it limits the rows", span, suggestion: text, edit })
}

/** `nulls last` behind a key. */
function dropNulls(p: Parser): void {
  const token = p.peek()
  const second = p.peekSecond()
  if (!p.isWord('nulls') || !/^(?:first|last)$/i.test(second.text)) return
  const start = p.lastEnd
  p.take()
  p.take()
  const span = p.spanFrom(token.start)
  const message = 'where nulls go is fixed: last, or first when descending'
  p.report({ code: 'E307', message, span, edit: { span: p.spanFrom(start), text: '' } })
}

/** SPL's `num(ms)`, `str(host)`: how to compare is told by the values. */
function unwrapped(p: Parser): void {
  const token = p.peek()
  const inner = /^(num|str|ip|auto)\(\s*([\w@.]+)\s*\)/i.exec(p.text.slice(token.start, token.start + 200))
  if (inner === null) return
  const span = { start: token.start, end: token.start + inner[0].length }
  const text = inner[2] ?? ''
  p.report({
    code: 'E307',
    message: 'values are compared as what they are',
    span,
    suggestion: text,
    edit: { span, text },
  })
}

function parseSortKey(p: Parser): AstSortKey {
  const start = p.peek().start
  const minus = p.acceptPunctuation('-')
  if (minus === null && p.isPunctuation('+')) dropPlus(p)
  unwrapped(p)
  // `-a + b` would leave open what descends.
  const value = parseExpression(p, minus === null ? PRECEDENCE.or : PRECEDENCE.negate)
  const span = p.spanFrom(start)
  const direction = p.peek()
  dropNulls(p)
  if (!p.isWord('desc') && !p.isWord('asc')) return { span, value, descending: minus !== null }
  p.take('keyword')
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
  dropNulls(p)
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
