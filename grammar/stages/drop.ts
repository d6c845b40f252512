import type { AstDrop } from '../ast.ts'
import { parseFieldPatterns, printFieldPatterns, type StageSyntax } from './syntax.ts'

const FIELD = '(?:`[^`]*`|[\\w@.*]+)'
const FIELDS = new RegExp(`^\\s+${FIELD}(?:\\s*,\\s*${FIELD})*\\s*(?:[|;]|$)`)

export const dropSyntax: StageSyntax<AstDrop> = {
  keyword: 'drop',
  form: 'drop a, b*',
  summary: 'Leaves these fields out.',
  opens: FIELDS,
  foreign: [{ words: ['remove', 'delete', 'project-away'], opens: /^\s+[\w@.*]+\s*,/, rewrite: 'keyword' }],
  parse(p, keyword) {
    const fields = parseFieldPatterns(p)
    return { kind: 'drop', span: p.spanFrom(keyword.start), fields }
  },
  print: ({ fields }) => `drop ${printFieldPatterns(fields)}`,
}
