/**
 * Conditions on one expression say together what fewer say: `a > 3 and a > 5` is `a > 5`, and `a > 5 and a < 3` is never true.
 * Only constants of one type that has one order for everything it compares with are held against each other; of strings only
 * equalities, since a string means one thing to a string and another to a number.
 */
import { parseDateTime } from '../../grammar/literals.ts'
import { parseNumber } from '../../runtime/helpers/numbers.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { Expr } from '../logical/expr.ts'
import { printExpr } from '../logical/print.ts'
import { isPure, mayFail } from '../logical/pure.ts'
import { mapPlan } from '../logical/walk.ts'
import type { PassContext, Rule } from '../pass.ts'
import { literal } from '../resolve/expression.ts'
import { equalityOf, equalityWith } from './equalities.ts'

export const mergeRanges: Rule = {
  name: 'merge-ranges',
  summary:
    'conditions on one expression that follow from each other become the tightest; those that exclude each other, false',
  apply(plan, cx) {
    const merged = mapPlan(plan, op => {
      if (op.kind !== 'filter') return op
      const conjuncts = merge(op.conjuncts, cx)
      return conjuncts === op.conjuncts ? op : { ...op, conjuncts }
    })
    return merged === plan ? null : merged
  },
}

/** Every pair is looked at: beyond this many conditions on one expression that would be felt. */
const GROUP_MAX = 64

function merge(conjuncts: readonly Expr[], cx: PassContext): readonly Expr[] {
  if (conjuncts.length < 2 || conjuncts.some(mayFail)) return conjuncts
  const groups = new Map<string, Bound[]>()
  for (const [index, expr] of conjuncts.entries()) {
    const found = boundOf(expr, index)
    if (found === null) continue
    const key = `${found.domain} ${found.key}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [found])
    else group.push(found)
  }
  const result: (Expr | null)[] = [...conjuncts]
  for (const group of groups.values()) {
    if (group.length < 2 || group.length > GROUP_MAX) continue
    for (const [at, a] of group.entries()) {
      for (const b of group.slice(at + 1)) {
        const [first, second] = [boundAt(a, result), boundAt(b, result)]
        if (first === null || second === null) continue
        const outcome = together(first, second)
        if (outcome === 'neither') continue
        if (outcome === 'never') {
          const why = `${printExpr(first.expr)} and ${printExpr(second.expr)} are never true together`
          cx.note(why)
          return [{ ...literal(false, second.expr.origin), why }]
        }
        result[a.index] = outcome.first
        result[b.index] = outcome.second
      }
    }
  }
  if (result.every((expr, index) => expr === conjuncts[index])) return conjuncts
  return result.filter(expr => expr !== null)
}

type Relation = 'equal' | 'unequal' | 'below' | 'above'

/** `key` compared with constants: one of `values` (equal), none of them (unequal), or on one side of the only one. */
interface Bound {
  readonly index: number
  readonly expr: Expr
  readonly operand: Expr
  readonly key: string
  readonly domain: Domain
  readonly relation: Relation
  readonly isInclusive: boolean
  readonly values: readonly Value[]
}

type Domain = 'number' | 'time' | 'duration' | 'string'

const RELATIONS: Readonly<Record<string, readonly [Relation, isInclusive: boolean]>> = {
  '==': ['equal', true],
  '!=': ['unequal', true],
  '<': ['below', false],
  '<=': ['below', true],
  '>': ['above', false],
  '>=': ['above', true],
}
const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function boundOf(expr: Expr, index: number): Bound | null {
  if (!isPure(expr)) return null
  const equality = equalityOf(expr)
  if (equality !== null) {
    return bound(expr, index, equality.operand, 'equal', true, equality.values)
  }
  if (expr.kind !== 'call') return null
  const [a, b] = expr.args
  const isFlipped = a?.kind === 'literal'
  const [operand, value] = isFlipped ? [b, a] : [a, b]
  const relation = RELATIONS[isFlipped ? (MIRRORED[expr.function.name] ?? expr.function.name) : expr.function.name]
  if (relation === undefined || operand === undefined || value?.kind !== 'literal') return null
  return bound(expr, index, operand, ...relation, [value.value])
}

function bound(
  expr: Expr,
  index: number,
  operand: Expr,
  relation: Relation,
  isInclusive: boolean,
  values: readonly Value[],
): Bound | null {
  const [first, ...others] = values.map(domainOf)
  if (first == null || operand.kind === 'literal' || others.some(domain => domain !== first)) return null
  if (first === 'string' && (relation !== 'equal' || values.length > 1)) return null
  return { index, expr, operand, key: printExpr(operand), domain: first, relation, isInclusive, values }
}

function boundAt(bound: Bound, result: readonly (Expr | null)[]): Bound | null {
  const expr = result[bound.index] ?? null
  return expr === null ? null : expr === bound.expr ? bound : boundOf(expr, bound.index)
}

function domainOf(value: Value): Domain | null {
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value === 'string') return 'string'
  if (value instanceof DateTime) return 'time'
  return value instanceof Duration ? 'duration' : null
}

function compare(a: Value, b: Value): number {
  if (a instanceof DateTime && b instanceof DateTime) return a.micros - b.micros || a.nanos - b.nanos
  if (a instanceof Duration && b instanceof Duration) return a.ns - b.ns
  const [x, y] = [a as number | bigint, b as number | bigint]
  return x < y ? -1 : x > y ? 1 : 0
}

/** What is left of two conditions; null in the place of one that the other implies. */
type Outcome = 'neither' | 'never' | { readonly first: Expr | null; readonly second: Expr | null }

function together(a: Bound, b: Bound): Outcome {
  if (a.domain === 'string') return sameString(a, b)
  if (a.relation === 'equal') return withValues(a, b, false)
  if (b.relation === 'equal') return withValues(b, a, true)
  if (a.relation !== b.relation) {
    if (a.relation === 'unequal') return dropsUnequal(b, a) ? { first: null, second: b.expr } : 'neither'
    if (b.relation === 'unequal') return dropsUnequal(a, b) ? { first: a.expr, second: null } : 'neither'
    const [lower, upper] = a.relation === 'above' ? [a, b] : [b, a]
    const gap = compare(lower.values[0], upper.values[0])
    return gap > 0 || (gap === 0 && !(lower.isInclusive && upper.isInclusive)) ? 'never' : 'neither'
  }
  const order = compare(a.values[0], b.values[0])
  if (a.relation === 'unequal') return order === 0 ? { first: a.expr, second: null } : 'neither'
  const isFirstTighter = order === 0 ? !a.isInclusive || b.isInclusive : a.relation === 'above' ? order > 0 : order < 0
  return isFirstTighter ? { first: a.expr, second: null } : { first: null, second: b.expr }
}

/** Of the values that one condition allows, those that the other does too. */
function withValues(equal: Bound, other: Bound, isSwapped: boolean): Outcome {
  const left = equal.values.filter(value => holds(other, value))
  if (left.length === 0) return 'never'
  const kept =
    left.length === equal.values.length
      ? equal.expr
      : left.length === 1
        ? equalityWith(equal.operand, left[0], equal.expr.origin)
        : ({ kind: 'in-set', type: 'bool', origin: equal.expr.origin, operand: equal.operand, values: left } as const)
  return isSwapped ? { first: null, second: kept } : { first: kept, second: null }
}

function holds({ relation, isInclusive, values }: Bound, value: Value): boolean {
  if (relation === 'equal') return values.some(each => compare(each, value) === 0)
  const order = compare(value, values[0])
  if (relation === 'unequal') return order !== 0
  return (order === 0 && isInclusive) || (relation === 'above' ? order > 0 : order < 0)
}

/** Does the range leave out the value anyway? */
function dropsUnequal(range: Bound, unequal: Bound): boolean {
  return !holds(range, unequal.values[0])
}

/** Two different strings; what is no string may equal both, when both are read as the same number or time. */
function sameString(a: Bound, b: Bound): Outcome {
  const [x, y] = [a.values[0] as string, b.values[0] as string]
  if (x === y) return { first: a.expr, second: null }
  const isNumber = parseNumber(x) !== null && parseNumber(y) !== null
  const isTime = parseDateTime(x) !== null && parseDateTime(y) !== null
  return isNumber || isTime ? 'neither' : 'never'
}
