import type { Stage } from './stage.ts'
import { tableOp } from './table.ts'

export const explode: Stage<'explode'> = {
  kind: 'explode',
  doc: {
    summary:
      'A row for each element of an array, with all other fields as they are; `as x` puts the element beside the array instead of in its place. No row is lost: an empty array leaves one row with null, and what is no array stays as it is.',
    examples: [
      {
        query: 'explode tags as tag | keep id, tag',
        input: '{"id":1,"tags":["a","b"]}\n{"id":2,"tags":[]}\n{"id":3,"tags":"c"}',
        output: '{"id":1,"tag":"a"}\n{"id":1,"tag":"b"}\n{"id":2,"tag":null}\n{"id":3,"tag":"c"}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    const field = cx.exprs.field(stage.field.name, stage.field.span)
    const as = stage.as ?? (field.kind === 'field' ? field.name : stage.field.name)
    return {
      op: tableOp(stage, cx, {
        call: { name: 'explode', options: { as } },
        inputs: [{ name: 'array', value: field }],
        reads: [],
        passes: true,
        makes: [as],
        isRowByRow: true,
      }),
      scope: cx.scope.with([[as, 'any']]),
    }
  },
}
