/** Conditions on `_time` next to the scan become its time range, so that parts and blocks outside it are never opened. */

import type { TimeRange } from '../../storage/predicate.ts'
import { DateTime } from '../../storage/value.ts'
import type { Expr } from '../logical/expr.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'
import { ALL_TIME, intersect } from '../resolve/time.ts'

export const timeRange: Rule = {
  name: 'time-range',
  summary: 'comparisons of _time with a constant become the time range of the scan',
  apply(plan) {
    const changed = mapPlan(plan, op => {
      if (op.kind !== 'filter' || op.input.kind !== 'scan' || op.input.lookup !== null) return op
      const { input: scan } = op
      let time = scan.time
      const rest: Expr[] = []
      for (const conjunct of op.conjuncts) {
        const bound = boundOf(conjunct)
        if (bound !== null) time = intersect(time, bound.range)
        if (bound?.isExact !== true) rest.push(conjunct)
      }
      const isSame = time.fromMicros === scan.time.fromMicros && time.toMicros === scan.time.toMicros
      if (isSame && rest.length === op.conjuncts.length) return op
      const input = { ...scan, time }
      return rest.length === 0 ? input : { ...op, input, conjuncts: rest }
    })
    return changed === plan ? null : changed
  },
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==' }

/** The range a condition implies; `isExact` when it says nothing more (rows may have nanoseconds, bounds do not). */
function boundOf(expr: Expr): { readonly range: TimeRange; readonly isExact: boolean } | null {
  if (expr.kind !== 'call' || expr.args.length !== 2) return null
  const [a, b] = expr.args
  const isFlipped = a?.kind === 'literal'
  const field = isFlipped ? b : a
  const value = isFlipped ? a : b
  if (field?.kind !== 'field' || field.name !== '_time' || value?.kind !== 'literal') return null
  if (!(value.value instanceof DateTime)) return null
  const operator = isFlipped ? MIRRORED[expr.function.name] : expr.function.name
  const { micros, nanos } = value.value
  switch (operator) {
    case '>=':
      return { range: { ...ALL_TIME, fromMicros: micros }, isExact: nanos === 0 }
    case '>':
      return { range: { ...ALL_TIME, fromMicros: micros }, isExact: false }
    case '<':
      return { range: { ...ALL_TIME, toMicros: nanos === 0 ? micros : micros + 1 }, isExact: nanos === 0 }
    case '<=':
      return { range: { ...ALL_TIME, toMicros: micros + 1 }, isExact: false }
    case '==':
      return { range: { fromMicros: micros, toMicros: micros + 1 }, isExact: false }
    default:
      return null
  }
}
