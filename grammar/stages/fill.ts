import type { AstFill } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import type { StageSyntax } from './syntax.ts'

export const fillSyntax: StageSyntax<AstFill> = {
  keyword: 'fill',
  form: 'fill [<duration>]',
  summary:
    'Makes a series regular: every bin of the queried range has a row, where there was none with zeros or nulls.',
  opens: /^\s+\d\w*\s*(?:[|;]|$)/,
  foreign: [{ words: ['makecontinuous'], opens: /^\s/, rewrite: makeContinuous }],
  parse(p, keyword) {
    const width = p.atStageEnd() ? null : parseExpression(p, PRECEDENCE.postfix)
    return { kind: 'fill', span: p.spanFrom(keyword.start), width }
  },
  print: ({ width }) => (width === null ? 'fill' : `fill ${printExpr(width, PRECEDENCE.postfix)}`),
}

/** SPL's `makecontinuous _time span=5m`. */
function makeContinuous(body: string): string | null {
  const span = /\bspan\s*=\s*"?(\d+[a-z]+)/.exec(body)?.[1]
  if (!/^(?:_time\b|span\b|$)/.test(body)) return null
  return span === undefined ? 'fill' : `fill ${span.replace(/min$|mins$/, 'm').replace(/sec$|secs$/, 's')}`
}
