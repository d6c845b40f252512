import type { AstTail } from '../ast.ts'
import { parseForeignLimit, parseRowCount, type StageSyntax } from './syntax.ts'

export const tailSyntax: StageSyntax<AstTail> = {
  keyword: 'tail',
  form: 'tail [<n>]',
  summary: 'The last events; 10 when no number is given.',
  opens: /^\s*(?:\d|[|;]|$)/,
  foreign: [{ words: ['last'], opens: /^\s+\d+\s*(?:[|;]|$)/, rewrite: 'keyword' }],
  parse(p, keyword) {
    const count = parseForeignLimit(p) ?? parseRowCount(p) ?? 10
    return { kind: 'tail', span: p.spanFrom(keyword.start), count }
  },
  print: ({ count }) => `tail ${count}`,
}
