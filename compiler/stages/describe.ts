import { DESCRIBE_COLUMNS } from '../../grammar/made-columns.ts'
import type { ValueType } from '../../storage/value.ts'
import { Scope } from '../resolve/scope.ts'
import type { Stage } from './stage.ts'

const TYPES: Readonly<Record<(typeof DESCRIBE_COLUMNS)[number], ValueType>> = {
  field: 'string',
  type: 'string',
  coverage: 'float',
  distinct_est: 'int',
  min: 'any',
  max: 'any',
  top_values: 'array',
}

export const describe: Stage<'describe'> = {
  kind: 'describe',
  doc: {
    summary:
      'One row per field: its types, in how many rows it is present, distinct values (estimated), least, greatest, most frequent.',
    examples: [
      {
        query: 'keep a | describe | keep field, type, coverage, min, max',
        input: '{"a":1}\n{"a":3}\n{}\n{}',
        output: '{"field":"a","type":"int","coverage":0.5,"min":1,"max":3}',
      },
    ],
  },
  class: 'blocks',
  order: 'loses',
  distribution: 'partial',
  lower: (stage, cx) => ({
    op: { kind: 'describe', origin: stage.span, input: cx.input },
    scope: new Scope(new Map(DESCRIBE_COLUMNS.map(name => [name, TYPES[name]])), false),
  }),
}
