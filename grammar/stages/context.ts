import type { AstContext } from '../ast.ts'
import { madeColumns, withColumns } from '../columns.ts'
import { CONTEXT_COLUMNS } from '../made-columns.ts'
import { parseClauses, printClauses } from './clauses.ts'
import type { StageOption } from './options.ts'
import { parseRowCount, type StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'before', value: 'whole', doc: 'Another number of events before each match.' },
  { name: 'after', value: 'whole', doc: 'Another number of events after each match.' },
]

export const contextSyntax: StageSyntax<AstContext> = {
  keyword: 'context',
  form: 'context <n> [before=<n>] [after=<n>] [by <key>, …]',
  summary: 'Each event the condition before it is true of, and n events before and after it from the same source.',
  opens: /^\s+\d/,
  options: OPTIONS,
  parse(p, keyword) {
    const count = parseRowCount(p) ?? p.unexpected(['a number'], 'a number of events')
    const { options, by } = parseClauses(p, OPTIONS)
    return { kind: 'context', span: p.spanFrom(keyword.start), count, options, by }
  },
  columns: (_, before) => withColumns(before, madeColumns('context', CONTEXT_COLUMNS)),
  print: stage => `context ${stage.count}${printClauses(stage)}`,
}
