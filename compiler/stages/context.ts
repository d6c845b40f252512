/** context: the condition before it becomes a column, and the filter goes. */
import type { AstContext, AstExpr } from '../../grammar/ast.ts'
import { numberOption } from '../../grammar/stages/options.ts'
import type { Expr } from '../logical/expr.ts'
import type { Stage } from './stage.ts'
import { byInputs, tableOp, timeInput } from './table.ts'

export const context: Stage<'context'> = {
  kind: 'context',
  doc: {
    summary: [
      'The events around each match, as `grep -C` shows the lines around one: the condition right before the stage (a `where`, or the search terms) does not drop events but marks the matches, and with each of them come the `n` events before it and after it, in order of time, with the same keys; without `by`, of the same source.',
      '`context` is `match`, `before` or `after`, the nearer match counting; where contexts touch they are one block, shown once, and `context_block` counts the blocks. Earlier conditions are filters as ever: `from app service=cart | where status >= 500 | context 3` looks at the events of cart only.',
      'Blocks come in order of their first event, events within a block in order of time. All events of the range are read.',
    ].join(' '),
    examples: [
      {
        query: 'where level == "error" | context 1 by host | keep context_block, context, host, message',
        input: [
          '{"_timestamp":"2026-06-01T10:00:00Z","host":"a","level":"info","message":"start"}',
          '{"_timestamp":"2026-06-01T10:00:01Z","host":"a","level":"info","message":"connect"}',
          '{"_timestamp":"2026-06-01T10:00:02Z","host":"b","level":"info","message":"idle"}',
          '{"_timestamp":"2026-06-01T10:00:03Z","host":"a","level":"error","message":"refused"}',
          '{"_timestamp":"2026-06-01T10:00:04Z","host":"a","level":"info","message":"retry"}',
          '{"_timestamp":"2026-06-01T10:00:05Z","host":"a","level":"info","message":"connected"}',
        ].join('\n'),
        output: [
          '{"context_block":1,"context":"before","host":"a","message":"connect"}',
          '{"context_block":1,"context":"match","host":"a","message":"refused"}',
          '{"context_block":1,"context":"after","host":"a","message":"retry"}',
        ].join('\n'),
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const filter = cx.input
    let match: Expr = { kind: 'literal', type: 'bool', origin: stage.span, value: false }
    if (filter.kind === 'filter') {
      const { conjuncts, origin } = filter
      match = conjuncts.length === 1 ? conjuncts[0]! : { kind: 'and', type: 'bool', origin, operands: conjuncts }
    } else {
      cx.report({
        code: 'E401',
        message: 'context shows what is around the events of the condition right before it, and there is none',
        span: stage.span,
        suggestion: `where <predicate> | context ${stage.count}`,
      })
    }
    const op = tableOp(stage, cx, {
      call: { name: 'context', options: contextOptions(stage) },
      inputs: [{ name: 'match', value: match }, timeInput(stage, cx), ...byInputs(contextKeys(stage, cx.scope), cx)],
      reads: [],
      passes: true,
      makes: ['context', 'context_block'],
    })
    return {
      op: filter.kind === 'filter' ? { ...op, input: filter.input } : op,
      scope: cx.scope.with([
        ['context', 'string'],
        ['context_block', 'int'],
      ]),
    }
  },
}

export function contextOptions({ options, count }: AstContext): { readonly before: number; readonly after: number } {
  return { before: numberOption(options, 'before') ?? count, after: numberOption(options, 'after') ?? count }
}

/** Of the same source, where rows still have one. */
function contextKeys({ by, span }: AstContext, scope: { has(name: string): boolean }): readonly AstExpr[] {
  return by.length === 0 && scope.has('_source') ? [{ kind: 'field', span, name: '_source' }] : by
}
