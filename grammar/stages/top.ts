import type { AstTop } from '../ast.ts'
import { expandRanking, parseRanking, printRanking } from './ranking.ts'
import type { StageSyntax } from './syntax.ts'

export const topSyntax: StageSyntax<AstTop> = {
  keyword: 'top',
  form: 'top [<n>] f [by <key>, …]',
  summary: 'The n most frequent values of a field, within each group when there are keys; 10 without a number.',
  opens: /^\s+(?:\d+\s+|limit\s*=\s*\d+\s+)?[A-Za-z_@`]/,
  parse(p, keyword) {
    const { count, field, by } = parseRanking(p)
    return { kind: 'top', span: p.spanFrom(keyword.start), count, field, by }
  },
  print: printRanking,
  desugar: stage => ({
    stages: expandRanking(stage, true),
    reason: 'top counts each value and keeps the most frequent ones',
  }),
}
