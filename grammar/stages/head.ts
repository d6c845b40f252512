import type { AstHead } from '../ast.ts'
import { parseForeignLimit, parseRowCount, type StageSyntax } from './syntax.ts'

export const headSyntax: StageSyntax<AstHead> = {
  keyword: 'head',
  form: 'head [<n>]',
  summary: 'The first events; 10 when no number is given.',
  opens: /^\s*(?:\d|[|;]|$)/,
  foreign: [{ words: ['take', 'limit', 'first'], opens: /^\s+\d+\s*(?:[|;]|$)/, rewrite: 'keyword' }],
  parse(p, keyword) {
    const count = parseForeignLimit(p) ?? parseRowCount(p) ?? 10
    return { kind: 'head', span: p.spanFrom(keyword.start), count }
  },
  print: ({ count }) => `head ${count}`,
}
