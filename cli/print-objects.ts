/** Plain objects on stdout, as a table on a terminal and NDJSON in a pipe: what commands about files and parts print. */
import { renderTable } from '../runtime/output/table.ts'
import type { Value } from '../storage/value.ts'

export type ListFormat = 'table' | 'ndjson'

export function listFormat(asked: ListFormat | undefined): ListFormat {
  return asked ?? (process.stdout.isTTY ? 'table' : 'ndjson')
}

/** Columns are those of the first object. */
export function printObjects(rows: readonly Readonly<Record<string, Value>>[], format: ListFormat): void {
  if (format === 'ndjson') {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`)
    return
  }
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  process.stdout.write(
    `${renderTable(
      columns,
      rows.map(row => columns.map(column => row[column])),
      { width: process.stdout.isTTY ? process.stdout.columns : null },
    )}\n`,
  )
}
