import type { AstStats } from '../ast.ts'
import { chartAsStats, groupsFirst } from '../foreign/stages.ts'
import { isPunctuation } from '../parser.ts'
import {
  aggregateColumn,
  keyAsColumn,
  parseAggregates,
  parseBy,
  printAggregates,
  printBy,
  reportRewritten,
  type StageSyntax,
} from './syntax.ts'

export const statsSyntax: StageSyntax<AstStats> = {
  keyword: 'stats',
  form: 'stats <aggregate> [as a], … [by <key>, …]',
  summary: 'One row for each group of events, or one for all; bin(_time, 5m) as a key makes a time series.',
  opens: /^\s+[A-Za-z_]/,
  foreign: [
    { words: ['summarize', 'aggregate', 'summarise'], opens: /^\s+[A-Za-z_]\w*\s*[(=]/, rewrite: 'keyword' },
    { words: ['chart'], opens: /^\s+[a-z]\w*\s*(?:\(|by\s|over\s)/i, rewrite: chartAsStats },
  ],
  parse(p, keyword) {
    if (p.isWord('by') && isPunctuation(p.peekSecond(), '(')) {
      reportRewritten(p, keyword, 'the aggregates come before their keys', groupsFirst)
    }
    const aggregates = parseAggregates(p)
    const by = parseBy(p)
    return { kind: 'stats', span: p.spanFrom(keyword.start), aggregates, by }
  },
  columns: ({ aggregates, by }, before) => ({
    ...before,
    all: [...by.map(key => keyAsColumn(key, before)), ...aggregates.map(aggregateColumn)],
    isOpen: false,
  }),
  print: ({ aggregates, by }) => `stats ${printAggregates(aggregates)}${printBy(by)}`,
}
