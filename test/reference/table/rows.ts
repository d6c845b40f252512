/** What the reference of several stages needs: rows in order of time, rows by key, rows with fields added. */
import type { AstExpr } from '../../../grammar/ast.ts'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import { toDouble } from '../../../runtime/helpers/numbers.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { copyOf, isAbsent, type Row, readField } from '../row.ts'

export type Evaluate = (expr: AstExpr, row: Row) => Value

export interface Group {
  readonly keys: readonly Value[]
  readonly rows: Row[]
}

/** Without keys all rows are one group. */
export function groupsBy(rows: readonly Row[], by: readonly AstExpr[], evaluate: Evaluate): Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const keys = by.map(key => evaluate(key, row) ?? null)
    const id = JSON.stringify(keys.map(keyOf))
    const group = groups.get(id) ?? { keys, rows: [] }
    groups.set(id, group)
    group.rows.push(row)
  }
  return [...groups.values()]
}

export function hasNoKey(group: Group): boolean {
  return group.keys.length > 0 && group.keys.every(isAbsent)
}

export function compareKeys(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, key] of a.entries()) {
    const order = compareValues(key, b[index])
    if (order !== 0) return order
  }
  return 0
}

export function timeOf(row: Row): DateTime | null {
  const time = readField(row, '_time')
  return time instanceof DateTime ? time : null
}

/** Those that have a time; of one instant in the order they came. */
export function inTimeOrder(rows: readonly Row[]): Row[] {
  return rows.filter(row => timeOf(row) !== null).toSorted((a, b) => compareValues(timeOf(a), timeOf(b)))
}

export function nanosBetween(a: DateTime, b: DateTime): number {
  return (b.micros - a.micros) * 1000 + (b.nanos - a.nanos)
}

export function lengthOf(first: Row, last: Row): Duration {
  return new Duration(nanosBetween(timeOf(first)!, timeOf(last)!))
}

export function withFields(row: Row, added: Readonly<Record<string, Value>>): Row {
  const copy = copyOf(row)
  for (const [name, value] of Object.entries(added)) copy.fields.set(name, value)
  return copy
}

export function newRow(fields: Readonly<Record<string, Value>>): Row {
  return { fields: new Map(Object.entries(fields)), index: undefined }
}

export function columnsAfter(columns: readonly string[] | null, added: readonly string[]): string[] | null {
  return columns && [...new Set([...columns, ...added])]
}

/** How a field written as an expression is called. */
export function nameOf(expr: AstExpr, textOf: (expr: AstExpr) => string): string {
  return expr.kind === 'field' ? expr.name : textOf(expr)
}

// ── Measures ────────────────────────────────────────────────────────────────────────────────────────────────────────

type Unit = 'number' | 'duration' | 'datetime'

function unitOfValue(value: Value): Unit | null {
  if (value instanceof Duration) return 'duration'
  if (value instanceof DateTime) return 'datetime'
  return toDouble(value) === null ? null : 'number'
}

/** The unit most measures have; of as many, numbers before durations before times. */
export function unitOf(values: readonly Value[]): Unit {
  const countOf = (unit: Unit): number => values.filter(value => unitOfValue(value) === unit).length
  return (['number', 'duration', 'datetime'] as const).reduce((best, unit) =>
    countOf(unit) > countOf(best) ? unit : best,
  )
}

/** Null for what is no measure in this unit. */
export function measure(value: Value, unit: Unit): number | null {
  if (unitOfValue(value) !== unit) return null
  if (value instanceof Duration) return value.ns
  return value instanceof DateTime ? value.micros : toDouble(value)
}

export function inUnit(number: number, unit: Unit): Value {
  if (unit === 'duration') return new Duration(Math.round(number))
  return unit === 'datetime' ? new DateTime(Math.round(number)) : number + 0
}

/** Rounded; what is half-way, give or take what sums lose, goes away from zero. */
export function significant(number: number, digits: number): number {
  const result = Number((number * (1 + 1e-10)).toPrecision(digits))
  return Number.isFinite(result) ? result + 0 : 0
}

export function fourDecimals(number: number): number {
  return (Math.sign(number) * Math.round(Math.abs(number) * 10_000 * (1 + 1e-10))) / 10_000 + 0
}

export function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

export function mean(numbers: readonly number[]): number {
  return total(numbers) / numbers.length
}

/** Interpolated between neighbours. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return low + (high - low) * (at - Math.floor(at))
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}
