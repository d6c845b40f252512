import type { AstDescribe } from '../ast.ts'
import { madeColumns } from '../columns.ts'
import { DESCRIBE_COLUMNS } from '../made-columns.ts'
import { OPENS_ALONE, type StageSyntax } from './syntax.ts'

export const describeSyntax: StageSyntax<AstDescribe> = {
  keyword: 'describe',
  form: 'describe',
  summary: 'One row for each field: its type, coverage, estimated distinct values, extremes and most frequent values.',
  opens: OPENS_ALONE,
  foreign: [{ words: ['fieldsummary', 'getschema', 'field_names'], opens: OPENS_ALONE, rewrite: 'keyword' }],
  parse: (p, keyword) => ({ kind: 'describe', span: p.spanFrom(keyword.start) }),
  columns: (_, before) => ({ ...before, all: madeColumns('describe', DESCRIBE_COLUMNS), isOpen: false }),
  print: () => 'describe',
}
