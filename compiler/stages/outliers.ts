/** outliers: its method's usual threshold, and the columns it adds. */
import type { AstOutliers } from '../../grammar/ast.ts'
import { boolOption, numberOption, optionOf, wordOption } from '../../grammar/stages/options.ts'
import { OUTLIER_COLUMNS, type OutlierMethod } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import type { Stage } from './stage.ts'
import { byInputs, tableOp } from './table.ts'

const THRESHOLDS: Readonly<Record<OutlierMethod, number>> = { iqr: 1.5, zscore: 3, mad: 3.5 }

export interface OutlierOptions {
  readonly method: OutlierMethod
  readonly threshold: number
  readonly mark: boolean
}

export function outlierOptions({ options }: AstOutliers): OutlierOptions {
  const method = (wordOption(options, 'method') ?? 'iqr') as OutlierMethod
  return {
    method,
    threshold: numberOption(options, 'threshold') ?? THRESHOLDS[method],
    mark: boolOption(options, 'mark') ?? false,
  }
}

export const outliers: Stage<'outliers'> = {
  kind: 'outliers',
  doc: {
    summary: [
      'The rows whose value lies outside of `lower` and `upper`, the bounds drawn from all values of its group, with `score`: how far out it is, negative below. `mark=true` lets every row through, with `is_outlier`.',
      '`iqr`: more than 1.5 interquartile ranges beyond the quartiles. `zscore`: more than 3 standard deviations from the mean. `mad`: more than 3.5 deviations from the median, the deviation taken from the median absolute one; neither `iqr` nor `mad` is moved by the outliers themselves.',
      'Where more than half of the values are equal, so that these spreads are zero, the mean absolute deviation takes their place. Values that are no number or duration are no outliers.',
    ].join(' '),
    examples: [
      {
        query: 'outliers field=ms | keep ms, score, lower, upper',
        input: '{"ms":10}\n{"ms":12}\n{"ms":11}\n{"ms":13}\n{"ms":95}\n{"ms":12}',
        output: '{"ms":95,"score":54.8333,"lower":9,"upper":15}',
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower(stage, cx) {
    const options = outlierOptions(stage)
    const types: (readonly [string, ValueType])[] = [
      ['score', 'float'],
      ['lower', 'any'],
      ['upper', 'any'],
      ...(options.mark ? [['is_outlier', 'bool'] as const] : []),
    ]
    return {
      op: tableOp(stage, cx, {
        call: { name: 'outliers', options },
        inputs: [{ name: 'value', value: cx.exprs.expr(optionOf(stage.options, 'field')!) }, ...byInputs(stage.by, cx)],
        reads: [],
        passes: true,
        makes: [...OUTLIER_COLUMNS, 'is_outlier'],
      }),
      scope: cx.scope.with(types),
    }
  },
}
