/** What a block of the buffer can say of a predicate without looking at its rows. Sound before sharp: in doubt it says `some`. */

import { isBefore } from '../part/summary.ts'
import type { CompareOperator, ScanPredicate, TimeRange, Verdict } from '../predicate.ts'
import { DateTime, type Scalar } from '../value.ts'
import type { ColumnBuilder } from './column-builder.ts'
import type { TimeBounds } from './memory-block.ts'

/** What verdicts are given from. */
export interface VerdictSource {
  readonly rowCount: number
  readonly bounds: TimeBounds
  /** Null when the block has no such column. */
  builderOf(field: string): ColumnBuilder | null
  /** Whether counts and bounds of columns speak of exactly the rows in view. */
  readonly countsAreExact: boolean
  hasFieldBelow(prefix: string): boolean
}

export function verdictOf(source: VerdictSource, predicate: ScanPredicate): Verdict {
  switch (predicate.kind) {
    case 'always':
      return 'all'
    case 'never':
      return 'none'
    case 'and':
      return predicate.of.reduce<Verdict>((verdict, each) => both(verdict, verdictOf(source, each)), 'all')
    case 'or':
      return predicate.of.reduce<Verdict>((verdict, each) => either(verdict, verdictOf(source, each)), 'none')
    case 'compare':
      return compare(source, predicate.field, predicate.operator, predicate.value)
    case 'in':
      return predicate.values.reduce<Verdict>(
        (verdict, value) => either(verdict, compare(source, predicate.field, '==', value)),
        'none',
      )
    case 'exists':
      return exists(source, predicate.field)
    case 'tokens':
      return isAbsent(source, predicate.field) ? 'none' : 'some'
  }
}

/** Exact, since the bounds are. */
export function verdictOfTime(bounds: TimeBounds, range: TimeRange): Verdict {
  const { fromMicros, toMicros } = range
  const min = bounds.min.micros
  const max = bounds.max.micros
  if ((fromMicros !== null && max < fromMicros) || (toMicros !== null && min >= toMicros)) return 'none'
  return (fromMicros === null || min >= fromMicros) && (toMicros === null || max < toMicros) ? 'all' : 'some'
}

/** No row of the block has the field, and no one makes it up at scan time: virtual fields, and objects put together from `a.b`. */
function isAbsent(source: VerdictSource, field: string): boolean {
  if (field.startsWith('_') || field === 'index' || field === 'source') return false
  return source.builderOf(field) === null && !source.hasFieldBelow(`${field}.`)
}

function exists(source: VerdictSource, field: string): Verdict {
  if (field === '_time') return 'all'
  if (isAbsent(source, field)) return 'none'
  const column = source.builderOf(field)
  return column !== null && source.countsAreExact && column.presentCount === source.rowCount ? 'all' : 'some'
}

function compare(source: VerdictSource, field: string, operator: CompareOperator, value: Scalar): Verdict {
  if (field === '_time') return value instanceof DateTime ? compareTime(source.bounds, operator, value) : 'some'
  if (isAbsent(source, field)) return 'none'
  const column = source.builderOf(field)
  if (column === null) return 'some'
  if (typeof value === 'string') return operator === '==' && !column.mayHoldString(value) ? 'none' : 'some'
  if (typeof value !== 'number' || !source.countsAreExact) return 'some'
  const bounds = column.numberBounds()
  if (bounds === null) return 'some'
  const verdict = withinBounds(operator, compareNumbers(bounds.min, value), compareNumbers(bounds.max, value))
  return verdict === 'all' && column.presentCount < source.rowCount ? 'some' : verdict
}

function compareTime(bounds: TimeBounds, operator: CompareOperator, value: DateTime): Verdict {
  return withinBounds(operator, compareTimes(bounds.min, value), compareTimes(bounds.max, value))
}

/** `min` and `max` are how the bounds compare with the value: negative, zero or positive. */
function withinBounds(operator: CompareOperator, min: number, max: number): Verdict {
  const same = min === 0 && max === 0
  const outside = min > 0 || max < 0
  switch (operator) {
    case '==':
      return outside ? 'none' : same ? 'all' : 'some'
    case '!=':
      return outside ? 'all' : same ? 'none' : 'some'
    case '<':
      return max < 0 ? 'all' : min >= 0 ? 'none' : 'some'
    case '<=':
      return max <= 0 ? 'all' : min > 0 ? 'none' : 'some'
    case '>':
      return min > 0 ? 'all' : max <= 0 ? 'none' : 'some'
    case '>=':
      return min >= 0 ? 'all' : max < 0 ? 'none' : 'some'
  }
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareTimes(a: DateTime, b: DateTime): number {
  return isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0
}

function both(a: Verdict, b: Verdict): Verdict {
  if (a === 'none' || b === 'none') return 'none'
  return a === 'all' && b === 'all' ? 'all' : 'some'
}

function either(a: Verdict, b: Verdict): Verdict {
  if (a === 'all' || b === 'all') return 'all'
  return a === 'none' && b === 'none' ? 'none' : 'some'
}
