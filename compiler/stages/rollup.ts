/** rollup: rows are given out once for each width, with their bin of it, and then aggregated and sorted as by stats and sort. */
import type { AstRollup } from '../../grammar/ast.ts'
import { aggregate } from '../../grammar/stages/syntax.ts'
import { Duration, type ValueType } from '../../storage/value.ts'
import { lookupAggregate } from '../functions/index.ts'
import type { GroupKey, LogicalOp } from '../logical/ops.ts'
import { Scope } from '../resolve/scope.ts'
import { reportTwins } from './eventstats.ts'
import type { LowerContext, Stage } from './stage.ts'
import { lowerAggregate, lowerKey } from './stats.ts'
import { tableOp } from './table.ts'

/** Names no event is likely to use: aggregates may read a field `width` of their own. */
const BIN = '$bin'
const WIDTH = '$width'

export const rollup: Stage<'rollup'> = {
  kind: 'rollup',
  doc: {
    summary:
      'Several time series at once, one for each width: rows with the start of the bin in `_time`, the width in `width`, the keys and the aggregates, in that order of columns and of rows. Without `stats` rows are counted.',
    examples: [
      {
        query: 'rollup 1m, 1h',
        input:
          '{"_timestamp":"2026-06-01T10:00:10Z"}\n{"_timestamp":"2026-06-01T10:00:50Z"}\n{"_timestamp":"2026-06-01T10:02:10Z"}',
        output:
          '{"_time":"2026-06-01T10:00:00.000Z","width":"1m","count()":2}\n{"_time":"2026-06-01T10:02:00.000Z","width":"1m","count()":1}\n{"_time":"2026-06-01T10:00:00.000Z","width":"1h","count()":3}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'partial',
  lower(stage, cx) {
    const origin = stage.span
    const widthsMicros = widthsOf(stage, cx)
    const time = cx.exprs.field('_time', origin)
    const field = (name: string, type: ValueType) => ({ kind: 'field', type, origin, name }) as const
    const keys: GroupKey[] = [
      { value: field(BIN, 'datetime'), name: '_time' },
      { value: field(WIDTH, 'duration'), name: 'width' },
      ...stage.by.map(key => lowerKey(key, cx)),
    ]
    const written = stage.aggregates.length > 0 ? stage.aggregates : [aggregate('count', [], origin)]
    const aggregates = written.flatMap(each => lowerAggregate(each, [], cx) ?? [])
    for (const { name, nameSpan } of written) {
      if (lookupAggregate(cx.functions, name)?.function.takesBinSeconds !== true) continue
      const message = `${name}() is over one width of bins; it stands in 'every 5m stats …'`
      cx.report({ code: 'E403', message, span: nameSpan })
    }
    const spans = [origin, origin, ...stage.by.map(key => key.span)]
    reportTwins([...keys.map(({ name }, index) => ({ name, origin: spans[index]! })), ...aggregates], cx)
    const widened = tableOp(stage, cx, {
      call: { name: 'rollup', options: { widthsMicros, bin: BIN, width: WIDTH } },
      inputs: [{ name: 'time', value: time }],
      reads: [],
      passes: true,
      makes: [BIN, WIDTH],
    })
    const grouped: LogicalOp = { kind: 'aggregate', origin, input: widened, keys, aggregates }
    // By width, then by time, then by the keys.
    const order = [1, 0, ...keys.keys()].filter((key, index, all) => all.indexOf(key) === index)
    const op: LogicalOp = {
      kind: 'sort',
      origin,
      input: grouped,
      keys: order.map(key => ({ value: field(keys[key]!.name, keys[key]!.value.type), descending: false })),
    }
    const columns = [
      ...keys.map(key => [key.name, key.value.type] as const),
      ...aggregates.map(a => [a.name, a.type] as const),
    ]
    return { op, scope: new Scope(new Map(columns), false) }
  },
}

function widthsOf(stage: AstRollup, cx: LowerContext): readonly number[] {
  const widths: number[] = []
  for (const ast of stage.widths) {
    const expr = cx.exprs.expr(ast)
    const ns = expr.kind === 'literal' && expr.value instanceof Duration ? expr.value.ns : 0
    if (ns <= 0 || ns % 1000 !== 0) {
      const message = 'a width is a duration such as 5m, of whole microseconds'
      cx.report({ code: 'E206', message, span: ast.span })
    } else if (widths.includes(ns / 1000)) {
      cx.report({ code: 'E106', message: 'this width is there already', span: ast.span })
    } else widths.push(ns / 1000)
  }
  return widths
}
