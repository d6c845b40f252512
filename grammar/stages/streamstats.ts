import type { AstStreamstats } from '../ast.ts'
import { withColumns } from '../columns.ts'
import { boolOption, numberOption, parseOptions, printOptions, type StageOption } from './options.ts'
import {
  aggregateColumn,
  parseAggregates,
  parseUnnamedBy,
  printAggregates,
  printBy,
  type StageSyntax,
} from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'window', value: 'count', doc: 'Aggregates are over the last n rows of the group instead of all so far.' },
  { name: 'current', value: 'bool', doc: 'With `false` the row itself does not count, only those before it.' },
]

export const streamstatsSyntax: StageSyntax<AstStreamstats> = {
  keyword: 'streamstats',
  form: 'streamstats [window=<n>] [current=false] <aggregate or window function> [as a], … [by <key>, …]',
  summary: 'Adds to every row the aggregates of its group so far, and window functions such as lag(x).',
  opens: /^\s+[A-Za-z_]/,
  options: OPTIONS,
  parse(p, keyword) {
    const options = parseOptions(p, OPTIONS)
    const aggregates = parseAggregates(p)
    const by = parseUnnamedBy(p)
    return { kind: 'streamstats', span: p.spanFrom(keyword.start), options, aggregates, by }
  },
  columns: ({ aggregates }, before) => withColumns(before, aggregates.map(aggregateColumn)),
  print: ({ options, aggregates, by }) =>
    `streamstats${printOptions(options)} ${printAggregates(aggregates)}${printBy(by)}`,
}

/** Rows an aggregate looks back on, itself among them if `current`; null: all so far. */
export function streamWindow({ options }: AstStreamstats): { readonly rows: number | null; readonly current: boolean } {
  return { rows: numberOption(options, 'window'), current: boolOption(options, 'current') ?? true }
}
