/** `min` and `max`: numbers and plain times in typed slots, everything else as values, compared in sort order at the end. */
import type { Expression, Statement } from 'estree'
import { js, lit } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

function extreme(name: 'min' | 'max', foreign: readonly string[], isLess: boolean, answer: number): AggregateFunction {
  const worst = isLess ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  const pick = isLess ? 'lesserOf' : 'greaterOf'
  const beats = (value: Expression, slot: Expression): Statement[] =>
    isLess ? js`if (${value} < ${slot}) ${slot} = ${value};` : js`if (${value} > ${slot}) ${slot} = ${value};`
  return {
    kind: 'aggregate',
    category: 'aggregate',
    name,
    foreign,
    doc: {
      summary: `The ${isLess ? 'least' : 'greatest'} value in sort order (numbers, then strings, bools, datetimes, durations); null when there is none.`,
      examples: [
        { query: `stats ${name}(ms)`, input: '{"ms":3}\n{"ms":null}\n{"ms":7}', output: `{"${name}(ms)":${answer}}` },
      ],
    },
    parameters: [{ name: 'x', type: 'any', doc: 'Any value; null is skipped.' }],
    type: ([x]) => x ?? 'any',
    merging: { law: 'exact' },
    ignoresOrder: true,
    state: {
      number: { type: 'f64', init: worst },
      micros: { type: 'f64', init: worst },
      other: { type: 'object', init: null },
    },
    step: (s, [x], cx) => {
      if (x!.repr === 'number') return beats(x!.value, s.number!)
      if (x!.repr === 'time') return beats(x!.value, s.micros!)
      const value = x!.repr === 'any' ? x!.value : cx.toAny(x!)
      if (x!.repr !== 'any') return js`${s.other!} = ${cx.helper(pick, s.other!, value)};`
      return js`if (typeof ${value} === "number") { ${beats(x!.value, s.number!)} } else { ${s.other!} = ${cx.helper(pick, s.other!, value)}; }`
    },
    isOnly: { kind: isLess ? 'least' : 'greatest', to: 'number' },
    fromStatistics: {
      facts: () => [name],
      absorb: (s, [fact]) => [...beats(fact!.number, s.number!), ...beats(fact!.micros, s.micros!)],
    },
    merge: (into, from, cx) => {
      const math = isLess ? js.expr`Math.min` : js.expr`Math.max`
      return js`${into.number!} = ${math}(${into.number!}, ${from.number!});
        ${into.micros!} = ${math}(${into.micros!}, ${from.micros!});
        ${into.other!} = ${cx.helper(pick, into.other!, from.other!)};`
    },
    finish: (s, cx) => cx.helper('extremeOf', s.number!, s.micros!, s.other!, lit(isLess)),
  }
}

export const min = extreme('min', ['minimum', 'lowest'], true, 3)
export const max = extreme('max', ['maximum', 'highest'], false, 7)
