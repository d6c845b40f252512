import type { Stage } from './stage.ts'

export const sort: Stage<'sort'> = {
  kind: 'sort',
  doc: {
    summary:
      'Orders rows; `-` before a key descends. Nulls come last ascending and first descending; equal rows keep their order.',
    examples: [
      {
        query: 'sort -ms, host',
        input: '{"ms":1,"host":"b"}\n{"ms":4,"host":"a"}',
        output: '{"ms":4,"host":"a"}\n{"ms":1,"host":"b"}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'partial',
  lower(stage, cx) {
    const keys = stage.keys.map(key => ({ value: cx.exprs.expr(key.value), descending: key.descending }))
    return { op: { kind: 'sort', origin: stage.span, input: cx.input, keys }, scope: cx.scope }
  },
}
