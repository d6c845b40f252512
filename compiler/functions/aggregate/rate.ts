import { js, lit } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

export const rate: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'rate',
  foreign: ['per_second', 'count_rate'],
  doc: {
    summary:
      'Rows per second: over the width of the bin when grouped by bin(_time, …), otherwise between the first and last event of the group (null when that is no time at all).',
    examples: [
      {
        query: 'stats rate()',
        input: '{"_timestamp":"2026-01-01T00:00:00Z"}\n{"_timestamp":"2026-01-01T00:00:10Z"}',
        output: '{"rate()":0.2}',
      },
    ],
  },
  parameters: [{ name: 'x', type: 'any', doc: 'What must be present for a row to count.', optional: true }],
  type: () => 'number',
  merging: { law: 'exact' },
  ignoresOrder: true,
  readsTime: true,
  takesBinSeconds: true,
  state: {
    n: { type: 'count', init: 0 },
    low: { type: 'f64', init: Number.POSITIVE_INFINITY },
    high: { type: 'f64', init: Number.NEGATIVE_INFINITY },
  },
  step: (s, _, cx) => {
    const micros = cx.let('micros', cx.timeMicros)
    return js`${s.n!}++; if (${micros} < ${s.low!}) ${s.low!} = ${micros}; if (${micros} > ${s.high!}) ${s.high!} = ${micros};`
  },
  merge: (into, from) => js`${into.n!} += ${from.n!};
    ${into.low!} = Math.min(${into.low!}, ${from.low!});
    ${into.high!} = Math.max(${into.high!}, ${from.high!});`,
  finish: (s, cx) => {
    const [binSeconds] = cx.parameters
    if (binSeconds !== undefined) return js.expr`${s.n!} / ${lit(binSeconds)}`
    return js.expr`${s.high!} > ${s.low!} ? ${s.n!} / ((${s.high!} - ${s.low!}) / 1000000) : null`
  },
}
