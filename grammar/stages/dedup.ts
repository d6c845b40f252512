import type { AstDedup } from '../ast.ts'
import { quoteField } from '../token.ts'
import { isNameToken, parseCommaList, parseFieldRef, parseRowCount, type StageSyntax } from './syntax.ts'

export const dedupSyntax: StageSyntax<AstDedup> = {
  keyword: 'dedup',
  form: 'dedup [<n>] a, b',
  summary: 'The first event, or the first n, of each combination of values.',
  opens: /^\s+[\w@`]/,
  foreign: [{ words: ['distinct', 'uniq'], opens: /^\s+[\w@`.]+\s*(?:[,|;]|$)/, rewrite: 'keyword' }],
  parse(p, keyword) {
    const count = parseRowCount(p) ?? 1
    const fields = parseCommaList(
      p,
      () => parseFieldRef(p),
      token => isNameToken(token),
    )
    return { kind: 'dedup', span: p.spanFrom(keyword.start), count, fields }
  },
  print({ count, fields }) {
    return `dedup ${count === 1 ? '' : `${count} `}${fields.map(f => quoteField(f.name)).join(', ')}`
  },
}
