import { js } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

export const range: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'range',
  foreign: [],
  doc: {
    summary: 'Greatest number less the least; null when there are none.',
    examples: [{ query: 'stats range(ms)', input: '{"ms":3}\n{"ms":10}', output: '{"range(ms)":7}' }],
  },
  parameters: [{ name: 'x', type: 'number', doc: 'A number; null is skipped.' }],
  type: () => 'number',
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: {
    low: { type: 'f64', init: Number.POSITIVE_INFINITY },
    high: { type: 'f64', init: Number.NEGATIVE_INFINITY },
  },
  step: (s, [x]) => js`if (${x!.value} < ${s.low!}) ${s.low!} = ${x!.value};
    if (${x!.value} > ${s.high!}) ${s.high!} = ${x!.value};`,
  fromStatistics: {
    facts: () => ['min', 'max'],
    absorb: (s, [least, greatest]) => js`if (${least!.number} < ${s.low!}) ${s.low!} = ${least!.number};
      if (${greatest!.number} > ${s.high!}) ${s.high!} = ${greatest!.number};`,
  },
  merge: (into, from) => js`${into.low!} = Math.min(${into.low!}, ${from.low!});
    ${into.high!} = Math.max(${into.high!}, ${from.high!});`,
  finish: (s, cx) => js.expr`${s.low!} > ${s.high!} ? null : ${cx.helper('finite', js.expr`${s.high!} - ${s.low!}`)}`,
}
