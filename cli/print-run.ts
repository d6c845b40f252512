/** Rows on stdout, in the format asked for, as fast as the reader takes them. */
import type { QueryRun } from '../engine.ts'
import { csvRow, tsvRow } from '../runtime/output/csv.ts'
import { jsonKeys, objectToJson } from '../runtime/output/json.ts'
import { renderTable } from '../runtime/output/table.ts'
import { rowsOf } from '../runtime/rows.ts'
import type { Value } from '../storage/value.ts'

export type OutputFormat = 'table' | 'ndjson' | 'json' | 'csv' | 'tsv'

/** A table is for reading: more rows than this are counted, not shown. */
const TABLE_ROWS_MAX = 1000
/** Events with more fields than this are shown by their time, what stages made, and their text. */
const TABLE_FIELDS_MAX = 12
const CHUNK_CHARS = 1 << 16

/** Prints everything; returns the number of rows. */
export async function printRun(run: QueryRun, format: OutputFormat): Promise<number> {
  switch (format) {
    case 'ndjson':
      return printObjects(run, '', '\n', '')
    case 'json':
      return printObjects(run, '[\n', ',\n', '\n]\n')
    default:
      return printCollected(run, format)
  }
}

/** One object per row, streamed. `between` separates; ndjson also ends with it. */
async function printObjects(run: QueryRun, before: string, between: string, after: string): Promise<number> {
  let pending = before
  let count = 0
  for await (const batch of run.batches()) {
    const keys = jsonKeys(batch.names)
    for (const values of rowsOf(batch)) {
      if (count > 0 && after !== '') pending += between
      pending += objectToJson(keys, values)
      if (after === '') pending += between
      count++
      if (pending.length > CHUNK_CHARS) {
        await write(pending)
        pending = ''
      }
    }
  }
  await write(pending + after)
  return count
}

async function printCollected(run: QueryRun, format: 'table' | 'csv' | 'tsv'): Promise<number> {
  const { columns, rows, total } = await run.collect(format === 'table' ? { limit: TABLE_ROWS_MAX } : {})
  if (format !== 'table') {
    const line = format === 'csv' ? csvRow : tsvRow
    let pending = total === 0 && columns.length === 0 ? '' : line([...columns])
    for (const row of rows) {
      pending += line(row)
      if (pending.length > CHUNK_CHARS) {
        await write(pending)
        pending = ''
      }
    }
    await write(pending)
    return total
  }
  printTable(columns, rows, run.shape.made)
  if (total > rows.length) {
    process.stderr.write(
      `the first ${rows.length.toLocaleString('en')} of ${total.toLocaleString('en')} rows; --format ndjson prints all of them\n`,
    )
  }
  return total
}

export function printTable(
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  made: readonly string[] = [],
): void {
  const { text, note } = tableOf(columns, rows, made, process.stdout.isTTY ? process.stdout.columns : null)
  process.stdout.write(text)
  if (note !== null) process.stderr.write(`${note}\n`)
}

/** `made`: fields to show of events that have too many. `note` says what of them is not shown. */
export function tableOf(
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  made: readonly string[],
  width: number | null,
): { readonly text: string; readonly note: string | null } {
  const isWide = columns.length > TABLE_FIELDS_MAX && columns.includes('_raw')
  if (!isWide) return { text: renderTable(columns, rows, { width }), note: null }
  const shown = ['_time', ...made.filter(name => columns.includes(name)), '_raw']
  const indexes = shown.map(name => columns.indexOf(name))
  return {
    text: renderTable(
      shown,
      rows.map(row => indexes.map(index => row[index])),
      { width },
    ),
    note: `${columns.length - shown.length} more fields; name those you want with '| keep', or use --format ndjson`,
  }
}

async function write(text: string): Promise<void> {
  if (text === '' || process.stdout.write(text)) return
  await new Promise(resolve => process.stdout.once('drain', resolve))
}
