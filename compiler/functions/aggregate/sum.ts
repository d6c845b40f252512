/** `sum` and `avg`. Ints are summed exactly; a mean is a float anyway. */
import type { Expression, Statement } from 'estree'
import type { EmitContext } from '../../codegen/emitted.ts'
import { js } from '../../codegen/js.ts'
import type { AggregateFunction, StateSlots } from '../descriptor.ts'
import { quantityType } from './quantity.ts'

const shared = {
  kind: 'aggregate',
  category: 'aggregate',
  parameters: [{ name: 'x', type: 'number', doc: 'A number or a duration; null is skipped.' }],
  type: ([x]) => quantityType(x),
  takes: ['duration'],
  merging: { law: 'rounding' },
  ignoresOrder: true,
  rest: (s, x, cx) => js`${s.rest!} = ${cx.helper('sumAdd', s.rest!, cx.toAny(x))};`,
} as const satisfies Partial<AggregateFunction>

export const sum: AggregateFunction = {
  ...shared,
  name: 'sum',
  foreign: ['total'],
  doc: {
    summary:
      'Sum of the numbers, exact for ints; of durations a duration. Null when there are none, or when numbers and durations are mixed.',
    examples: [
      { query: 'stats sum(ms)', input: '{"ms":1}\n{"ms":null}\n{"ms":4}', output: '{"sum(ms)":5}' },
      {
        query: 'stats sum(duration(took)) as busy',
        input: '{"took":"90s"}\n{"took":"250ms"}',
        output: '{"busy":"1m30.25s"}',
      },
    ],
  },
  exactInts: true,
  empty: 0,
  state: {
    total: { type: 'f64', init: 0 },
    lost: { type: 'f64', init: 0 },
    n: { type: 'count', init: 0 },
    rest: { type: 'object', init: null, holds: 'sumRest' },
  },
  step: (s, [x], cx) =>
    cx.isShort && x!.isInt32 === true
      ? js`${s.total!} += ${x!.value}; ${s.n!}++;`
      : js`${addKeeping(s, x!.value, cx)} ${s.n!}++;`,
  isOnly: { kind: 'sum', to: 'total', othersLoseTo: 'lost' },
  merge: (into, from, cx) => js`${addKeeping(into, from.total!, cx)}
    ${into.lost!} += ${from.lost!};
    ${into.n!} += ${from.n!};
    ${into.rest!} = ${cx.helper('sumMerge', into.rest!, from.rest!)};`,
  finish: (s, cx) => cx.helper('sumOf', s.total!, s.lost!, s.n!, s.rest!),
}

/**
 * `total + x`, and into `lost` what the addition rounded away (Knuth's TwoSum): both together are exact while whole numbers are added.
 * Without a branch: a test for leaving ±2^53 costs more than these six operations, and V8 boxes the total around a branch never taken.
 */
function addKeeping(s: StateSlots, amount: Expression, cx: EmitContext): Statement[] {
  const x = cx.let('x', amount)
  const before = cx.let('before', s.total!)
  const sum = cx.let('sum', js.expr`${before} + ${x}`)
  const part = cx.let('part', js.expr`${sum} - ${before}`)
  return js`${s.lost!} += ${before} - (${sum} - ${part}) + (${x} - ${part}); ${s.total!} = ${sum};`
}

export const avg: AggregateFunction = {
  ...shared,
  name: 'avg',
  foreign: ['mean', 'average'],
  doc: {
    summary:
      'Arithmetic mean of the numbers; of durations a duration. Null when there are none, or when both are mixed.',
    examples: [{ query: 'stats avg(ms)', input: '{"ms":1}\n{"ms":null}\n{"ms":4}', output: '{"avg(ms)":2.5}' }],
  },
  state: {
    total: { type: 'f64', init: 0 },
    n: { type: 'count', init: 0 },
    rest: { type: 'object', init: null, holds: 'sumRest' },
  },
  step: (s, [x]) => js`${s.total!} += ${x!.value}; ${s.n!}++;`,
  isOnly: { kind: 'sum', to: 'total', othersLoseTo: null },
  merge: (into, from, cx) => js`${into.total!} += ${from.total!}; ${into.n!} += ${from.n!};
    ${into.rest!} = ${cx.helper('sumMerge', into.rest!, from.rest!)};`,
  finish: (s, cx) => cx.helper('averageOf', s.total!, s.n!, s.rest!),
}
