/** Which columns of the rows at hand are those of a series: what `fill` finds out about the `stats` before it. */
import { NO_SPAN } from '../../grammar/index.ts'
import { evaluateFresh } from '../../runtime/evaluate-constant.ts'
import type { Value } from '../../storage/value.ts'
import { emitAggregate } from '../codegen/aggregate.ts'
import type { AggregateCall, LogicalOp } from '../logical/ops.ts'
import { namesBeside } from '../logical/walk.ts'
import { timeBinNs } from './stats.ts'

type Role = { readonly kind: 'time' } | { readonly kind: 'key' } | { readonly kind: 'answer'; readonly empty: Value }

export interface Series {
  readonly widthNs: number
  /** By the names columns have now; what a stage computed since has none. */
  readonly roles: ReadonlyMap<string, Role>
}

/** Null: no stats with a bin of time, or something stands between that makes other rows. */
export function seriesBelow(op: LogicalOp): Series | null {
  switch (op.kind) {
    case 'aggregate': {
      const widthNs = op.keys.map(key => timeBinNs(key.value)).find(ns => ns !== null)
      if (widthNs === undefined || widthNs === null) return null
      const roles = new Map<string, Role>()
      for (const { name, value } of op.keys) roles.set(name, { kind: timeBinNs(value) === null ? 'key' : 'time' })
      for (const call of op.aggregates) roles.set(call.name, { kind: 'answer', empty: emptyOf(call) })
      return { widthNs, roles }
    }
    case 'filter':
    case 'sort':
    case 'topk':
    case 'head':
    case 'tail':
    case 'dedup':
    case 'keep':
    case 'drop':
      return seriesBelow(op.input)
    case 'extend':
      return without(
        seriesBelow(op.input),
        op.assignments.map(a => a.name),
      )
    case 'eventstats':
    case 'streamstats':
      return without(seriesBelow(op.input), namesBeside(op))
    case 'rename': {
      const series = seriesBelow(op.input)
      const targets = op.pairs.map(pair => pair.to)
      const toByFrom = new Map(op.pairs.map(pair => [pair.from, pair.to]))
      if (series === null) return null
      const roles = new Map<string, Role>()
      for (const [name, role] of series.roles) {
        const to = toByFrom.get(name)
        if (to !== undefined || !targets.includes(name)) roles.set(to ?? name, role)
      }
      return { ...series, roles }
    }
    default:
      return null
  }
}

function without(series: Series | null, names: readonly string[]): Series | null {
  if (series === null) return null
  return { ...series, roles: new Map([...series.roles].filter(([name]) => !names.includes(name))) }
}

/** What the aggregate gives for no rows: its state as it begins, finished, unless it says otherwise. */
function emptyOf(call: AggregateCall): Value {
  if (call.function.empty !== undefined) return call.function.empty
  const options = { name: 'fresh', source: { text: '' }, origin: NO_SPAN, sourceMaps: false }
  const { state, finish } = emitAggregate([{ ...call, args: [], where: null, origin: NO_SPAN }], 0, options)
  return evaluateFresh(state, finish)
}
