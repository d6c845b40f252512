import type { AstCount } from '../ast.ts'
import { namesAsCount } from '../foreign/stages.ts'
import { aggregate, parseBy, printBy, type StageSyntax } from './syntax.ts'

export const countSyntax: StageSyntax<AstCount> = {
  keyword: 'count',
  form: 'count [by <key>, …]',
  summary: 'The number of events, of each group when there are keys.',
  opens: /^\s*(?:by\b|[|;]|$)/i,
  isFunction: true,
  foreign: [{ words: ['group', 'groupby', 'group-by'], opens: /^\s+by\s/i, rewrite: namesAsCount }],
  parse(p, keyword) {
    const by = parseBy(p)
    return { kind: 'count', span: p.spanFrom(keyword.start), by }
  },
  print: ({ by }) => `count${printBy(by)}`,
  desugar: ({ span, by }) => ({
    stages: [{ kind: 'stats', span, aggregates: [aggregate('count', [], span)], by }],
    reason: 'count is short for stats count()',
  }),
}
