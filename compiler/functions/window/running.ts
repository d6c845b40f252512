/** Window functions that are an aggregate over the rows so far, or over the last of them. */
import { js, lit } from '../../codegen/js.ts'
import { count } from '../aggregate/count.ts'
import { avg, sum } from '../aggregate/sum.ts'
import type { AggregateFunction, Parameter, WindowFunction } from '../descriptor.ts'

const X: Parameter = { name: 'x', type: 'number', doc: 'A number; null is passed over.' }
const QUANTITY: Parameter = { ...X, doc: 'A number or a duration; null is passed over.' }
const head = { kind: 'window', category: 'window' } as const satisfies Partial<WindowFunction>

/** More rows than this are no window any more: each group holds a state for every row of it. */
export const WINDOW_MAX = 1_000_000

export const rowNumber: WindowFunction = {
  ...head,
  name: 'row_number',
  foreign: ['rownum'],
  doc: {
    summary: 'The number of the row in its group, from 1.',
    examples: [
      {
        query: 'streamstats row_number() as nth by host | keep host, nth',
        input: '{"host":"a"}\n{"host":"b"}\n{"host":"a"}',
        output: '{"host":"a","nth":1}\n{"host":"b","nth":1}\n{"host":"a","nth":2}',
      },
    ],
  },
  parameters: [],
  type: () => 'int',
  meaning: { kind: 'aggregate', function: count, rows: 'all' },
}

export const runningSum: WindowFunction = {
  ...head,
  name: 'running_sum',
  foreign: ['row_cumsum', 'cumsum'],
  doc: {
    summary: 'The sum of the numbers of the group up to this row; null before the first.',
    examples: [
      {
        query: 'streamstats running_sum(n) as total | keep n, total',
        input: '{"n":1}\n{"n":4}\n{"n":null}',
        output: '{"n":1,"total":1}\n{"n":4,"total":5}\n{"n":null,"total":5}',
      },
    ],
  },
  parameters: [QUANTITY],
  type: args => sum.type(args),
  meaning: { kind: 'aggregate', function: sum, rows: 'all' },
}

export const movingAvg: WindowFunction = {
  ...head,
  name: 'moving_avg',
  foreign: ['sma', 'moving_average'],
  doc: {
    summary: 'The mean of the numbers in the last n rows of the group, this one among them; null where there are none.',
    examples: [
      {
        query: 'streamstats moving_avg(n, 2) as mean | keep n, mean',
        input: '{"n":1}\n{"n":4}\n{"n":6}',
        output: '{"n":1,"mean":1}\n{"n":4,"mean":2.5}\n{"n":6,"mean":5}',
      },
    ],
  },
  parameters: [
    QUANTITY,
    {
      name: 'n',
      type: 'int',
      doc: 'How many rows.',
      constant: true,
      within: { min: 1, max: WINDOW_MAX, whole: true },
    },
  ],
  type: args => avg.type(args),
  meaning: { kind: 'aggregate', function: avg, rows: 'first constant' },
}

/** Not registered: over split data its weights are lost, so it is no aggregate of `stats`. */
const ewmaState: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'ewma',
  foreign: [],
  doc: { summary: '', examples: [{ query: '', input: '', output: '' }] },
  parameters: [X],
  type: () => 'number',
  merging: { law: 'none', reason: 'each number weighs as much as its place says' },
  state: { mean: { type: 'f64', init: 0 }, n: { type: 'u8', init: 0 } },
  step: (s, [x], cx) => {
    const alpha = cx.constant(cx.parameters[0] ?? 1)
    return js`if (${s.n!} === 0) { ${s.mean!} = ${x!.value}; ${s.n!} = 1; }
      else ${s.mean!} += ${alpha} * (${x!.value} - ${s.mean!});`
  },
  merge: () => {
    throw new Error('the state of ewma cannot be merged')
  },
  finish: (s, cx) => js.expr`${s.n!} === ${lit(0)} ? null : ${cx.helper('finite', s.mean!)}`,
}

export const ewma: WindowFunction = {
  ...head,
  name: 'ewma',
  foreign: ['ema', 'exp_avg'],
  doc: {
    summary:
      'The exponentially weighted mean of the group up to this row: alpha times the number and 1 - alpha times the mean before it.',
    examples: [
      {
        query: 'streamstats ewma(n, 0.5) as mean | keep n, mean',
        input: '{"n":8}\n{"n":4}\n{"n":null}\n{"n":2}',
        output: '{"n":8,"mean":8}\n{"n":4,"mean":6}\n{"n":null,"mean":6}\n{"n":2,"mean":4}',
      },
    ],
  },
  parameters: [
    X,
    {
      name: 'alpha',
      type: 'number',
      doc: 'The weight of the newest number, above 0 and up to 1.',
      constant: true,
      within: { min: 0, max: 1, above: true },
    },
  ],
  type: () => 'number',
  meaning: { kind: 'aggregate', function: ewmaState, rows: 'all' },
}
