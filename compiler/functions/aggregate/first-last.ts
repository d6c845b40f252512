/** `first`/`last` by order of input, `earliest`/`latest` by event time (ties by order of input). */
import type { Expression } from 'estree'
import { js } from '../../codegen/js.ts'
import type { AggregateFunction, StepContext } from '../descriptor.ts'

const head = {
  kind: 'aggregate',
  category: 'aggregate',
  parameters: [{ name: 'x', type: 'any', doc: 'Any value; null and missing are skipped.' }],
  type: ([x]) => x ?? 'any',
  merging: { law: 'exact' },
} as const satisfies Partial<AggregateFunction>

function byOrder(name: 'first' | 'last', foreign: readonly string[], answer: string): AggregateFunction {
  const isFirst = name === 'first'
  const wins = (order: Expression, slot: Expression): Expression =>
    isFirst ? js.expr`${order} < ${slot}` : js.expr`${order} > ${slot}`
  return {
    ...head,
    name,
    foreign,
    doc: {
      summary: `The ${name} value in the order rows arrive at the stage.`,
      examples: [
        { query: `stats ${name}(x)`, input: '{"x":"a"}\n{"x":"b"}\n{"x":null}', output: `{"${name}(x)":"${answer}"}` },
      ],
    },
    state: {
      order: { type: 'f64', init: isFirst ? Number.POSITIVE_INFINITY : -1 },
      value: { type: 'object', init: null },
    },
    step: (s, [x], cx) =>
      js`if (${wins(cx.rowOrder, s.order!)}) { ${s.order!} = ${cx.rowOrder}; ${s.value!} = ${cx.toAny(x!)}; }`,
    merge: (into, from) =>
      js`if (${wins(from.order!, into.order!)}) { ${into.order!} = ${from.order!}; ${into.value!} = ${from.value!}; }`,
    finish: s => s.value!,
  }
}

function byTime(name: 'earliest' | 'latest', foreign: readonly string[], answer: string): AggregateFunction {
  const isEarliest = name === 'earliest'
  const less = (a: Expression, b: Expression): Expression => (isEarliest ? js.expr`${a} < ${b}` : js.expr`${a} > ${b}`)
  const wins = (
    a: readonly [Expression, Expression, Expression],
    b: readonly [Expression, Expression, Expression],
  ): Expression =>
    js.expr`${less(a[0], b[0])} || ${a[0]} === ${b[0]} && (${less(a[1], b[1])} || ${a[1]} === ${b[1]} && ${less(a[2], b[2])})`
  const init = isEarliest ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  return {
    ...head,
    name,
    foreign,
    doc: {
      summary: `The value of the row with the ${isEarliest ? 'least' : 'greatest'} _time.`,
      examples: [
        {
          query: `stats ${name}(x)`,
          input: '{"_timestamp":"2026-01-02T00:00:00Z","x":"b"}\n{"_timestamp":"2026-01-01T00:00:00Z","x":"a"}',
          output: `{"${name}(x)":"${answer}"}`,
        },
      ],
    },
    readsTime: true,
    state: {
      micros: { type: 'f64', init },
      nanos: { type: 'f64', init },
      order: { type: 'f64', init },
      value: { type: 'object', init: null },
    },
    step: (s, [x], cx: StepContext) => {
      const row = [cx.timeMicros, cx.timeNanos, cx.rowOrder] as const
      return js`if (${wins(row, [s.micros!, s.nanos!, s.order!])}) {
        ${s.micros!} = ${row[0]}; ${s.nanos!} = ${row[1]}; ${s.order!} = ${row[2]}; ${s.value!} = ${cx.toAny(x!)};
      }`
    },
    merge: (
      into,
      from,
    ) => js`if (${wins([from.micros!, from.nanos!, from.order!], [into.micros!, into.nanos!, into.order!])}) {
      ${into.micros!} = ${from.micros!}; ${into.nanos!} = ${from.nanos!}; ${into.order!} = ${from.order!}; ${into.value!} = ${from.value!};
    }`,
    finish: s => s.value!,
  }
}

export const first = byOrder('first', ['first_value'], 'a')
export const last = byOrder('last', ['last_value'], 'b')
export const earliest = byTime('earliest', ['arg_min_time'], 'a')
export const latest = byTime('latest', ['arg_max_time'], 'b')
