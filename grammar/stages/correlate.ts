import type { AstCorrelate } from '../ast.ts'
import { madeColumns } from '../columns.ts'
import { CORRELATE_COLUMNS } from '../made-columns.ts'
import { parseValues, printValue } from './clauses.ts'
import { parseOptions, printOptions, type StageOption } from './options.ts'
import { OPENS_NAME, type StageSyntax } from './syntax.ts'

export const CORRELATE_METHODS = ['pearson', 'spearman', 'cramers_v', 'eta'] as const

const OPTIONS: readonly StageOption[] = [
  {
    name: 'method',
    value: CORRELATE_METHODS,
    doc: 'Unless given, by the values: `pearson` for two numbers, `cramers_v` for two categories, `eta` for one of each.',
  },
]

export const correlateSyntax: StageSyntax<AstCorrelate> = {
  keyword: 'correlate',
  form: 'correlate a b [c …] [method=<method>]',
  summary: 'How strongly fields go together: one row for each pair, the strongest first.',
  opens: OPENS_NAME,
  options: OPTIONS,
  parse(p, keyword) {
    const values = parseValues(p, 'a field')
    const span = p.spanFrom(keyword.start)
    if (values.length < 2) {
      p.fail({ code: 'E201', message: 'correlate takes two fields or more', span, expected: ['a field'] })
    }
    const options = parseOptions(p, OPTIONS)
    return { kind: 'correlate', span: p.spanFrom(keyword.start), values, options }
  },
  columns: (_, before) => ({ ...before, all: madeColumns('correlate', CORRELATE_COLUMNS), isOpen: false }),
  print: ({ values, options }) => `correlate ${values.map(printValue).join(', ')}${printOptions(options)}`,
}
