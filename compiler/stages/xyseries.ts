import { xyseriesLimit } from '../../grammar/stages/xyseries.ts'
import { Scope } from '../resolve/scope.ts'
import type { Stage } from './stage.ts'
import { tableOp } from './table.ts'

export const xyseries: Stage<'xyseries'> = {
  kind: 'xyseries',
  doc: {
    summary:
      'A row for each x, in the order they come; beside it a column for each value of y, in their order, holding the value of the last row with that x and y, or null. Columns of text are named by it, others by how they are written. More columns than `limit` are an error.',
    examples: [
      {
        query: 'stats count() by day, host | sort day | xyseries day host count()',
        input: '{"day":"mon","host":"a"}\n{"day":"mon","host":"b"}\n{"day":"tue","host":"a"}\n{"day":"tue","host":"a"}',
        output: '{"day":"mon","a":1,"b":1}\n{"day":"tue","a":2,"b":null}',
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower(stage, cx) {
    const [x, y, value] = [stage.x, stage.y, stage.value].map(each => cx.exprs.field(each.name, each.span))
    const { name } = stage.x
    return {
      op: tableOp(stage, cx, {
        call: { name: 'xyseries', options: { name, limit: xyseriesLimit(stage) } },
        inputs: [
          { name: 'x', value: x! },
          { name: 'y', value: y! },
          { name: 'value', value: value! },
        ],
        reads: [],
        passes: false,
        makes: null,
      }),
      scope: new Scope(new Map([[name, x!.type]]), true, false),
    }
  },
}
