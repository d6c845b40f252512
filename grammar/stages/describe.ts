import type { AstDescribe } from '../ast.ts'
import { OPENS_ALONE, type StageSyntax } from './syntax.ts'

const COLUMNS = ['field', 'type', 'coverage', 'distinct_est', 'min', 'max', 'top_values']

export const describeSyntax: StageSyntax<AstDescribe> = {
  keyword: 'describe',
  form: 'describe',
  summary: 'One row for each field: its type, coverage, estimated distinct values, extremes and most frequent values.',
  opens: OPENS_ALONE,
  foreign: [{ words: ['fieldsummary', 'getschema', 'field_names'], opens: OPENS_ALONE, rewrite: 'keyword' }],
  parse: (p, keyword) => ({ kind: 'describe', span: p.spanFrom(keyword.start) }),
  columns: () => ({ all: COLUMNS.map(name => ({ name, text: 'describe', source: null })), isOpen: false }),
  print: () => 'describe',
}
