import { sampleSeed } from '../../grammar/stages/sample.ts'
import type { Stage } from './stage.ts'
import { tableOp } from './table.ts'

export const sample: Stage<'sample'> = {
  kind: 'sample',
  doc: {
    summary: 'Some of the rows, drawn evenly: a number of them, or a share. The same query draws the same rows again.',
    examples: [
      {
        query: 'sample 100% | stats count()',
        input: '{"a":1}\n{"a":2}\n{"a":3}',
        output: '{"count()":3}',
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower: (stage, cx) => ({
    op: tableOp(stage, cx, {
      call: {
        name: 'sample',
        options: {
          count: stage.count,
          share: stage.percent === null ? null : stage.percent / 100,
          seed: sampleSeed(stage),
        },
      },
      inputs: [],
      reads: [],
      passes: true,
      makes: [],
      choosesRows: true,
    }),
    scope: cx.scope,
  }),
}
