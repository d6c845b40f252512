/** A lookup table in memory: the lines of a CSV or NDJSON file as a part that scans read like any other. */
import { LookupError } from '../errors.ts'
import type { PartReader } from '../index.ts'
import { flattenInto } from '../ingest/flatten.ts'
import { parseExactJson } from '../ingest/json.ts'
import { MemoryPart } from '../ingest/memory-part.ts'
import { DateTime, type Value, type ValueType } from '../value.ts'
import { parseCsv } from './csv.ts'

export interface LookupTable {
  /** In the order of the file. */
  readonly columns: ReadonlyMap<string, ValueType>
  readonly part: PartReader
}

const BLOCK_ROWS = 65_536
/** Rows of a table have no time; a part wants one. */
const NO_TIME = new DateTime(0)
/** Names that mean something else in rows of a query. */
const TAKEN: ReadonlySet<string> = new Set(['_time', '_raw', 'index'])

/** @throws {LookupError} naming the table and what is wrong with the text */
export function readTable(name: string, text: string, format: 'csv' | 'ndjson'): LookupTable {
  const { columns, rows } = format === 'csv' ? csvTable(name, text) : ndjsonTable(name, text)
  const taken = columns.find(column => TAKEN.has(column))
  if (taken !== undefined) throw new LookupError(name, `a column cannot be named ${taken}; rename it in the file`)
  const part = new MemoryPart(`lookup ${name}`, `lookup ${name}`, BLOCK_ROWS)
  for (const fields of rows) part.append({ index: '', time: NO_TIME, raw: null, fields }, 0, 0)
  const reader = part.snapshot()
  const types = new Map(reader.fields.map(field => [field.name, field.type]))
  return { columns: new Map(columns.map(column => [column, types.get(column) ?? 'null'])), part: reader }
}

interface Read {
  readonly columns: readonly string[]
  readonly rows: readonly Map<string, Value>[]
}

function csvTable(name: string, text: string): Read {
  const [header, ...lines] = parsed(name, () => parseCsv(text))
  if (header === undefined) throw new LookupError(name, 'it is empty; the first line names the columns')
  const columns = header.map(cell => cell.trim())
  for (const [index, column] of columns.entries()) {
    if (column === '') throw new LookupError(name, 'a column has no name in its first line')
    if (columns.indexOf(column) !== index) throw new LookupError(name, `two columns are named ${column}`)
  }
  const rows = lines.map((cells, index) => {
    if (cells.length > columns.length) {
      throw new LookupError(name, `row ${index + 1} has ${cells.length} cells, and there are ${columns.length} columns`)
    }
    // An empty cell is missing.
    const filled = cells.map((cell, at) => [columns[at]!, cell] as const).filter(([, cell]) => cell !== '')
    return new Map(filled.map(([column, cell]) => [column, typedCell(cell)]))
  })
  return { columns, rows }
}

function ndjsonTable(name: string, text: string): Read {
  const columns = new Set<string>()
  const rows: Map<string, Value>[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const document = parsed(name, () => parseExactJson(line), `line ${index + 1}: `)
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      throw new LookupError(name, `line ${index + 1} is no JSON object`)
    }
    const fields = new Map<string, Value>()
    flattenInto(fields, document as Readonly<Record<string, unknown>>)
    for (const column of fields.keys()) columns.add(column)
    rows.push(fields)
  }
  return { columns: [...columns], rows }
}

function parsed<T>(name: string, parse: () => T, place = ''): T {
  try {
    return parse()
  } catch (error) {
    throw new LookupError(name, `${place}${error instanceof Error ? error.message : String(error)}`)
  }
}

const CANONICAL = /^-?(?:0|[1-9]\d{0,15})(?:\.\d+)?$/

/** As captures of parse: what prints as a number exactly as it is written is one; `007` and `1.10` are text. */
function typedCell(cell: string): Value {
  if (cell.length > 24 || !CANONICAL.test(cell)) return cell
  const number = Number(cell)
  return String(number) === cell && (Number.isSafeInteger(number) || !Number.isInteger(number)) ? number : cell
}
