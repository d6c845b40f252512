/** Functions that look at absence. Generated code evaluates `if`, `case` and `coalesce` lazily; these are their meaning. */
import type { Value } from '../../storage/value.ts'
import { compareValues, eq } from './compare.ts'

/** `case(when, then, when, then, …, otherwise?)`: the first condition that is true decides. */
function caseOf(...args: Value[]): Value {
  let i = 0
  for (; i + 1 < args.length; i += 2) if (args[i] === true) return args[i + 1] ?? null
  return args[i] ?? null
}

export const CONDITIONAL_HELPERS = {
  ifElse: (condition: Value, then: Value, otherwise?: Value): Value => (condition === true ? then : otherwise) ?? null,
  caseOf,
  coalesce: (...args: Value[]): Value => args.find(arg => arg !== null && arg !== undefined) ?? null,
  nullif: (value: Value, other: Value): Value => (eq(value, other) === true ? null : (value ?? null)),
  exists: (value: Value): Value => value !== undefined,
  isNull: (value: Value): Value => value === null,
  isMissing: (value: Value): Value => value === undefined,
  /** Greatest and least skip what is absent, as the aggregates max and min do, and use the order of `sort`. */
  greatest: (...args: Value[]): Value => pick(args, 1),
  least: (...args: Value[]): Value => pick(args, -1),
}

function pick(args: readonly Value[], direction: 1 | -1): Value {
  let best: Value = null
  for (const arg of args) {
    if (arg === null || arg === undefined) continue
    if (best === null || compareValues(arg, best) * direction > 0) best = arg
  }
  return best
}
