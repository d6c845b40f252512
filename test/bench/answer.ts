/** Answers of two engines as plain rows, and whether they are the same: a fast wrong answer is no figure. */
import { DateTime, type Value } from '../../storage/value.ts'

type Plain = string | number
export type Rows = readonly Readonly<Record<string, unknown>>[]

/** What is different between them, in words; null when nothing is. */
export function difference(quern: Rows, duckdb: Rows, columns: readonly string[], tolerance: number): string | null {
  if (quern.length !== duckdb.length) return `${quern.length} rows, DuckDB has ${duckdb.length}`
  const ours = plainRows(quern, columns)
  const theirs = plainRows(duckdb, columns)
  for (const [at, row] of ours.entries()) {
    const other = theirs[at]!
    const isSame = row.every((value, column) => isClose(value, other[column]!, tolerance))
    if (!isSame) return `${JSON.stringify(row)}, DuckDB has ${JSON.stringify(other)}`
  }
  return null
}

export function objectsOf(columns: readonly string[], rows: readonly (readonly Value[])[]): Rows {
  return rows.map(row => Object.fromEntries(columns.map((name, index) => [name, row[index]])))
}

function plainRows(rows: Rows, columns: readonly string[]): Plain[][] {
  return rows.map(row => columns.map(name => plain(row[name]))).sort(byValues)
}

function plain(value: unknown): Plain {
  if (typeof value === 'number' || typeof value === 'string') {
    // DuckDB finds out by itself that `timestamp` is a time; Quern keeps the field as it was sent.
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return Date.parse(value)
    return value
  }
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.getTime()
  if (value instanceof DateTime) return value.micros / 1000
  return String(value)
}

function isClose(a: Plain, b: Plain, tolerance: number): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return a === b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b))
}

function byValues(a: readonly Plain[], b: readonly Plain[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index]!
    if (value < other) return -1
    if (value > other) return 1
  }
  return 0
}
