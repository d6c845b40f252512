import type { Stage } from './stage.ts'

export const where: Stage<'where'> = {
  kind: 'where',
  doc: {
    summary: 'Keeps the rows for which the condition is true; rows where it is false or null are dropped.',
    examples: [
      {
        query: 'where status >= 500 and host != "web-1"',
        input: '{"status":503,"host":"web-2"}\n{"status":200,"host":"web-2"}\n{"status":500,"host":"web-1"}',
        output: '{"status":503,"host":"web-2"}',
      },
    ],
  },
  class: 'streams',
  order: 'keeps',
  distribution: 'each-part',
  lower(stage, cx) {
    const predicate = cx.exprs.predicate(stage.predicate)
    const conjuncts = predicate.kind === 'and' ? predicate.operands : [predicate]
    return { op: { kind: 'filter', origin: stage.span, input: cx.input, conjuncts }, scope: cx.scope }
  },
}
