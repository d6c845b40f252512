import type { AstDiff } from '../ast.ts'
import { madeColumns } from '../columns.ts'
import { parseExpression } from '../expression.ts'
import { DIFF_COLUMNS } from '../made-columns.ts'
import { printExpr } from '../print-expr.ts'
import { parseOptions, printOptions, type StageOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'limit', value: 'count', doc: 'The most rows; 50 unless given.' },
  {
    name: 'distinct',
    value: 'count',
    doc: 'A field with more different values than this is left out; 10000 unless given.',
  },
]

export const diffSyntax: StageSyntax<AstDiff> = {
  keyword: 'diff',
  form: 'diff (<predicate>) [limit=<n>] [distinct=<n>]',
  summary:
    'What sets the rows for which a condition is true apart from the others: fields and values, the most telling first.',
  opens: /^\s*\(/,
  options: OPTIONS,
  parse(p, keyword) {
    const predicate = parseExpression(p)
    const options = parseOptions(p, OPTIONS)
    return { kind: 'diff', span: p.spanFrom(keyword.start), predicate, options }
  },
  columns: (_, before) => ({ ...before, all: madeColumns('diff', DIFF_COLUMNS), isOpen: false }),
  print: ({ predicate, options }) => `diff (${printExpr(predicate)})${printOptions(options)}`,
}
