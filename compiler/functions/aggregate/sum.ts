import { js } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

export const sum: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'sum',
  foreign: ['total'],
  doc: {
    summary: 'Sum of the numbers, as a float64; null when there are none.',
    examples: [{ query: 'stats sum(ms)', input: '{"ms":1}\n{"ms":null}\n{"ms":4}', output: '{"sum(ms)":5}' }],
  },
  parameters: [{ name: 'x', type: 'number', doc: 'A number; null is skipped.' }],
  type: () => 'number',
  merging: { law: 'rounding' },
  empty: 0,
  ignoresOrder: true,
  state: { total: { type: 'f64', init: 0 }, n: { type: 'count', init: 0 } },
  step: (s, [x]) => js`${s.total!} += ${x!.value}; ${s.n!}++;`,
  merge: (into, from) => js`${into.total!} += ${from.total!}; ${into.n!} += ${from.n!};`,
  finish: (s, cx) => js.expr`${s.n!} === 0 ? null : ${cx.helper('finite', s.total!)}`,
}
