/** diff reads every field there is, but those its condition is about. */
import type { AstDiff } from '../../grammar/ast.ts'
import { numberOption } from '../../grammar/stages/options.ts'
import { DIFF_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import { fieldsOf } from '../logical/walk.ts'
import type { Stage } from './stage.ts'
import { closedScope, tableOp } from './table.ts'

const TYPES: Readonly<Record<(typeof DIFF_COLUMNS)[number], ValueType>> = {
  field: 'string',
  test: 'string',
  value: 'any',
  matching_share: 'float',
  rest_share: 'float',
  difference: 'float',
  matching: 'int',
  rest: 'int',
}

export function diffOptions({ options }: AstDiff): { readonly limit: number; readonly distinct: number } {
  return { limit: numberOption(options, 'limit') ?? 50, distinct: numberOption(options, 'distinct') ?? 10_000 }
}

export const diff: Stage<'diff'> = {
  kind: 'diff',
  doc: {
    summary: [
      'What sets the rows for which the condition is true apart from the rest: one row for each field and value that is more frequent among them, the largest difference first. `field`, `test` and `value` say what: `==` a value, `>=` or `<` the number or time that separates the two best, `exists`, or `missing`. `matching_share` and `rest_share` are how many rows of either side it is true of, `difference` the one less the other, `matching` and `rest` the counts.',
      'Differences that chance could explain (within three standard errors, after Agresti and Caffo) are left out, so a single row has nothing to say; so are `_raw` and the fields the condition reads.',
      'A field with more than `distinct` different values is not counted value by value; of one that holds numbers or times, the place that separates best is then found to within 1 %, or to a bin of time.',
    ].join(' '),
    examples: [
      {
        query: 'diff (status >= 500)',
        input: [
          ...[1, 2, 3, 4, 5].map(n => `{"status":503,"host":"db-1","region":"${n % 2 === 0 ? 'eu' : 'us'}"}`),
          ...[1, 2, 3, 4, 5].map(n => `{"status":200,"host":"web-1","region":"${n % 2 === 0 ? 'eu' : 'us'}"}`),
        ].join('\n'),
        output:
          '{"field":"host","test":"==","value":"db-1","matching_share":1,"rest_share":0,"difference":1,"matching":5,"rest":0}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const match = cx.exprs.predicate(stage.predicate)
    return {
      op: tableOp(stage, cx, {
        call: { name: 'diff', options: { ...diffOptions(stage), without: [...fieldsOf(match)] } },
        inputs: [{ name: 'match', value: match }],
        reads: null,
        passes: false,
        makes: DIFF_COLUMNS,
      }),
      scope: closedScope(DIFF_COLUMNS.map(name => [name, TYPES[name]] as const)),
    }
  },
}
