import { js } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'
import { quantityType } from './quantity.ts'

export const range: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'range',
  foreign: ['spread'],
  doc: {
    summary:
      'The greatest value less the least; of durations and of datetimes a duration. Null when there are none, or several kinds.',
    examples: [
      { query: 'stats range(ms)', input: '{"ms":3}\n{"ms":10}', output: '{"range(ms)":7}' },
      {
        query: 'stats range(_time) as took',
        input: '{"_timestamp":"2026-01-01T00:00:00Z"}\n{"_timestamp":"2026-01-01T00:01:30Z"}',
        output: '{"took":"1m30s"}',
      },
    ],
  },
  parameters: [{ name: 'x', type: 'number', doc: 'A number, a duration or a datetime; null is skipped.' }],
  type: ([x]) => (x === 'datetime' ? 'duration' : quantityType(x)),
  takes: ['duration', 'datetime'],
  exactInts: true,
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: {
    low: { type: 'f64', init: Number.POSITIVE_INFINITY },
    high: { type: 'f64', init: Number.NEGATIVE_INFINITY },
    from: { type: 'f64', init: Number.POSITIVE_INFINITY },
    to: { type: 'f64', init: Number.NEGATIVE_INFINITY },
    rest: { type: 'object', init: null, holds: 'rangeRest' },
  },
  step: (s, [x]) => js`if (${x!.value} < ${s.low!}) ${s.low!} = ${x!.value};
    if (${x!.value} > ${s.high!}) ${s.high!} = ${x!.value};`,
  fromStatistics: {
    facts: () => ['min', 'max'],
    absorb: (s, [least, greatest]) => js`if (${least!.number} < ${s.low!}) ${s.low!} = ${least!.number};
      if (${greatest!.number} > ${s.high!}) ${s.high!} = ${greatest!.number};
      if (${least!.micros} < ${s.from!}) ${s.from!} = ${least!.micros};
      if (${greatest!.micros} > ${s.to!}) ${s.to!} = ${greatest!.micros};`,
  },
  rest: (s, x, cx) =>
    x.repr === 'time'
      ? js`if (${x.value} < ${s.from!}) ${s.from!} = ${x.value};
          if (${x.value} > ${s.to!}) ${s.to!} = ${x.value};`
      : js`${s.rest!} = ${cx.helper('rangeAdd', s.rest!, cx.toAny(x))};`,
  merge: (into, from, cx) => js`${into.low!} = Math.min(${into.low!}, ${from.low!});
    ${into.high!} = Math.max(${into.high!}, ${from.high!});
    ${into.from!} = Math.min(${into.from!}, ${from.from!});
    ${into.to!} = Math.max(${into.to!}, ${from.to!});
    ${into.rest!} = ${cx.helper('rangeMerge', into.rest!, from.rest!)};`,
  finish: (s, cx) => cx.helper('rangeOf', s.low!, s.high!, s.from!, s.to!, s.rest!),
}
