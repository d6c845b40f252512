import type { AstTop } from '../ast.ts'
import { topBy } from '../foreign/stages.ts'
import type { Parser } from '../parser.ts'
import type { Token } from '../token.ts'
import { expandRanking, parseRanking, printRanking } from './ranking.ts'
import { reportRewritten, type StageSyntax } from './syntax.ts'

export const topSyntax: StageSyntax<AstTop> = {
  keyword: 'top',
  form: 'top [<n>] f [by <key>, …]',
  summary: 'The n most frequent values of a field, within each group when there are keys; 10 without a number.',
  opens: /^\s+(?:\d+\s+|limit\s*=\s*\d+\s+)?[A-Za-z_@`]/,
  parse(p, keyword) {
    foreignTop(p, keyword)
    const { count, field, by } = parseRanking(p)
    return { kind: 'top', span: p.spanFrom(keyword.start), count, field, by }
  },
  print: printRanking,
  desugar: stage => ({
    stages: expandRanking(stage, true),
    reason: 'top counts each value and keeps the most frequent ones',
  }),
}

/** KQL's and LogsQL's `top 5 by …`; ours names the field first. */
function foreignTop(p: Parser, keyword: Token): void {
  const body = p.text.slice(p.peek().start, p.peek().start + 100)
  const count = /^(\d+)\s+by\s/i.exec(body)?.[1]
  if (count === undefined) return
  reportRewritten(p, keyword, "top counts values; rows with the greatest come by 'sort' and 'head'", rest =>
    topBy(count, rest.replace(/^\s*\d+\s+by/i, '')),
  )
}
