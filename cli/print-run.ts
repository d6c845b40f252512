/** Rows of a local run on stdout, in the format asked for, with back-pressure. */
import type { QueryRun } from '../engine.ts'
import { rowsOf } from '../runtime/rows.ts'
import { csvRow, tsvRow } from '../runtime/output/csv.ts'
import { objectToJson, rowToJson } from '../runtime/output/json.ts'
import { renderTable } from '../runtime/output/table.ts'
import type { Value } from '../storage/value.ts'

export type OutputFormat = 'table' | 'ndjson' | 'json' | 'csv' | 'tsv'
