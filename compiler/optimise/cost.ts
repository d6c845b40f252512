/** What a condition costs a row, and what share of rows passes it: rough, and good enough to ask the better question first. */
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { FieldStatistics } from '../catalog.ts'
import type { CallExpr, Expr } from '../logical/expr.ts'
import { isPure } from '../logical/pure.ts'
import { childrenOf, fieldsOf } from '../logical/walk.ts'

export type StatisticsOf = (field: string) => FieldStatistics | null

// About nanoseconds a row, measured on the kernels of `npm run bench -- --micro`.
const COLUMN = 1
const OPERATOR = 1
const FUNCTION = 25
/** Searches a text byte by byte. */
const TEXT = 60
/** The whole text of an event is the widest column there is. */
const RAW = 150
/** One look-up by code. */
const TABLE = 1

/** A column with more values than this is hardly ever held as a dictionary. */
const DICTIONARY_MAX = 4096

export function costOf(expr: Expr, statisticsOf: StatisticsOf): number {
  const [field, ...others] = fieldsOf(expr)
  if (field === undefined) return 0
  const distinct = others.length === 0 ? (statisticsOf(field)?.distinct ?? null) : null
  // Asked once per distinct value, however costly the question is.
  if (distinct !== null && distinct <= DICTIONARY_MAX && isPure(expr)) return TABLE
  return costOfTree(expr)
}

function costOfTree(expr: Expr): number {
  let cost = 0
  if (expr.kind === 'field') cost = expr.name === '_raw' ? RAW : COLUMN
  else if (expr.kind === 'call') {
    const { category } = expr.function
    cost = category === 'text' ? TEXT : category === 'operator' ? OPERATOR : FUNCTION
  } else if (expr.kind === 'in-set') cost = 4 * OPERATOR
  for (const child of childrenOf(expr)) cost += costOfTree(child)
  return cost
}

// Where nothing is known: of a hundred rows an equality passes few, a range some, a search fewer than a range.
const EQUAL = 0.1
const RANGE = 0.33
const SEARCH = 0.15
const UNKNOWN = 0.5

export function selectivityOf(expr: Expr, statisticsOf: StatisticsOf): number {
  switch (expr.kind) {
    case 'literal':
      return expr.value === true ? 1 : 0
    case 'and':
      return expr.operands.reduce((share, operand) => share * selectivityOf(operand, statisticsOf), 1)
    case 'or':
      return 1 - expr.operands.reduce((share, operand) => share * (1 - selectivityOf(operand, statisticsOf)), 1)
    case 'not':
      return 1 - selectivityOf(expr.operand, statisticsOf)
    case 'in-set': {
      const statistics = expr.operand.kind === 'field' ? statisticsOf(expr.operand.name) : null
      return Math.min(1, expr.values.length * shareOfOne(statistics))
    }
    case 'call':
      return selectivityOfCall(expr, statisticsOf)
    default:
      return UNKNOWN
  }
}

function shareOfOne(statistics: FieldStatistics | null): number {
  if (statistics === null) return EQUAL
  return statistics.present / Math.max(1, statistics.distinct ?? 1 / EQUAL)
}

function selectivityOfCall({ function: fn, args }: CallExpr, statisticsOf: StatisticsOf): number {
  const [a, b] = args
  const isFlipped = a?.kind === 'literal'
  const [operand, value] = isFlipped ? [b, a] : [a, b]
  const statistics = operand?.kind === 'field' ? statisticsOf(operand.name) : null
  const present = statistics?.present ?? 1
  switch (fn.name) {
    case '==':
      return shareOfOne(statistics)
    case '!=':
      return Math.max(0, present - shareOfOne(statistics))
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const below = value?.kind === 'literal' ? shareBelow(value.value, statistics) : null
      if (below === null) return RANGE * present
      return present * (fn.name.startsWith('<') !== isFlipped ? below : 1 - below)
    }
    case 'exists':
      return present
    default:
      return (fn.category === 'text' ? SEARCH : UNKNOWN) * present
  }
}

/** Share of the values below one, as if they lay evenly between the least and the greatest. */
function shareBelow(value: Value, statistics: FieldStatistics | null): number | null {
  if (statistics === null || statistics.min === null || statistics.max === null) return null
  const at =
    typeof value === 'number'
      ? value
      : value instanceof DateTime
        ? value.micros
        : value instanceof Duration
          ? value.ns
          : null
  if (at === null) return null
  if (statistics.max === statistics.min) return at > statistics.min ? 1 : 0
  return Math.min(1, Math.max(0, (at - statistics.min) / (statistics.max - statistics.min)))
}
