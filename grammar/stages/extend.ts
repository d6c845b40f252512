import type { AstAssignment, AstExtend } from '../ast.ts'
import { type Column, type Columns, columnNamed, withColumns } from '../columns.ts'
import { parseExpression } from '../expression.ts'
import { binAsExtend, copyAsExtend, makemvAsSplit, mathAsExtend } from '../foreign/stages.ts'
import type { Parser } from '../parser.ts'
import { printExpr } from '../print-expr.ts'
import { quoteField } from '../token.ts'
import { isNameToken, parseCommaList, parseName, type StageSyntax } from './syntax.ts'

const ASSIGNS = /^\s+(?:`[^`]*`|[\w@.]+)\s*=(?!=)/

export const extendSyntax: StageSyntax<AstExtend> = {
  keyword: 'extend',
  form: 'extend a = <expression>, b = <expression>',
  summary: 'Computes fields, from left to right; a later one may use an earlier one.',
  opens: ASSIGNS,
  foreign: [
    { words: ['eval', 'let'], opens: ASSIGNS, rewrite: 'keyword' },
    {
      words: ['math'],
      opens: ASSIGNS,
      rewrite: body => mathAsExtend(body) ?? `extend${body === '' ? '' : ` ${body}`}`,
    },
    { words: ['bin', 'bucket'], isFunction: true, opens: /^\s+(?:\w+\s+)?span\s*=/i, rewrite: binAsExtend },
    { words: ['makemv'], opens: /^\s+\S/, rewrite: makemvAsSplit },
    { words: ['copy', 'cp'], opens: /^\s+\S+\s+as\s/i, rewrite: copyAsExtend },
    { words: ['fillnull'], opens: /^(?:\s+value\s*=\s*\S+)?\s+[\w@.]+/, rewrite: fillNull },
  ],
  parse(p, keyword) {
    const assignments = parseCommaList(
      p,
      () => parseAssignment(p),
      token => isNameToken(token),
    )
    return { kind: 'extend', span: p.spanFrom(keyword.start), assignments }
  },
  columns: ({ assignments }, before) =>
    withColumns(
      before,
      assignments.map(a => computed(a, before)),
    ),
  print({ assignments }) {
    return `extend ${assignments.map(a => `${quoteField(a.name)} = ${printExpr(a.value)}`).join(', ')}`
  },
}

/** `extend b = a` is a copy. */
function computed({ name, value }: AstAssignment, before: Columns): Column {
  return value.kind === 'field'
    ? { ...columnNamed(before, value.name), name }
    : { name, text: printExpr(value), source: null }
}

function parseAssignment(p: Parser): AstAssignment {
  const { name, span } = parseName(p, "a field to set, as in 'a = 1'")
  if (p.isPunctuation('==')) {
    const token = p.take()
    const at = { start: token.start, end: token.end }
    p.report({
      code: 'E305',
      message: "'==' compares; '=' assigns",
      span: at,
      suggestion: '=',
      edit: { span: at, text: '=' },
    })
  } else if (p.isPunctuation(':=')) {
    const token = p.take()
    const at = { start: token.start, end: token.end }
    p.report({
      code: 'E307',
      message: "':=' is written '=' here",
      span: at,
      suggestion: '=',
      edit: { span: at, text: '=' },
    })
  } else p.expectPunctuation('=', "'=' after the field")
  const value = parseExpression(p)
  p.watch?.defined.push(name)
  return { name, nameSpan: span, value }
}

/** SPL's `fillnull value=0 a b`. */
function fillNull(body: string): string | null {
  const match = /^(?:value\s*=\s*("[^"]*"|\S+)\s+)?([\w@.,\s]+)$/.exec(body)
  const fields = (match?.[2] ?? '').split(/[\s,]+/).filter(f => f !== '')
  if (fields.length === 0) return null
  const written = match?.[1] ?? '0'
  const value = /^(?:".*"|-?\d+(?:\.\d+)?)$/.test(written) ? written : `"${written}"`
  return `extend ${fields.map(f => `${quoteField(f)} = coalesce(${quoteField(f)}, ${value})`).join(', ')}`
}
