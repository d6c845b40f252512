import type { AstDrop } from '../ast.ts'
import { selectColumns } from '../columns.ts'
import { namesAsDrop } from '../foreign/stages.ts'
import { parseFieldPatterns, printFieldPatterns, type StageSyntax } from './syntax.ts'

const FIELD = '(?:`[^`]*`|[\\w@.*]+)'
const FIELDS = new RegExp(`^\\s+${FIELD}(?:\\s*,\\s*${FIELD})*\\s*(?:[|;]|$)`)

export const dropSyntax: StageSyntax<AstDrop> = {
  keyword: 'drop',
  form: 'drop a, b*',
  summary: 'Leaves these fields out.',
  opens: FIELDS,
  foreign: [
    { words: ['remove', 'delete', 'project-away'], opens: /^\s+[\w@.*]+\s*,/, rewrite: 'keyword' },
    { words: ['rm', 'del'], opens: /^\s+[\w@.*]+\s*,/, rewrite: namesAsDrop },
  ],
  parse(p, keyword) {
    const fields = parseFieldPatterns(p)
    return { kind: 'drop', span: p.spanFrom(keyword.start), fields }
  },
  columns({ fields }, before) {
    const gone = new Set(selectColumns(before, fields).map(column => column.name))
    return { ...before, all: before.all.filter(column => !gone.has(column.name)) }
  },
  print: ({ fields }) => `drop ${printFieldPatterns(fields)}`,
}
