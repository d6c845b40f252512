import type { AstTrace } from '../ast.ts'
import { madeColumns, withColumns } from '../columns.ts'
import { TRACE_COLUMNS } from '../made-columns.ts'
import { parseOptions, printOptions, type StageOption } from './options.ts'
import { SPAN_OPTIONS } from './spans.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  ...SPAN_OPTIONS,
  {
    name: 'name',
    value: 'expression',
    doc: 'What it is called in the tree; else `name`, `span_name`, `operation`, `message`, ….',
  },
]

export const traceSyntax: StageSyntax<AstTrace> = {
  keyword: 'trace',
  form: 'trace [trace_id=<field>] [span_id=<field>] [parent=<field>] [service=<field>] [name=<field>] [start=<field>] [duration=<field>] [error=<predicate>]',
  summary: 'Spans as trees, one trace after the other: depth, path, own time, critical path.',
  opens: /^(?:\s+[a-z]\w*\s*=|\s*(?:[|;]|$))/i,
  options: OPTIONS,
  parse(p, keyword) {
    const options = parseOptions(p, OPTIONS)
    return { kind: 'trace', span: p.spanFrom(keyword.start), options }
  },
  columns: (_, before) => withColumns(before, madeColumns('trace', TRACE_COLUMNS)),
  print: ({ options }) => `trace${printOptions(options)}`,
}
