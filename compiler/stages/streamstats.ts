/** streamstats: every row gets columns made of the rows of its group up to it, or around it. */
import type { AstAggregate } from '../../grammar/ast.ts'
import { printCall, quoteField } from '../../grammar/index.ts'
import { streamWindow } from '../../grammar/stages/streamstats.ts'
import type { WindowFunction } from '../functions/descriptor.ts'
import { lookupAggregate, WINDOWS } from '../functions/index.ts'
import { WINDOW_MAX } from '../functions/window/running.ts'
import type { AggregateCall, GroupKey, StreamColumn } from '../logical/ops.ts'
import { reportTwins } from './eventstats.ts'
import type { LowerContext, Stage } from './stage.ts'
import { lowerAggregate, lowerArguments, lowerKey, reportUnknown } from './stats.ts'

const LOOKS_AHEAD: ReadonlySet<string> = new Set(
  WINDOWS.filter(({ meaning }) => meaning.kind === 'offset' && meaning.direction === 'after').map(fn => fn.name),
)

export const streamstats: Stage<'streamstats'> = {
  kind: 'streamstats',
  doc: {
    summary:
      'Adds to every row the aggregates of its group up to this row, in the order rows come: sort before it. `window=n` looks at the last n rows of the group only, `current=false` leaves the row itself out. Window functions stand beside aggregates and go by their own arguments. `lead` looks ahead, so with it the stage blocks.',
    examples: [
      {
        query:
          'sort _time | streamstats window=2 avg(ms) as recent, lag(ms) as before by host | keep host, ms, recent, before',
        input: '{"host":"a","ms":1}\n{"host":"b","ms":8}\n{"host":"a","ms":3}\n{"host":"a","ms":7}',
        output:
          '{"host":"a","ms":1,"recent":1,"before":null}\n{"host":"b","ms":8,"recent":8,"before":null}\n{"host":"a","ms":3,"recent":2,"before":1}\n{"host":"a","ms":7,"recent":5,"before":3}',
      },
    ],
  },
  class: 'streams',
  blocks: stage => stage.aggregates.some(({ name }) => LOOKS_AHEAD.has(name)),
  order: 'keeps',
  distribution: 'merged',
  lower(stage, cx) {
    const window = streamWindow(stage)
    if (window.rows !== null && window.rows > WINDOW_MAX) {
      const { value } = stage.options.find(option => option.name === 'window')!
      cx.report({ code: 'E206', message: `window is at most ${WINDOW_MAX} rows`, span: value.span })
    }
    const keys = stage.by.map(key => lowerKey(key, cx))
    const columns = stage.aggregates.flatMap(each => lowerColumn(each, keys, window, cx) ?? [])
    const made = columns.map(column => (column.kind === 'offset' ? column : column.call))
    reportTwins(made, cx)
    return {
      op: { kind: 'streamstats', origin: stage.span, input: cx.input, keys, columns },
      scope: cx.scope.with(made.map(({ name, type }) => [name, type] as const)),
    }
  },
}

function lowerColumn(
  ast: AstAggregate,
  keys: readonly GroupKey[],
  window: { readonly rows: number | null; readonly current: boolean },
  cx: LowerContext,
): StreamColumn | null {
  const fn = cx.functions.windows.get(ast.name)
  if (fn !== undefined) return lowerWindow(fn, ast, cx)
  if (lookupAggregate(cx.functions, ast.name) === null) {
    reportUnknown(ast, cx, [...cx.functions.windows.values()])
    return null
  }
  const call = lowerAggregate(ast, keys, cx)
  if (call === null) return null
  const { rows, current } = window
  const frame = rows !== null ? ` over ${rows} rows${current ? '' : ' before'}` : current ? '' : ' over the rows before'
  return { kind: 'aggregate', call, rows, current, label: labelled(ast, frame) }
}

function lowerWindow(fn: WindowFunction, ast: AstAggregate, cx: LowerContext): StreamColumn | null {
  const given = lowerArguments(fn, ast, cx)
  if (given === null) return null
  if (ast.where !== null) {
    const message = `only aggregates take 'where'; ${fn.name}() looks at every row of its group`
    cx.report({ code: 'E301', message, span: ast.where.span })
  }
  const { args, parameters, type } = given
  const head = { name: ast.alias ?? printCall(ast), type, origin: ast.span }
  const label = labelled(ast, '')
  const { meaning } = fn
  if (meaning.kind === 'offset') {
    const by = parameters[0] ?? 1
    return { kind: 'offset', value: args[0]!, distance: meaning.direction === 'before' ? -by : by, ...head, label }
  }
  const isFramed = meaning.rows === 'first constant'
  const call: AggregateCall = {
    ...head,
    function: meaning.function,
    args,
    parameters: isFramed ? parameters.slice(1) : parameters,
    where: null,
  }
  return { kind: 'aggregate', call, rows: isFramed ? (parameters[0] ?? 1) : null, current: true, label }
}

function labelled(ast: AstAggregate, frame: string): string {
  const alias = ast.alias === null ? '' : ` as ${quoteField(ast.alias)}`
  return `${printCall(ast)}${frame}${alias}`
}
