import type { ValueType } from '../../storage/value.ts'
import { ExprResolver } from '../resolve/expression.ts'
import type { Stage } from './stage.ts'

export const extend: Stage<'extend'> = {
  kind: 'extend',
  doc: {
    summary: 'Adds fields, left to right: a later one may use an earlier one. A field of the same name is replaced.',
    examples: [
      {
        query: 'extend seconds = ms / 1000, slow = seconds > 1 | keep seconds, slow',
        input: '{"ms":1500}',
        output: '{"seconds":1.5,"slow":true}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    let { scope } = cx
    const assignments = stage.assignments.map(({ name, value }) => {
      const expr = new ExprResolver(scope, cx).expr(value)
      scope = scope.with([[name, expr.type] as const satisfies readonly [string, ValueType]])
      return { name, value: expr }
    })
    return { op: { kind: 'extend', origin: stage.span, input: cx.input, assignments }, scope }
  },
}
