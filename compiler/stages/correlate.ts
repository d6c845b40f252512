import { printExpr } from '../../grammar/index.ts'
import type { CORRELATE_METHODS } from '../../grammar/stages/correlate.ts'
import { wordOption } from '../../grammar/stages/options.ts'
import { CORRELATE_COLUMNS } from '../../runtime/table.ts'
import type { Stage } from './stage.ts'
import { closedScope, tableOp } from './table.ts'

export const correlate: Stage<'correlate'> = {
  kind: 'correlate',
  doc: {
    summary: [
      'How strongly fields go together, one row for each pair of them, the strongest first: `a`, `b`, `method`, `correlation` and `n`, the rows in which both have a value.',
      'Two columns of numbers (durations, times and booleans too) give Pearson’s r, from -1 to 1; `method=spearman` compares ranks instead, which outliers cannot bend.',
      'Two columns of categories give Cramér’s V, from 0 to 1. A category with a number gives eta, from 0 to 1: the root of the share of the variance that the category explains. Both are corrected for chance, so that identifiers do not look related to everything.',
      'A column is of numbers when at least half of its values are; the others then do not count. `correlation` is null where a column is constant.',
    ].join(' '),
    examples: [
      {
        query: 'correlate ms bytes host',
        input:
          '{"ms":10,"bytes":100,"host":"a"}\n{"ms":20,"bytes":210,"host":"a"}\n{"ms":30,"bytes":290,"host":"b"}\n{"ms":40,"bytes":400,"host":"b"}',
        output:
          '{"a":"ms","b":"bytes","method":"pearson","correlation":0.9981,"n":4}\n{"a":"ms","b":"host","method":"eta","correlation":0.8367,"n":4}\n{"a":"bytes","b":"host","method":"eta","correlation":0.7896,"n":4}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const inputs = stage.values.map((value, index) => ({ name: `v${index}`, value: cx.exprs.expr(value) }))
    const method = wordOption(stage.options, 'method') as (typeof CORRELATE_METHODS)[number] | null
    const names = stage.values.map(value => (value.kind === 'field' ? value.name : printExpr(value)))
    return {
      op: tableOp(stage, cx, {
        call: { name: 'correlate', options: { names, method } },
        inputs,
        reads: [],
        passes: false,
        makes: CORRELATE_COLUMNS,
      }),
      scope: closedScope([
        ['a', 'string'],
        ['b', 'string'],
        ['method', 'string'],
        ['correlation', 'float'],
        ['n', 'int'],
      ]),
    }
  },
}
