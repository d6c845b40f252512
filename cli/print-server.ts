/** Rows of a server's answer on stdout: streamed when the format allows, otherwise the first page as a table. */

import type { Value } from '../storage/value.ts'
import { type ClientOptions, request } from './client.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { type Hint, printHints } from './hints.ts'
import type { OutputFormat } from './print-run.ts'
import { printTable } from './print-run.ts'

/** The most rows POST /query gives in one answer. */
const PAGE_MAX = 50_000

interface Bounds {
  readonly from?: string
  readonly to?: string
}

type QueryData =
  | {
      readonly type: 'events'
      readonly events: readonly Record<string, Value>[]
      readonly total: number
      readonly has_more: boolean
    }
  | {
      readonly type: 'aggregate' | 'timechart'
      readonly columns: readonly string[]
      readonly types: readonly string[]
      readonly rows: readonly (readonly Value[])[]
      readonly total_rows: number
      readonly has_more: boolean
    }

export async function printFromServer(
  text: string,
  format: OutputFormat,
  client: ClientOptions,
  bounds: Bounds,
): Promise<number> {
  const { from, to } = bounds
  const asked = { q: text, ...(from && { from }), ...(to && { to }) }
  return format === 'ndjson' ? printStream(asked, client) : printPage(asked, format, client)
}

async function printStream(asked: object, client: ClientOptions): Promise<number> {
  const response = await post('/api/v1/query/stream', asked, client)
  let rowCount = 0
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    const text = rest + decoder.decode(chunk as Uint8Array, { stream: true })
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    const rows: string[] = []
    for (const line of text.slice(0, end + 1).split('\n')) {
      if (line.startsWith('{"__meta"')) endOfStream(line)
      else if (line.startsWith('{"__error"')) failStream(line)
      else if (line !== '') rows.push(line)
    }
    rowCount += rows.length
    if (rows.length > 0 && !process.stdout.write(`${rows.join('\n')}\n`)) {
      await new Promise(resolve => process.stdout.once('drain', resolve))
    }
  }
  return rowCount
}

function endOfStream(line: string): void {
  const { __meta: meta } = JSON.parse(line) as {
    __meta: { complete: boolean; truncated_by?: string; warnings?: readonly string[]; hints?: readonly Hint[] }
  }
  printHints(meta.hints ?? [])
  if (!meta.complete)
    process.stderr.write(
      `incomplete: ${meta.truncated_by ?? meta.warnings?.join('; ') ?? 'the server did not say why'}\n`,
    )
}

function failStream(line: string): never {
  const { __error: error } = JSON.parse(line) as { __error: { code: string; message: string } }
  throw new CommandError(
    error.code === 'QUERY_TIMEOUT' ? EXIT.queryTimeout : EXIT.general,
    `${error.code}: ${error.message}`,
  )
}

async function printPage(asked: object, format: OutputFormat, client: ClientOptions): Promise<number> {
  if (format === 'csv' || format === 'tsv') {
    const response = await post('/api/v1/query', { ...asked, format, limit: PAGE_MAX }, client)
    const body = await response.text()
    process.stdout.write(body)
    return Math.max(0, body.split('\n').length - 2)
  }
  const response = await post('/api/v1/query', { ...asked, limit: PAGE_MAX }, client)
  const body = await response.text()
  const { data, meta } = JSON.parse(body) as { data: QueryData; meta?: { hints?: readonly Hint[] } }
  const shown = data.type === 'events' ? data.events.length : data.rows.length
  const total = data.type === 'events' ? data.total : data.total_rows
  if (format === 'json') process.stdout.write(`${body}\n`)
  else if (data.type === 'events') printTable(columnsOf(data.events), rowsOf(data.events))
  else printTable(data.columns, data.rows)
  if (format !== 'json') printHints(meta?.hints ?? [])
  if (data.has_more) process.stderr.write(`the first ${shown} of ${total} rows; --format ndjson prints all of them\n`)
  return shown
}

function columnsOf(events: readonly Record<string, Value>[]): string[] {
  return [...new Set(events.flatMap(event => Object.keys(event)))]
}

function rowsOf(events: readonly Record<string, Value>[]): Value[][] {
  const columns = columnsOf(events)
  return events.map(event => columns.map(column => event[column]))
}

function post(path: string, body: object, client: ClientOptions): Promise<Response> {
  return request(
    path,
    { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    client,
  )
}
