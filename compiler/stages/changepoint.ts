import { numberOption, wordOption } from '../../grammar/stages/options.ts'
import { CHANGE_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import type { Stage } from './stage.ts'
import { closedScope, columnInputs, tableOp, timeInput } from './table.ts'

export const changepoint: Stage<'changepoint'> = {
  kind: 'changepoint',
  doc: {
    summary: [
      'Where a series, such as a binned `stats` gives, changes: one row for each change, in order of time, with `_time` (the first bin that is different), the keys, `before`, `after`, `change`, `change_pct` and `score`.',
      '`model=level` looks for steps: `before` and `after` are the medians up to the last and until the next change. `model=trend` looks for bends: they are the rise per bin.',
      'The changes are those that explain the series best when each costs `penalty` · ln(bins) variances of its noise (optimal partitioning; the noise is taken from the differences of neighbours). A single bin that stands out is no change, and bins without a value are skipped: `fill` first where a gap means zero. `score` is how many standard errors the two sides are apart.',
    ].join(' '),
    examples: [
      {
        query: 'every 1m stats count() | changepoint count()',
        input: [3, 4, 3, 4, 3, 9, 10, 9, 10, 9]
          .flatMap((count, minute) =>
            Array.from({ length: count }, () => `{"_timestamp":"2026-06-01T10:0${minute}:00Z"}`),
          )
          .join('\n'),
        output: '{"_time":"2026-06-01T10:05:00.000Z","before":3,"after":9,"change":6,"change_pct":200,"score":4.374}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const { inputs, names } = columnInputs(stage, stage.by, cx)
    const made: (readonly [string, ValueType])[] = [
      ['_time', 'datetime'],
      ...names.map(name => [name, cx.scope.typeOf(name)] as const),
      ...CHANGE_COLUMNS.map(name => [name, name === 'change_pct' || name === 'score' ? 'float' : 'any'] as const),
    ]
    return {
      op: tableOp(stage, cx, {
        call: {
          name: 'changepoint',
          options: {
            keys: names,
            model: wordOption(stage.options, 'model') === 'trend' ? 'trend' : 'level',
            penalty: numberOption(stage.options, 'penalty') ?? 3,
          },
        },
        inputs: [{ name: 'value', value: cx.exprs.expr(stage.value) }, timeInput(stage, cx), ...inputs],
        reads: [],
        passes: false,
        makes: made.map(([name]) => name),
      }),
      scope: closedScope(made),
    }
  },
}
