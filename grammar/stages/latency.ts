import type { AstLatency } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { printExpr } from '../print-expr.ts'
import { binned, parseEvery, printEvery } from './every-clause.ts'
import { aggregate, parseBy, printBy, type StageSyntax } from './syntax.ts'

/** How many there were tells what the percentiles are worth. */
const COLUMNS = ['count', 'p50', 'p90', 'p95', 'p99', 'max']

export const latencySyntax: StageSyntax<AstLatency> = {
  keyword: 'latency',
  form: 'latency f [every <duration>] [by <key>, …]',
  summary:
    'How long things take: the number of values, their 50th, 90th, 95th and 99th percentile and the greatest; over time with every, for each group when there are keys.',
  opens: /^\s+[A-Za-z_@`(]/,
  parse(p, keyword) {
    const field = parseExpression(p)
    const every = parseEvery(p)
    const by = parseBy(p)
    return { kind: 'latency', span: p.spanFrom(keyword.start), field, every, by }
  },
  print: ({ field, every, by }) => `latency ${printExpr(field)}${printEvery(every)}${printBy(by)}`,
  desugar: ({ span, field, every, by }) => ({
    stages: [
      {
        kind: 'stats',
        span,
        aggregates: COLUMNS.map(name => aggregate(name, [field], span)),
        by: binned(every, by, span),
      },
    ],
    reason: 'latency is short for stats count, p50, p90, p95, p99 and max',
  }),
}
