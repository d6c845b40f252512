/** Aggregates that collect values: `values` distinct and sorted, `list` in order, `mode` and `topk` the most frequent. */
import { js, lit } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

const ANY = [{ name: 'x', type: 'any', doc: 'Any value; null and missing are skipped.' }] as const

export const values: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'values',
  foreign: ['make_set', 'array_agg_distinct', 'uniq_values'],
  doc: {
    summary: 'The distinct values, sorted, as an array.',
    examples: [
      { query: 'stats values(x)', input: '{"x":"b"}\n{"x":"a"}\n{"x":"b"}', output: '{"values(x)":["a","b"]}' },
    ],
  },
  parameters: ANY,
  type: () => 'array',
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: { tally: { type: 'object', init: 'tallyNew', ofValues: true } },
  step: (s, [x], cx) =>
    x!.dict !== undefined
      ? js`${cx.helper('tallyAddCode', s.tally!, x!.dict.dictionary, x!.dict.code)};`
      : js`${cx.helper('tallyAdd', s.tally!, cx.toAny(x!))};`,
  merge: (into, from, cx) => js`${cx.helper('tallyMerge', into.tally!, from.tally!)};`,
  finish: (s, cx) => cx.helper('tallyValues', s.tally!),
}

export const mode: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'mode',
  foreign: ['most_frequent'],
  doc: {
    summary: 'The most frequent value; of several, the least in sort order.',
    examples: [{ query: 'stats mode(x)', input: '{"x":"b"}\n{"x":"a"}\n{"x":"b"}', output: '{"mode(x)":"b"}' }],
  },
  parameters: ANY,
  type: ([x]) => x ?? 'any',
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: { tally: { type: 'object', init: 'tallyNew', ofValues: true } },
  step: values.step,
  merge: values.merge,
  finish: (s, cx) => cx.helper('tallyMode', s.tally!),
}

export const topk: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'topk',
  foreign: ['top_k', 'approx_top_k', 'top_n'],
  doc: {
    summary:
      'The k most frequent values, exact, as an array of `{value, count}`: most frequent first, among equals the least in sort order. `explode` makes rows of it; `top` is the stage for one list.',
    examples: [
      {
        query: 'stats topk(path, 2) by host',
        input: '{"host":"a","path":"/x"}\n{"host":"a","path":"/y"}\n{"host":"a","path":"/x"}\n{"host":"a","path":"/z"}',
        output: '{"host":"a","topk(path, 2)":[{"value":"/x","count":2},{"value":"/y","count":1}]}',
      },
    ],
  },
  parameters: [
    ...ANY,
    {
      name: 'k',
      type: 'number',
      doc: 'How many, 1 to 10000.',
      constant: true,
      within: { min: 1, max: 10_000, whole: true },
    },
  ],
  type: () => 'array',
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: { tally: { type: 'object', init: 'tallyNew', ofValues: true } },
  step: values.step,
  merge: values.merge,
  finish: (s, cx) => cx.helper('tallyTop', s.tally!, lit(cx.parameters[0] ?? 1)),
}

export const list: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'list',
  foreign: ['make_list', 'array_agg', 'collect'],
  doc: {
    summary: 'All values in the order rows arrive, as an array; keeps every value in memory.',
    examples: [
      { query: 'stats list(x)', input: '{"x":"b"}\n{"x":"a"}\n{"x":"b"}', output: '{"list(x)":["b","a","b"]}' },
    ],
  },
  parameters: ANY,
  type: () => 'array',
  merging: { law: 'exact' },
  state: { items: { type: 'object', init: 'listNew' } },
  step: (s, [x], cx) => js`${cx.helper('listAdd', s.items!, cx.rowOrder, cx.toAny(x!))};`,
  merge: (into, from, cx) => js`${cx.helper('listMerge', into.items!, from.items!)};`,
  finish: (s, cx) => cx.helper('listValues', s.items!),
}
