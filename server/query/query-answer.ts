/** The envelope of an answered query: `data` by the kind of result, `meta` by what the run measured. */
import type { Collected, QueryRun } from '../../engine.ts'
import { hintsToJson } from '../../grammar/diagnostics.ts'
import { csvRow, tsvRow } from '../../runtime/output/csv.ts'
import { jsonKeys, objectToJson, rowToJson } from '../../runtime/output/json.ts'
import { renderTable } from '../../runtime/output/table.ts'
import type { KernelProfile, OperatorProfile, Profile } from '../../runtime/profile.ts'
import { Turn } from '../../storage/turns.ts'
import type { Value } from '../../storage/value.ts'
import type { ProfileDetail, QueryRequest } from './query-request.ts'

export interface Meta {
  readonly took_ms: number
  readonly query_id: string
  readonly complete: boolean
  readonly [name: string]: unknown
}

/** Rows of one piece of text. */
const PIECE_ROWS = 128

/** An answer as text, in pieces: rendered and sent one after another, so that a large one keeps nobody waiting. */
export type Pieces = readonly string[]

/** The rows alone, without an envelope: for other programs than clients of this interface. */
export function rowsText(
  collected: Collected,
  format: Exclude<QueryRequest['format'], 'json' | 'arrow'>,
): Promise<Pieces> {
  const { columns, rows } = collected
  switch (format) {
    case 'ndjson': {
      const keys = jsonKeys(columns)
      return inPieces('', rows, row => `${objectToJson(keys, row)}\n`, '', '')
    }
    case 'csv':
      return inPieces(csvRow(columns), rows, csvRow, '', '')
    case 'tsv':
      return inPieces(tsvRow(columns), rows, tsvRow, '', '')
    case 'table':
      return Promise.resolve([renderTable(columns, rows, { width: null })])
  }
}

/** Written piece by piece: values are the language's own (exact integers, times), which JSON.stringify does not know. */
export function dataText({ shape, columns, types, rows, total, hasMore }: Collected): Promise<Pieces> {
  if (shape.kind === 'events') {
    const keys = jsonKeys(columns)
    const end = `],"total":${total},"has_more":${hasMore}}`
    return inPieces('{"type":"events","events":[', rows, row => objectToJson(keys, row), ',', end)
  }
  const interval = shape.kind === 'timechart' ? `"interval":${JSON.stringify(shape.interval)},` : ''
  const head = `"columns":${JSON.stringify(columns)},"types":${JSON.stringify(types)}`
  const end = `],"total_rows":${total},"has_more":${hasMore}}`
  return inPieces(`{"type":"${shape.kind}",${interval}${head},"rows":[`, rows, rowToJson, ',', end)
}

async function inPieces(
  head: string,
  rows: readonly (readonly Value[])[],
  textOf: (row: readonly Value[]) => string,
  between: string,
  end: string,
): Promise<Pieces> {
  const turn = new Turn()
  const pieces = [head]
  for (let at = 0; at < rows.length; at += PIECE_ROWS) {
    let text = ''
    const until = Math.min(rows.length, at + PIECE_ROWS)
    for (let row = at; row < until; row++) text += row === 0 ? textOf(rows[row]!) : `${between}${textOf(rows[row]!)}`
    pieces.push(text)
    if (turn.isOver) await turn.next()
  }
  pieces.push(end)
  return pieces
}

/** Read once the run has ended: hints about data and the profile are complete only then. */
export function metaOf(
  run: QueryRun,
  asked: { readonly text: string; readonly profile: ProfileDetail | null },
  outcome: {
    readonly queryId: string
    readonly tookMs: number
    readonly complete: boolean
    readonly warnings: readonly string[]
  },
): Meta {
  const { scan } = run.profile
  const hints = hintsToJson({ text: asked.text }, run.hints)
  return {
    took_ms: Math.round(outcome.tookMs),
    query_id: outcome.queryId,
    scanned: { rows: scan.rows, bytes: scan.bytes, blocks: scan.blocksRead, parts: scan.partsRead },
    complete: outcome.complete,
    ...(hints.length > 0 && { hints }),
    ...(run.rewrites.length > 0 && { rewrites: run.rewrites }),
    ...(outcome.warnings.length > 0 && { warnings: outcome.warnings }),
    ...(asked.profile !== null && { profile: profileBody(run.profile, asked.profile) }),
  }
}

/** What `complete: false` is about, for callers that pull rows themselves. */
export function warningsOf(profile: Profile): string[] {
  return profile.damaged.map(damage => `${damage}; its events are missing from this answer`)
}

function profileBody(profile: Profile, detail: ProfileDetail): Record<string, unknown> {
  const { scan } = profile
  return {
    scan: {
      parts_total: scan.partsTotal,
      parts_read: scan.partsRead,
      parts_skipped_by_time: scan.partsSkippedByTime,
      parts_skipped_by_index: scan.partsSkippedByIndex,
      blocks_total: scan.blocksTotal,
      blocks_read: scan.blocksRead,
      blocks_skipped_by_time: scan.blocksSkippedByTime,
      blocks_skipped_by_zone_map: scan.blocksSkippedByZoneMap,
      blocks_skipped_by_token_filter: scan.blocksSkippedByTokenFilter,
      blocks_skipped_by_sort_boundary: scan.blocksSkippedBySortBoundary,
      blocks_skipped_by_limit: scan.blocksSkippedByLimit,
      blocks_answered_by_statistics: scan.blocksAnswered,
      predicates_skipped: scan.predicatesSkipped,
      rows: scan.rows,
      bytes: scan.bytes,
      columns_decoded: scan.columnsDecoded,
      columns_from_cache: scan.columnsCached,
      bytes_read: scan.bytesRead,
      bytes_decoded: scan.bytesDecoded,
      decode_ns: Math.round(scan.decodeNs),
    },
    plan_cache: { hit: profile.plan?.cached === true, duration_ns: Math.round(profile.plan?.durationNs ?? 0) },
    kernel_cache: {
      hits: profile.compile.cached,
      misses: profile.compile.kernels - profile.compile.cached,
      duration_ns: Math.round(profile.compile.durationNs),
    },
    memory_bytes: profile.memoryBytes,
    spilled_bytes: profile.spilledBytes,
    counters: Object.fromEntries(profile.counters),
    operators: profile.root === null ? null : operatorBody(profile.root),
    ...(detail !== 'basic' && { kernels: profile.kernels.map(kernel => kernelBody(kernel, detail === 'trace')) }),
  }
}

function operatorBody(operator: OperatorProfile): Record<string, unknown> {
  return {
    op: operator.op,
    label: operator.label,
    rows_in: operator.rowsIn,
    rows_out: operator.rowsOut,
    duration_ns: Math.round(operator.durationNs),
    memory_bytes: operator.memoryBytes,
    spilled_bytes: operator.spilledBytes,
    spilled_files: operator.spilledFiles,
    children: operator.children.map(operatorBody),
  }
}

function kernelBody(kernel: KernelProfile, isTextWanted: boolean): Record<string, unknown> {
  return {
    name: kernel.name,
    shapes: kernel.shapes,
    calls: kernel.calls,
    rows: kernel.rows,
    duration_ns: Math.round(kernel.durationNs),
    gave_up: kernel.gaveUp,
    cached: kernel.cached,
    ...(isTextWanted && { source: kernel.text }),
  }
}

/** For documents that are not rows; a bigint in one is rare and better as text than a failed request. */
export function jsonValue(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

export const CONTENT_TYPES: Readonly<Record<QueryRequest['format'], string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  table: 'text/plain; charset=utf-8',
  arrow: 'application/vnd.apache.arrow.stream',
}
