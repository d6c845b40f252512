/** fill: what the stats before it was by, and what its aggregates are of no rows, found out once. */
import type { AstFill } from '../../grammar/ast.ts'
import { formatDuration } from '../../grammar/index.ts'
import type { TableOptions } from '../../runtime/table.ts'
import { Duration, type Value } from '../../storage/value.ts'
import { chainOf } from '../logical/walk.ts'
import { type Series, seriesBelow } from './series.ts'
import type { LowerContext, Lowered, Stage } from './stage.ts'
import { tableOp } from './table.ts'

export const fill: Stage<'fill'> = {
  kind: 'fill',
  doc: {
    summary:
      'Makes a series regular, after `every … stats` or `stats … by bin(_time, …)`: each group gets a row for every bin of the queried range, or from the first bin there is to the last where the range is open; since a time means until now. In made rows counts and sums are 0 and everything else is null. Rows come out in the order of time. A duration says the width of bins where no stats does.',
    examples: [
      {
        query: 'every 1m stats count(), max(ms) | fill',
        input:
          '{"_timestamp":"2026-06-01T10:00:10Z","ms":4}\n{"_timestamp":"2026-06-01T10:02:10Z","ms":6}\n{"_timestamp":"2026-06-01T10:02:20Z","ms":8}',
        output:
          '{"_time":"2026-06-01T10:00:00.000Z","count()":1,"max(ms)":4}\n{"_time":"2026-06-01T10:01:00.000Z","count()":0,"max(ms)":null}\n{"_time":"2026-06-01T10:02:00.000Z","count()":2,"max(ms)":8}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const options = optionsOf(stage, cx)
    if (options === null) return { op: cx.input, scope: cx.scope }
    const { time, keys } = options
    return {
      op: tableOp(stage, cx, {
        call: { name: 'fill', options },
        inputs: [],
        reads: [time, ...keys],
        passes: true,
        makes: [],
      }),
      scope: cx.scope,
    } satisfies Lowered
  },
}

function optionsOf(stage: AstFill, cx: LowerContext): TableOptions['fill'] | null {
  const series = seriesBelow(cx.input)
  const widthNs = widthOf(stage, series, cx)
  if (widthNs === null) return null
  const names = [...cx.scope.fields.keys()]
  const withRole = (kind: 'time' | 'key'): string[] => names.filter(name => series?.roles.get(name)?.kind === kind)
  const [time = series === null ? '_time' : null] = withRole('time')
  if (time === null || !cx.scope.has(time)) {
    const message = 'fill needs the column of time, which is not here any more'
    cx.report({ code: 'E401', message, span: stage.span })
    return null
  }
  const keys = withRole('key')
  const columns = names
    .filter(name => name !== time && !keys.includes(name))
    .map(name => {
      const role = series?.roles.get(name)
      return { name, value: role?.kind === 'answer' ? role.empty : (null as Value) }
    })
  const scan = chainOf(cx.input).at(-1)
  const range = scan?.kind === 'scan' ? scan.time : { fromMicros: null, toMicros: null }
  const nowMicros = range.fromMicros !== null && range.toMicros === null ? cx.now().micros : null
  return { time, widthMicros: widthNs / 1000, keys, ...range, nowMicros, columns }
}

/** In nanoseconds; null when it is reported as wrong. */
function widthOf({ width, span }: AstFill, series: Series | null, cx: LowerContext): number | null {
  if (width === null) {
    if (series !== null) return whole(series.widthNs, span, cx)
    const message =
      "fill does not know how wide bins are: it stands after 'every 5m stats …' or 'stats … by bin(_time, 5m)', or says so itself, as in 'fill 5m'"
    cx.report({ code: 'E401', message, span })
    return null
  }
  const expr = cx.exprs.expr(width)
  const ns = expr.kind === 'literal' && expr.value instanceof Duration ? expr.value.ns : 0
  if (ns <= 0) {
    cx.report({ code: 'E206', message: 'the width of bins is a duration such as 5m', span: width.span })
    return null
  }
  if (series !== null && series.widthNs !== ns) {
    const text = formatDuration(series.widthNs)
    cx.report({
      code: 'E206',
      message: `the bins before are ${text} wide`,
      span: width.span,
      suggestion: text,
      edit: { span: width.span, text },
    })
    return null
  }
  return whole(ns, width.span, cx)
}

function whole(ns: number, span: AstFill['span'], cx: LowerContext): number | null {
  if (ns % 1000 === 0) return ns
  cx.report({ code: 'E206', message: 'bins to fill are of whole microseconds', span })
  return null
}
