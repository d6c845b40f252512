import { durationOption, numberOption, optionOf } from '../../grammar/stages/options.ts'
import { FORECAST_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import type { Stage } from './stage.ts'
import { columnInputs, tableOp, timeInput } from './table.ts'

/** A year of bins of a minute. */
const COUNT_MAX = 525_600

const TYPES: Readonly<Record<(typeof FORECAST_COLUMNS)[number], ValueType>> = {
  is_forecast: 'bool',
  lower: 'any',
  upper: 'any',
  model: 'string',
}

export const forecast: Stage<'forecast'> = {
  kind: 'forecast',
  doc: {
    summary: [
      'The rows of a series, such as a binned `stats` gives, and `n` more bins of each, with the expected value in its column, `is_forecast`, bounds `lower` and `upper` (95 % of values should fall between them), and the `model` they come from.',
      'The models are exponential smoothing of the level, with a trend, with a trend that fades, with a season (Holt and Winters, additive), and repeating the last season; each is fitted to the first three quarters of the series and tried on the last, from up to forty places, and the one with the least mean absolute error, a simpler one unless another is 2 % better, is fitted again to all. A season is an hour, a day or a week, or what `season` says, where the series holds at least two of them.',
      'The width of a bin is the most frequent distance of two. Bins that are missing in between are interpolated and reported: `fill` first where a gap means zero. A series that was never negative is not forecast to be. With fewer than four bins there is nothing to go on.',
    ].join(' '),
    examples: [
      {
        query: 'every 1h stats max(gb) | forecast max(gb) 2',
        input: [0, 1, 2, 3, 4, 5, 6, 7]
          .map(n => `{"_timestamp":"2026-06-01T0${n}:00:00Z","gb":${10 + 2 * n}}`)
          .join('\n'),
        output: [
          ...[0, 1, 2, 3, 4, 5, 6, 7].map(
            n =>
              `{"_time":"2026-06-01T0${n}:00:00.000Z","max(gb)":${10 + 2 * n},"is_forecast":false,"lower":null,"upper":null,"model":null}`,
          ),
          '{"_time":"2026-06-01T08:00:00.000Z","max(gb)":26,"is_forecast":true,"lower":26,"upper":26,"model":"trend"}',
          '{"_time":"2026-06-01T09:00:00.000Z","max(gb)":28,"is_forecast":true,"lower":28,"upper":28,"model":"trend"}',
        ].join('\n'),
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower(stage, cx) {
    const { inputs, names } = columnInputs(stage, [stage.value, ...stage.by], cx)
    const [value = '', ...keys] = names
    const confidence = numberOption(stage.options, 'confidence') ?? 95
    if (confidence <= 0 || confidence >= 100) {
      const { span } = optionOf(stage.options, 'confidence') ?? stage
      cx.report({ code: 'E206', message: 'the confidence is a percentage between 0 and 100', span })
    }
    if (stage.count > COUNT_MAX) {
      cx.report({ code: 'E206', message: `forecast goes on for ${COUNT_MAX} bins at most`, span: stage.span })
    }
    return {
      op: tableOp(stage, cx, {
        call: {
          name: 'forecast',
          options: { keys, value, count: stage.count, seasonNs: durationOption(stage.options, 'season'), confidence },
        },
        inputs: [
          timeInput(stage, cx),
          ...inputs.map(({ value }, index) => ({ name: index === 0 ? 'value' : `by${index - 1}`, value })),
        ],
        reads: [],
        passes: true,
        makes: FORECAST_COLUMNS,
      }),
      scope: cx.scope.with(FORECAST_COLUMNS.map(name => [name, TYPES[name]])),
    }
  },
}
