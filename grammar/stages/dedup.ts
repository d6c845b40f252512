import type { AstDedup, AstFieldRef } from '../ast.ts'
import { namesAsDedup } from '../foreign/stages.ts'
import { quoteField } from '../token.ts'
import {
  isNameToken,
  parseCommaList,
  parseFieldRef,
  parseRowCount,
  reportRewritten,
  type StageSyntax,
} from './syntax.ts'

export const dedupSyntax: StageSyntax<AstDedup> = {
  keyword: 'dedup',
  form: 'dedup [<n>] a, b',
  summary: 'The first event, or the first n, of each combination of values.',
  opens: /^\s+[\w@`]/,
  foreign: [{ words: ['distinct', 'uniq'], opens: /^\s+[\w@`.]+\s*(?:[,|;]|$)/, rewrite: namesAsDedup }],
  parse(p, keyword) {
    const count = parseRowCount(p) ?? 1
    const fields = parseCommaList(
      p,
      () => parseFieldRef(p),
      token => isNameToken(token, 'sortby'),
    )
    if (p.isWord('sortby')) reportRewritten(p, keyword, 'the order comes first: sort, then dedup', sortedFirst(fields))
    return { kind: 'dedup', span: p.spanFrom(keyword.start), count, fields }
  },
  print({ count, fields }) {
    return `dedup ${count === 1 ? '' : `${count} `}${fields.map(f => quoteField(f.name)).join(', ')}`
  },
}

/** SPL's `dedup host sortby -_time`. */
function sortedFirst(fields: readonly AstFieldRef[]): (body: string) => string | null {
  return body => {
    const keys = body.replace(/^\s*sortby\s+/i, '').split(/[\s,]+/)
    return `sort ${keys.map(key => key.replace(/^\+/, '')).join(', ')} | dedup ${fields.map(f => quoteField(f.name)).join(', ')}`
  }
}
