import { js } from '../../codegen/js.ts'
import type { AggregateFunction } from '../descriptor.ts'

export const count: AggregateFunction = {
  kind: 'aggregate',
  category: 'aggregate',
  name: 'count',
  foreign: ['cnt', 'counter'],
  doc: {
    summary: 'Number of rows; with an argument, of rows where it is neither null nor missing.',
    examples: [
      {
        query: 'stats count(), count(user), count(where status >= 500) as errors',
        input: '{"user":"a","status":200}\n{"status":503}',
        output: '{"count()":2,"count(user)":1,"errors":1}',
      },
    ],
  },
  parameters: [{ name: 'x', type: 'any', doc: 'What must be present.', optional: true }],
  type: () => 'int',
  merging: { law: 'exact' },
  ignoresOrder: true,
  state: { n: { type: 'count', init: 0 } },
  step: s => js`${s.n!}++;`,
  merge: (into, from) => js`${into.n!} += ${from.n!};`,
  finish: s => s.n!,
  fromStatistics: {
    facts: argumentCount => [argumentCount === 0 ? 'rows' : 'present'],
    absorb: (s, [fact]) => js`${s.n!} += ${fact!.number};`,
  },
  countsRows: true,
}
