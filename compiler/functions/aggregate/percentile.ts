/** Percentiles: `p95(x)` and `perc(x, 95)` from a log-bucket sketch, `exactperc` and `median` from all values. */
import { js, lit } from '../../codegen/js.ts'
import type { AggregateFunction, Parameter } from '../descriptor.ts'
import { quantityType } from './quantity.ts'

const X: Parameter = { name: 'x', type: 'number', doc: 'A number or a duration; null is skipped.' }
const P: Parameter = {
  name: 'p',
  type: 'number',
  doc: 'Percentile, 0 to 100.',
  constant: true,
  within: { min: 0, max: 100 },
}

const sketched = {
  kind: 'aggregate',
  category: 'aggregate',
  type: ([x]) => quantityType(x),
  takes: ['duration'],
  merging: { law: 'sketch', relativeError: 0.005 },
  ignoresOrder: true,
  asksWithParameters: true,
  state: { sketch: { type: 'object', init: 'sketchNew', bySlot: true } },
  isOnly: { kind: 'sketch', to: 'sketch' },
  step: (s, [x], cx) => js`${cx.helper('sketchAdd', s.sketch!, x!.value)};`,
  rest: (s, x, cx) => js`${cx.helper('sketchAddRest', s.sketch!, cx.toAny(x))};`,
  merge: (into, from, cx) => js`${cx.helper('sketchMerge', into.sketch!, from.sketch!)};`,
  finish: (s, cx) => cx.helper('sketchQuantile', s.sketch!, lit((cx.parameters[0] ?? 50) / 100)),
} as const satisfies Partial<AggregateFunction>

export const perc: AggregateFunction = {
  ...sketched,
  name: 'perc',
  foreign: ['percentile', 'quantile', 'approx_percentile'],
  doc: {
    summary:
      'The p-th percentile (nearest rank) within 0.5 % of its value; merges exactly, so the answer does not depend on how data is split.',
    examples: [
      { query: 'stats perc(ms, 50)', input: '{"ms":10}\n{"ms":20}\n{"ms":30}', output: '{"perc(ms, 50)":20.0625}' },
    ],
  },
  parameters: [X, P],
}

/** `p50(x)`, `p99.9(x)` written `p99_9`: the percentile is in the name. */
export const pNN: AggregateFunction = {
  ...sketched,
  name: 'pNN',
  foreign: [],
  family: {
    members: ['p50', 'p90', 'p95', 'p99'],
    pattern: /^p(100|\d{1,2})(?:_(\d+))?$/,
    parameters: match => [Number(`${match[1]}.${match[2] ?? 0}`)],
  },
  doc: {
    summary:
      'Percentile by name, p0 to p100: p50, p90, p95, p99, p99_9. Within 0.5 %, of durations a duration; see perc.',
    examples: [{ query: 'stats p99(ms)', input: '{"ms":8}', output: '{"p99(ms)":8}' }],
  },
  parameters: [X],
}

const exact = {
  kind: 'aggregate',
  category: 'aggregate',
  type: ([x]) => quantityType(x),
  takes: ['duration'],
  merging: { law: 'none', reason: 'exact percentiles need every value' },
  ignoresOrder: true,
  asksWithParameters: true,
  state: { values: { type: 'object', init: 'numberListNew' } },
  step: (s, [x], cx) => js`${cx.helper('numberListAdd', s.values!, x!.value)};`,
  rest: (s, x, cx) => js`${cx.helper('numberListAddRest', s.values!, cx.toAny(x))};`,
  merge: (into, from, cx) => js`${cx.helper('numberListMerge', into.values!, from.values!)};`,
  finish: (s, cx) => cx.helper('exactQuantile', s.values!, lit((cx.parameters[0] ?? 50) / 100)),
} as const satisfies Partial<AggregateFunction>

export const exactperc: AggregateFunction = {
  ...exact,
  name: 'exactperc',
  foreign: ['percentile_cont', 'quantile_cont'],
  doc: {
    summary: 'The exact p-th percentile, interpolated between neighbours; keeps every value in memory.',
    examples: [{ query: 'stats exactperc(ms, 90)', input: '{"ms":10}\n{"ms":20}', output: '{"exactperc(ms, 90)":19}' }],
  },
  parameters: [X, P],
}

export const median: AggregateFunction = {
  ...exact,
  name: 'median',
  foreign: ['med'],
  doc: {
    summary: 'The exact median: the middle value, or the mean of the two in the middle.',
    examples: [
      { query: 'stats median(ms)', input: '{"ms":1}\n{"ms":2}\n{"ms":10}\n{"ms":20}', output: '{"median(ms)":6}' },
    ],
  },
  parameters: [X],
}
