import type { AstPercentiles } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { printExpr } from '../print-expr.ts'
import { aggregate, parseBy, printBy, type StageSyntax } from './syntax.ts'

const COLUMNS = ['p50', 'p90', 'p95', 'p99']

export const percentilesSyntax: StageSyntax<AstPercentiles> = {
  keyword: 'percentiles',
  form: 'percentiles f [by <key>, …]',
  summary: 'The 50th, 90th, 95th and 99th percentile of a field, for each group when there are keys.',
  opens: /^\s+[A-Za-z_@`(]/,
  parse(p, keyword) {
    const field = parseExpression(p)
    const by = parseBy(p)
    return { kind: 'percentiles', span: p.spanFrom(keyword.start), field, by }
  },
  print: ({ field, by }) => `percentiles ${printExpr(field)}${printBy(by)}`,
  desugar: ({ span, field, by }) => ({
    stages: [{ kind: 'stats', span, aggregates: COLUMNS.map(name => aggregate(name, [field], span)), by }],
    reason: 'percentiles is short for stats p50, p90, p95 and p99',
  }),
}
