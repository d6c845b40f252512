/** eventstats: rows keep their place and their fields, and get what stats would give their group. */
import type { ValueType } from '../../storage/value.ts'
import type { AggregateCall } from '../logical/ops.ts'
import type { LowerContext, Stage } from './stage.ts'
import { lowerAggregate, lowerKey } from './stats.ts'

export const eventstats: Stage<'eventstats'> = {
  kind: 'eventstats',
  doc: {
    summary:
      'Adds to every row what `stats` would give for its group; without `by`, for all rows. Null and missing keys are one group. All rows are held until the input ends.',
    examples: [
      {
        query: 'eventstats avg(ms) as usual by host | where ms > usual | keep host, ms, usual',
        input: '{"host":"a","ms":1}\n{"host":"a","ms":5}\n{"host":"b","ms":9}',
        output: '{"host":"a","ms":5,"usual":3}',
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower(stage, cx) {
    const keys = stage.by.map(key => lowerKey(key, cx))
    const aggregates = stage.aggregates.flatMap(aggregate => lowerAggregate(aggregate, keys, cx) ?? [])
    reportTwins(aggregates, cx)
    const made = aggregates.map(call => [call.name, call.type] as const satisfies readonly [string, ValueType])
    return {
      op: { kind: 'eventstats', origin: stage.span, input: cx.input, keys, aggregates },
      scope: cx.scope.with(made),
    }
  },
}

/** A column that is there already is replaced, as by extend; of two made at once, none could be. */
export function reportTwins(made: readonly Pick<AggregateCall, 'name' | 'origin'>[], cx: LowerContext): void {
  const seen = new Set<string>()
  for (const { name, origin } of made) {
    if (seen.has(name)) {
      cx.report({ code: 'E106', message: `two columns would be named '${name}'; use 'as'`, span: origin })
    }
    seen.add(name)
  }
}
