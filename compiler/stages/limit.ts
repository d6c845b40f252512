/** head, tail and dedup: which rows go on by where they stand. */
import type { Stage } from './stage.ts'

export const head: Stage<'head'> = {
  kind: 'head',
  doc: {
    summary: 'The first rows, 10 unless told otherwise; reading stops there.',
    examples: [{ query: 'head 1', input: '{"a":1}\n{"a":2}', output: '{"a":1}' }],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'partial',
  lower: (stage, cx) => ({
    op: { kind: 'head', origin: stage.span, input: cx.input, count: stage.count },
    scope: cx.scope,
  }),
}

export const tail: Stage<'tail'> = {
  kind: 'tail',
  doc: {
    summary: 'The last rows, 10 unless told otherwise, in their order.',
    examples: [{ query: 'tail 1', input: '{"a":1}\n{"a":2}', output: '{"a":2}' }],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'partial',
  lower: (stage, cx) => ({
    op: { kind: 'tail', origin: stage.span, input: cx.input, count: stage.count },
    scope: cx.scope,
  }),
}

export const dedup: Stage<'dedup'> = {
  kind: 'dedup',
  doc: {
    summary: 'The first row of each combination of the fields, or the first N; null and missing are one value.',
    examples: [
      {
        query: 'dedup host',
        input: '{"host":"a","n":1}\n{"host":"b","n":2}\n{"host":"a","n":3}',
        output: '{"host":"a","n":1}\n{"host":"b","n":2}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'partial',
  lower(stage, cx) {
    const fields = stage.fields.map(field => {
      const expr = cx.exprs.field(field.name, field.span)
      return expr.kind === 'field' ? expr.name : field.name
    })
    return {
      op: { kind: 'dedup', origin: stage.span, input: cx.input, count: stage.count, fields },
      scope: cx.scope,
    }
  },
}
