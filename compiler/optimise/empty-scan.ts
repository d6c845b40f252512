/** A condition that is never true, or a time range with nothing in it, next to the scan: then there is nothing to read. */
import { printExpr, printTime } from '../logical/print.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const emptyScan: Rule = {
  name: 'empty-scan',
  summary: 'a scan under a condition that is never true, or of an empty time range, reads nothing',
  apply(plan) {
    const emptied = mapPlan(plan, op => {
      if (op.kind === 'scan') {
        const { fromMicros, toMicros } = op.time
        const isEmpty = fromMicros !== null && toMicros !== null && fromMicros >= toMicros
        return isEmpty && op.nothing === null ? { ...op, nothing: `no time lies in ${printTime(op.time)}` } : op
      }
      if (op.kind !== 'filter' || op.input.kind !== 'scan') return op
      const never = op.conjuncts.find(c => c.kind === 'literal' && c.value !== true)
      if (never?.kind !== 'literal') return op
      return { ...op.input, nothing: op.input.nothing ?? never.why ?? `a condition is ${printExpr(never)}` }
    })
    return emptied === plan ? null : emptied
  },
}
