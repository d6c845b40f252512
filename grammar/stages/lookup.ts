import type { AstLookup } from '../ast.ts'
import { parseTable, printInput } from './inputs.ts'
import { joinedColumns, parseAs, parseOn, printAs, printOn } from './join-keys.ts'
import type { StageSyntax } from './syntax.ts'

export const lookupSyntax: StageSyntax<AstLookup> = {
  keyword: 'lookup',
  form: 'lookup name on a, b == c [as d]',
  summary: 'Adds the columns of a lookup table to rows it knows; every row stays.',
  opens: /^\s+[\w`@.-]+\s+on\s/i,
  parse(p, keyword) {
    const table = parseTable(p, keyword)
    const on = parseOn(p)
    const as = parseAs(p)
    return { kind: 'lookup', span: p.spanFrom(keyword.start), table, on, as }
  },
  columns: ({ table, on, as }, before, columnsOf) => joinedColumns(before, columnsOf(table), on, as),
  print: ({ table, on, as }) => `${printInput(table)} on ${printOn(on)}${printAs(as)}`,
}
