import type { AstUse } from '../ast.ts'
import { quoteField } from '../token.ts'
import { parseName, type StageSyntax } from './syntax.ts'

export const useSyntax: StageSyntax<AstUse> = {
  keyword: 'use',
  form: 'use name',
  summary: 'Saved stages, as if they stood here.',
  opens: /^\s+[\w@`.-]+\s*(?:[|;]|$)/,
  parse(p, keyword) {
    if (p.watch !== null) p.expects({ kind: 'fragment' })
    const { name, span } = parseName(p, 'the name of a saved fragment')
    return { kind: 'use', span: p.spanFrom(keyword.start), name, nameSpan: span }
  },
  print: ({ name }) => `use ${quoteField(name)}`,
}
