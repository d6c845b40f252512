/** Which statistics of blocks say as much to a stats as their rows would. */
import type { StatisticFact } from '../../runtime/program.ts'
import type { Expr } from '../logical/expr.ts'
import type { AggregateCall, AggregateOp } from '../logical/ops.ts'
import { codedBinMicros, seriesWidthNs } from '../stages/stats.ts'
import { splitPredicate, type WhyNotStored } from './split-predicate.ts'

/** The facts of each aggregate, in order; null: rows have to be read, whatever the block. */
export function factsOf(op: AggregateOp, whyNotStored: WhyNotStored): readonly StatisticFact[] | null {
  if (!op.keys.every(key => isKeyOfStatistics(key.value, whyNotStored))) return null
  const facts: StatisticFact[] = []
  for (const call of op.aggregates) {
    const asked = factsOfCall(call, whyNotStored)
    if (asked === null) return null
    facts.push(...asked)
  }
  return facts
}

/** A field, or a bin of time that many blocks lie in as a whole. */
function isKeyOfStatistics(value: Expr, whyNotStored: WhyNotStored): boolean {
  if (seriesWidthNs(value) !== null) return codedBinMicros(value) !== null
  return value.kind === 'field' && whyNotStored(value.name) === null
}

function factsOfCall(call: AggregateCall, whyNotStored: WhyNotStored): readonly StatisticFact[] | null {
  const { fromStatistics } = call.function
  if (fromStatistics === undefined) return null
  const [arg] = call.args
  if (arg !== undefined && (arg.kind !== 'field' || whyNotStored(arg.name) !== null)) return null
  const where = call.where === null ? null : splitPredicate(call.where, whyNotStored)
  if (where !== null && !where.isExact) return null
  const field = arg?.kind === 'field' ? arg.name : null
  return fromStatistics.facts(call.args.length).map(kind => ({ kind, field, where: where?.pushed ?? null }))
}
