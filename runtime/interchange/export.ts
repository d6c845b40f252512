/**
 * Rows into a file: NDJSON, Parquet or Arrow. A column of a table file has one type, so the rows are read twice, first to see what their
 * values are; never more than a group of them is in memory. Everything Parquet and Arrow take comes back exactly; NDJSON has fewer types,
 * and what it turned into text is told.
 */
import * as fs from 'node:fs'
import type { Batch } from '../batch.ts'
import { jsonKeys, objectToJson } from '../output/json.ts'
import { rowsOf } from '../rows.ts'
import { arrowWriter } from './arrow.ts'
import { parquetWriter } from './parquet.ts'
import { type Cell, ColumnFacts, type ColumnPlan, cellOf } from './plan.ts'
import { GROUP_ROWS, type TableFormat } from './table-file.ts'

export const EXPORT_FORMATS = ['ndjson', 'parquet', 'arrow'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportReport {
  readonly rowCount: number
  readonly columnCount: number
  /** What the file cannot say as it was, in words; empty: everything comes back. */
  readonly lossy: readonly string[]
}

export interface RowsToExport {
  /** The same rows each time it is called. */
  batches(): AsyncIterable<Batch>
  /** Rows are events: which index each is of is a column too. */
  readonly isEvents: boolean
}

/** Writes the file at `path` in the format. */
export async function exportRows(rows: RowsToExport, format: ExportFormat, path: string): Promise<ExportReport> {
  if (format !== 'ndjson') return await exportTable(rows, format, path)
  const file = await fs.promises.open(path, 'w')
  try {
    return await exportNdjson(rows, async lines => void (await file.writeFile(lines)))
  } finally {
    await file.close()
  }
}

/** Writes `path`, which appears whole or not at all. */
async function exportTable(rows: RowsToExport, format: TableFormat, path: string): Promise<ExportReport> {
  const facts = new Map<string, ColumnFacts>()
  let rowCount = 0
  for await (const batch of rows.batches()) {
    const names = namesOf(batch, rows)
    for (const name of names) if (!facts.has(name)) facts.set(name, new ColumnFacts(rowCount))
    const inBatch = [...facts]
    for (const values of rowsOf(batch, names)) {
      const byName = new Map(names.map((name, index) => [name, values[index]]))
      for (const [name, column] of inBatch) column.add(byName.get(name))
    }
    rowCount += batch.selectedCount
  }
  const columns = [...facts].filter(([, column]) => column.hasValues).map(([name, column]) => column.planFor(name))
  const temporary = `${path}.tmp`
  try {
    const writer = await (format === 'parquet' ? parquetWriter : arrowWriter)(temporary, columns)
    for await (const group of groupsOf(rows, columns)) await writer.write(group)
    await writer.finish()
    fs.renameSync(temporary, path)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
  return { rowCount, columnCount: columns.length, lossy: [] }
}

/** Cells in groups of `GROUP_ROWS`, column by column. */
async function* groupsOf(rows: RowsToExport, columns: readonly ColumnPlan[]): AsyncGenerator<Cell[][]> {
  const places = new Map(columns.map(({ name }, index) => [name, index]))
  let group: Cell[][] = columns.map(() => [])
  let filled = 0
  for await (const batch of rows.batches()) {
    const names = namesOf(batch, rows).filter(name => places.has(name))
    const has = new Set(names)
    const absent = columns.filter(({ name }) => !has.has(name))
    for (const values of rowsOf(batch, names)) {
      for (const [index, name] of names.entries()) {
        const place = places.get(name)!
        group[place]!.push(cellOf(values[index], columns[place]!.kind))
      }
      for (const { name } of absent) group[places.get(name)!]!.push(null)
      if (++filled < GROUP_ROWS) continue
      yield group
      group = columns.map(() => [])
      filled = 0
    }
  }
  if (filled > 0) yield group
}

function namesOf(batch: Batch, { isEvents }: RowsToExport): readonly string[] {
  return isEvents && !batch.names.includes('index') ? [...batch.names, 'index'] : batch.names
}

const CHUNK_CHARS = 1 << 16

/** Writes lines to `write`, which settles when more may come. */
async function exportNdjson(rows: RowsToExport, write: (text: string) => void | Promise<void>): Promise<ExportReport> {
  const facts = new Map<string, ColumnFacts>()
  let rowCount = 0
  let text = ''
  for await (const batch of rows.batches()) {
    const names = namesOf(batch, rows)
    const keys = jsonKeys(names)
    const columns = names.map(name => facts.get(name) ?? new ColumnFacts(rowCount))
    for (const [index, name] of names.entries()) facts.set(name, columns[index]!)
    for (const values of rowsOf(batch, names)) {
      for (const [index, value] of values.entries()) columns[index]!.add(value)
      text += `${objectToJson(keys, values)}\n`
      if (text.length < CHUNK_CHARS) continue
      await write(text)
      text = ''
    }
    rowCount += batch.selectedCount
  }
  if (text !== '') await write(text)
  return { rowCount, columnCount: facts.size, lossy: lossyInJson(facts) }
}

function lossyInJson(facts: ReadonlyMap<string, ColumnFacts>): string[] {
  const lossy: string[] = []
  for (const [name, { kinds }] of facts) {
    if (kinds.has('duration')) lossy.push(`${name}: durations become text`)
    // The time of an event is read back as one.
    if (name !== '_time' && (kinds.has('time') || kinds.has('micros'))) lossy.push(`${name}: times become text`)
  }
  return lossy
}
