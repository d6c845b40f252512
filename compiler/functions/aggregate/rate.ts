/** `rate` counts rows per second, `per_second` adds up per second: both over the bin, or else over the time the group spans. */
import type { Expression } from 'estree'
import { js, lit } from '../../codegen/js.ts'
import type { AggregateFunction, StateSlots, StepContext } from '../descriptor.ts'

const SPAN = {
  low: { type: 'f64', init: Number.POSITIVE_INFINITY },
  high: { type: 'f64', init: Number.NEGATIVE_INFINITY },
} as const

function widen(s: StateSlots, cx: StepContext) {
  const micros = cx.let('micros', cx.timeMicros)
  return js`if (${micros} < ${s.low!}) ${s.low!} = ${micros}; if (${micros} > ${s.high!}) ${s.high!} = ${micros};`
}

function mergeSpan(into: StateSlots, from: StateSlots) {
  return js`${into.low!} = Math.min(${into.low!}, ${from.low!}); ${into.high!} = Math.max(${into.high!}, ${from.high!});`
}

/** What is added up, by seconds: of the bin, or from the first event counted to the last; null where that is no time at all. */
function perSeconds(amount: Expression, s: StateSlots, parameters: readonly number[]): Expression {
  const [binSeconds] = parameters
  if (binSeconds !== undefined) return js.expr`${amount} / ${lit(binSeconds)}`
  return js.expr`${s.high!} > ${s.low!} ? ${amount} / ((${s.high!} - ${s.low!}) / 1000000) : null`
}

export const rate: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'rate',
  foreign: ['count_rate', 'events_per_second'],
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
  state: { n: { type: 'count', init: 0 }, ...SPAN },
  step: (s, _, cx) => js`${s.n!}++; ${widen(s, cx)}`,
  merge: (into, from) => js`${into.n!} += ${from.n!}; ${mergeSpan(into, from)}`,
  finish: (s, cx) => perSeconds(s.n!, s, cx.parameters),
}

export const perSecond: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'per_second',
  foreign: ['sum_rate', 'bytes_per_second'],
  doc: {
    summary:
      'Sum of the numbers per second, as `rate` counts rows per second: over the width of the bin, otherwise between the first and last event of the group. `per_second(bytes) * 60` is per minute.',
    examples: [
      {
        query: 'stats per_second(bytes) by bin(_time, 10s)',
        input: '{"_timestamp":"2026-01-01T00:00:00Z","bytes":300}\n{"_timestamp":"2026-01-01T00:00:09Z","bytes":200}',
        output: '{"_time":"2026-01-01T00:00:00.000Z","per_second(bytes)":50}',
      },
    ],
  },
  parameters: [{ name: 'x', type: 'number', doc: 'A number; null is skipped.' }],
  type: () => 'number',
  merging: { law: 'rounding' },
  ignoresOrder: true,
  readsTime: true,
  takesBinSeconds: true,
  state: { total: { type: 'f64', init: 0 }, n: { type: 'count', init: 0 }, ...SPAN },
  step: (s, [x], cx) => js`${s.total!} += ${x!.value}; ${s.n!}++; ${widen(s, cx)}`,
  merge: (into, from) => js`${into.total!} += ${from.total!}; ${into.n!} += ${from.n!}; ${mergeSpan(into, from)}`,
  finish: (s, cx) => {
    const answer = cx.let('answer', perSeconds(s.total!, s, cx.parameters))
    return js.expr`${s.n!} === 0 || ${answer} === null ? null : ${cx.helper('finite', answer)}`
  },
}
