import { unionOf } from '../resolve/union.ts'
import type { Stage } from './stage.ts'

export const union: Stage<'union'> = {
  kind: 'union',
  doc: {
    summary:
      'The rows so far, then those of each pipeline named, by field name: a row has the fields it came with. Time bounds of the request hold in every pipeline.',
    examples: [
      {
        query: 'where level == "error" | union [where ms > 100] | keep level, ms',
        input: '{"level":"error","ms":5}\n{"level":"info","ms":200}\n{"level":"info","ms":7}',
        output: '{"level":"error","ms":5}\n{"level":"info","ms":200}',
      },
    ],
  },
  class: 'streams',
  order: 'loses',
  distribution: 'merged',
  lower(stage, cx) {
    const own = { plan: cx.input, scope: cx.scope, knownFields: cx.knownFields }
    const { plan, scope, knownFields } = unionOf([own, ...stage.inputs.map(input => cx.rowsOf(input))], stage.span)
    return { op: plan, scope, knownFields }
  },
}
