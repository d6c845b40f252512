import type { AstEventstats } from '../ast.ts'
import { withColumns } from '../columns.ts'
import {
  aggregateColumn,
  parseAggregates,
  parseUnnamedBy,
  printAggregates,
  printBy,
  type StageSyntax,
} from './syntax.ts'

export const eventstatsSyntax: StageSyntax<AstEventstats> = {
  keyword: 'eventstats',
  form: 'eventstats <aggregate> [as a], … [by <key>, …]',
  summary: "Adds its group's aggregates to every row; without keys, those of all rows.",
  opens: /^\s+[A-Za-z_]/,
  parse(p, keyword) {
    const aggregates = parseAggregates(p)
    const by = parseUnnamedBy(p)
    return { kind: 'eventstats', span: p.spanFrom(keyword.start), aggregates, by }
  },
  columns: ({ aggregates }, before) => withColumns(before, aggregates.map(aggregateColumn)),
  print: ({ aggregates, by }) => `eventstats ${printAggregates(aggregates)}${printBy(by)}`,
}
