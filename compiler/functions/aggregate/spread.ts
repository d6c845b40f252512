/** `var` and `stdev` of a sample, by Welford's update and Chan's merge: stable where a sum of squares is not. */
import { js } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'
import { quantityType } from './quantity.ts'

const welford = {
  kind: 'aggregate',
  category: 'aggregate',
  type: () => 'number',
  parameters: [{ name: 'x', type: 'number', doc: 'A number; null is skipped.' }],
  merging: { law: 'rounding' },
  ignoresOrder: true,
  state: { n: { type: 'f64', init: 0 }, mean: { type: 'f64', init: 0 }, m2: { type: 'f64', init: 0 } },
  step: (s, [x], cx) => {
    const delta = cx.let('delta', js.expr`${x!.value} - ${s.mean!}`)
    return js`${s.n!}++; ${s.mean!} += ${delta} / ${s.n!}; ${s.m2!} += ${delta} * (${x!.value} - ${s.mean!});`
  },
  merge: (into, from, cx) => {
    const n = cx.let('n', js.expr`${into.n!} + ${from.n!}`)
    const delta = cx.let('delta', js.expr`${from.mean!} - ${into.mean!}`)
    // Nothing is squared before it has its weight: into an empty state numbers of any size are merged as they are.
    return js`if (${from.n!} > 0) {
      ${into.m2!} += ${from.m2!} + ${delta} * (${delta} * (${into.n!} * ${from.n!} / ${n}));
      ${into.mean!} += ${delta} * (${from.n!} / ${n});
      ${into.n!} = ${n};
    }`
  },
} as const satisfies Partial<AggregateFunction>

export const variance: AggregateFunction = {
  ...welford,
  name: 'var',
  foreign: ['variance', 'var_samp'],
  doc: {
    summary: 'Sample variance; null for fewer than two numbers.',
    examples: [{ query: 'stats var(ms)', input: '{"ms":2}\n{"ms":4}', output: '{"var(ms)":2}' }],
  },
  finish: (s, cx) => js.expr`${s.n!} < 2 ? null : ${cx.helper('finite', js.expr`${s.m2!} / (${s.n!} - 1)`)}`,
}

export const stdev: AggregateFunction = {
  ...welford,
  name: 'stdev',
  foreign: ['stddev', 'std', 'stddev_samp'],
  doc: {
    summary: 'Sample standard deviation, of durations a duration; null for fewer than two numbers.',
    examples: [{ query: 'stats stdev(ms)', input: '{"ms":2}\n{"ms":6}\n{"ms":4}', output: '{"stdev(ms)":2}' }],
  },
  parameters: [{ name: 'x', type: 'number', doc: 'A number or a duration; null is skipped.' }],
  type: ([x]) => quantityType(x),
  takes: ['duration'],
  state: { ...welford.state, rest: { type: 'object', init: null, holds: 'spreadRest' } },
  rest: (s, x, cx) => js`${s.rest!} = ${cx.helper('spreadAdd', s.rest!, cx.toAny(x))};`,
  merge: (into, from, cx) => js`${[...welford.merge(into, from, cx)]}
    ${into.rest!} = ${cx.helper('spreadMerge', into.rest!, from.rest!)};`,
  finish: (s, cx) => cx.helper('deviationOf', s.n!, s.m2!, s.rest!),
}
