import type { AstRare } from '../ast.ts'
import { expandRanking, parseRanking, printRanking } from './ranking.ts'
import type { StageSyntax } from './syntax.ts'

export const rareSyntax: StageSyntax<AstRare> = {
  keyword: 'rare',
  form: 'rare [<n>] f [by <key>, …]',
  summary: 'The n rarest values of a field, within each group when there are keys; 10 without a number.',
  opens: /^\s+(?:\d+\s+|limit\s*=\s*\d+\s+)?[A-Za-z_@`]/,
  parse(p, keyword) {
    const { count, field, by } = parseRanking(p)
    return { kind: 'rare', span: p.spanFrom(keyword.start), count, field, by }
  },
  print: printRanking,
  desugar: stage => ({
    stages: expandRanking(stage, false),
    reason: 'rare counts each value and keeps the least frequent ones',
  }),
}
