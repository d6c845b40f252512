/** Conditions are asked in the order in which they answer most for their cost: what one drops, the next never sees. */
import type { Expr } from '../logical/expr.ts'
import type { FilterOp, ScanOp } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { mayFail } from '../logical/pure.ts'
import { chainOf, mapPlan } from '../logical/walk.ts'
import type { PassContext, Rule } from '../pass.ts'
import { costOf, type StatisticsOf, selectivityOf } from './cost.ts'

export const orderConditions: Rule = {
  name: 'order-conditions',
  summary: 'of the conditions of a where, those that drop most rows for their cost come first',
  apply(plan, cx) {
    const ordered = mapPlan(plan, op => (op.kind === 'filter' ? order(op, cx) : op))
    return ordered === plan ? null : ordered
  },
}

function order(filter: FilterOp, cx: PassContext): FilterOp {
  if (filter.conjuncts.length < 2) return filter
  const statisticsOf = statisticsFor(filter, cx)
  const ranks = new Map(filter.conjuncts.map(expr => [expr, rankOf(expr, statisticsOf)]))
  const conjuncts: Expr[] = []
  let run: Expr[] = []
  const settle = (): void => {
    conjuncts.push(...run.toSorted((a, b) => ranks.get(a)!.rank - ranks.get(b)!.rank))
    run = []
  }
  for (const conjunct of filter.conjuncts) {
    // A strict cast is asked of the rows the query says, no more and no fewer.
    if (mayFail(conjunct)) {
      settle()
      conjuncts.push(conjunct)
    } else run.push(conjunct)
  }
  settle()
  if (conjuncts.every((expr, index) => expr === filter.conjuncts[index])) return filter
  for (const expr of conjuncts) {
    const { cost, passes } = ranks.get(expr)!
    cx.note(`${printExpr(expr)} costs about ${cost} ns a row and lets ${percent(passes)} through`)
  }
  return { ...filter, conjuncts }
}

/** Cost of each row dropped: the rule by which the sum over all conditions is least. */
function rankOf(expr: Expr, statisticsOf: StatisticsOf): { rank: number; cost: number; passes: number } {
  const cost = costOf(expr, statisticsOf)
  const passes = selectivityOf(expr, statisticsOf)
  return { rank: cost / Math.max(1e-6, 1 - passes), cost, passes }
}

function percent(share: number): string {
  return `${share >= 0.1 ? Math.round(share * 100) : Number((share * 100).toPrecision(1))} %`
}

/** Fields of the events; what a stage in between makes, nothing is known of. */
function statisticsFor(filter: FilterOp, cx: PassContext): StatisticsOf {
  const scan = chainOf(filter).at(-1) as ScanOp
  if (filter.input !== scan || scan.lookup !== null) return () => null
  return field => cx.catalog.statistics?.(scan.indexes, field) ?? null
}
