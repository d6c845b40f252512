import type { AstTopology } from '../ast.ts'
import { madeColumns } from '../columns.ts'
import { TOPOLOGY_COLUMNS } from '../made-columns.ts'
import { parseOptions, printOptions, type StageOption } from './options.ts'
import { SPAN_OPTIONS } from './spans.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'caller', value: 'expression', doc: 'With `callee`: each row is one call, and needs no span.' },
  { name: 'callee', value: 'expression', doc: 'Who was called.' },
  ...SPAN_OPTIONS,
]

export const topologySyntax: StageSyntax<AstTopology> = {
  keyword: 'topology',
  form: 'topology [caller=<field> callee=<field>] [service=<field>] [duration=<field>] [error=<predicate>] [trace_id=<field>] [span_id=<field>] [parent=<field>]',
  summary: 'Who calls whom: one row for each pair of services, with calls, errors and latency.',
  opens: /^(?:\s+[a-z]\w*\s*=|\s*(?:[|;]|$))/i,
  options: OPTIONS,
  parse(p, keyword) {
    const options = parseOptions(p, OPTIONS)
    return { kind: 'topology', span: p.spanFrom(keyword.start), options }
  },
  columns: (_, before) => ({ ...before, all: madeColumns('topology', TOPOLOGY_COLUMNS), isOpen: false }),
  print: ({ options }) => `topology${printOptions(options)}`,
}
