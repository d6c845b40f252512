/** `dc` exact, `estdc` by HyperLogLog. Over a dictionary column both work on codes: a value is looked at once, not once per row. */
import { js } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

export const dc: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'dc',
  foreign: ['distinct_count', 'count_distinct', 'dcount', 'uniq', 'count_uniq', 'cardinality', 'nunique'],
  doc: {
    summary: 'Number of distinct values, exact; null and missing do not count.',
    examples: [
      { query: 'stats dc(user)', input: '{"user":"a"}\n{"user":"b"}\n{"user":"a"}', output: '{"dc(user)":2}' },
    ],
  },
  parameters: [{ name: 'x', type: 'any', doc: 'Any value; 2 and 2.0 are one, 2 and "2" are two.' }],
  type: () => 'int',
  merging: { law: 'exact' },
  ignoresOrder: true,
  takesNullCodes: true,
  state: { set: { type: 'object', init: 'distinctNew', bySlot: true, ofValues: true } },
  isOnly: { kind: 'distinct', to: 'set' },
  step: (s, [x], cx) => {
    if (x!.dict !== undefined) return js`${cx.helper('distinctAddCode', s.set!, x!.dict.dictionary, x!.dict.code)};`
    if (x!.repr === 'number') return js`${cx.helper('distinctAddNumber', s.set!, x!.value)};`
    return js`${cx.helper('distinctAdd', s.set!, x!.repr === 'any' ? x!.value : cx.toAny(x!))};`
  },
  merge: (into, from, cx) => js`${cx.helper('distinctMerge', into.set!, from.set!)};`,
  finish: (s, cx) => cx.helper('distinctCount', s.set!),
  running: {
    state: { set: { type: 'object', init: 'runningDistinctNew' } },
    step: (s, [x], cx) =>
      x!.dict !== undefined
        ? js`${cx.helper('runningDistinctAddCode', s.set!, x!.dict.dictionary, x!.dict.code)};`
        : js`${cx.helper('runningDistinctAdd', s.set!, x!.repr === 'any' ? x!.value : cx.toAny(x!))};`,
    finish: (s, cx) => cx.helper('runningDistinctCount', s.set!),
  },
}

export const estdc: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'estdc',
  foreign: ['approx_count_distinct', 'approx_distinct', 'hll'],
  doc: {
    summary: 'Estimated number of distinct values: HyperLogLog with 16,384 registers, standard error 0.8 %.',
    examples: [{ query: 'stats estdc(user)', input: '{"user":"a"}\n{"user":"b"}', output: '{"estdc(user)":2}' }],
  },
  parameters: [{ name: 'x', type: 'any', doc: 'Any value.' }],
  type: () => 'int',
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: { registers: { type: 'object', init: 'hllNew' } },
  step: (s, [x], cx) => {
    if (x!.dict !== undefined) return js`${cx.helper('hllAddCode', s.registers!, x!.dict.dictionary, x!.dict.code)};`
    return js`${cx.helper('hllAdd', s.registers!, x!.repr === 'any' ? x!.value : cx.toAny(x!))};`
  },
  merge: (into, from, cx) => js`${cx.helper('hllMerge', into.registers!, from.registers!)};`,
  finish: (s, cx) => cx.helper('hllCount', s.registers!),
}
