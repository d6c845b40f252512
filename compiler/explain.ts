/** Builds the body of GET /query/explain (spec/decisions.md) from what compiling decided, what the scan would read, and a run's profile. */
import { type Diagnostic, diagnosticsToJson, hintsToJson, renderDiagnostic } from '../grammar/diagnostics.ts'
import type { SourceText } from '../grammar/source.ts'
import type { OperatorProfile, Profile } from '../runtime/profile.ts'
import type { Compiled, PlanNode } from './types.ts'

/** What the scan would read, from statistics alone. */
export interface ScanEstimate {
  readonly partsTotal: number
  readonly partsRead: number
  readonly partsByTime: number
  readonly partsByIndex: number
  readonly partsByPlan: number
  readonly blocksTotal: number
  readonly blocksRead: number
  readonly blocksAnswered: number
  readonly blocksByTime: number
  readonly blocksByZoneMap: number
  readonly blocksByTokenFilter: number
  readonly rows: number
  readonly bytes: number
}

export interface ExplainExtras {
  readonly estimate: ScanEstimate
  readonly profile: Profile | null
  readonly passes: boolean
  readonly js: readonly { readonly kernel: string; readonly source: string }[] | null
}

export function explanationOf(source: SourceText, compiled: Compiled, extras: ExplainExtras): Record<string, unknown> {
  const { estimate, profile } = extras
  const { program } = compiled
  return {
    is_valid: true,
    query: compiled.canonical,
    parsed: {
      pipeline: compiled.stages,
      result_type: program.result.kind,
      estimated_cost: costOf(estimate.rows),
      uses_full_scan: estimate.blocksRead === estimate.blocksTotal && compiled.pushed.length === 0,
      fields_read: compiled.fieldsRead ?? ['*'],
      fields_produced: compiled.fieldsProduced ?? ['*'],
    },
    acceleration: { available: false, reason: 'no materialized view is defined' },
    has_time_bounds: compiled.time.fromMicros !== null || compiled.time.toMicros !== null,
    estimated: {
      parts: estimate.partsRead,
      blocks: estimate.blocksRead,
      rows: estimate.rows,
      bytes: estimate.bytes,
    },
    rewrites: compiled.rewrites,
    plan: planJson(compiled.plan, profile?.root ?? null),
    text: planText(compiled, estimate, profile),
    rules: compiled.rules,
    pushed: compiled.pushed,
    residual: compiled.residual,
    skipping: {
      parts_total: estimate.partsTotal,
      parts_read: estimate.partsRead,
      by_time: estimate.partsByTime + estimate.blocksByTime,
      by_zone_map: estimate.blocksByZoneMap,
      by_token_filter: estimate.blocksByTokenFilter,
      blocks_total: estimate.blocksTotal,
      blocks_read: estimate.blocksRead,
    },
    views: [],
    ...(extras.js && { js: extras.js }),
    ...(extras.passes && { passes: compiled.trace }),
    hints: hintsToJson(source, compiled.hints),
  }
}

export function invalidExplanation(source: SourceText, diagnostics: readonly Diagnostic[]): Record<string, unknown> {
  const errors = diagnosticsToJson(source, diagnostics)
  return {
    is_valid: false,
    errors: errors.map((error, index) => ({ ...error, frame: renderDiagnostic(source, diagnostics[index]!) })),
  }
}

// Rows a core scans in about 10 ms and 1 s: what a person feels as instant and as a wait.
const LOW_COST_ROWS = 5_000_000
const MEDIUM_COST_ROWS = 500_000_000

function costOf(rows: number): 'low' | 'medium' | 'high' {
  return rows <= LOW_COST_ROWS ? 'low' : rows <= MEDIUM_COST_ROWS ? 'medium' : 'high'
}

function planJson(node: PlanNode, actual: OperatorProfile | null): Record<string, unknown> {
  return {
    op: node.op,
    label: node.label,
    details: Object.fromEntries(node.details),
    origin: { offset: node.origin.start, length: node.origin.end - node.origin.start },
    ...(actual && {
      actual: {
        rows_in: actual.rowsIn,
        rows_out: actual.rowsOut,
        duration_ns: actual.durationNs,
        memory_bytes: actual.memoryBytes,
      },
    }),
    children: node.children.map((child, index) => planJson(child, actual?.children[index] ?? null)),
  }
}

/** The plan as people read it: the last op on top, what feeds it below, what skipping saved at the end. */
function planText(compiled: Compiled, estimate: ScanEstimate, profile: Profile | null): string {
  const rows: { readonly tree: string; readonly note: string }[] = []
  /** `branch` is drawn before the node, `below` before everything under it. */
  const visit = (node: PlanNode, actual: OperatorProfile | null, branch: string, below: string): void => {
    const details = node.details.filter(([key]) => key !== 'kernel').map(([key, value]) => `${key} ${value}`)
    const kernel = node.details.find(([key]) => key === 'kernel')?.[1]
    const measured =
      actual === null ? '' : `  ${actual.rowsOut.toLocaleString('en')} rows, ${formatNs(actual.durationNs)}`
    rows.push({ tree: `${branch}${node.label}`, note: (kernel ? `${kernel}` : '') + measured })
    const last = node.children.length - 1
    for (const detail of details) rows.push({ tree: `${below}${last > 0 ? '│' : ' '}    ${detail}`, note: '' })
    for (const [index, child] of node.children.entries()) {
      const [here, under] = index === last ? ['└─ ', '   '] : ['├─ ', '│  ']
      visit(child, actual?.children[index] ?? null, below + here, below + under)
    }
  }
  visit(compiled.plan, profile?.root ?? null, '', '')
  const width = Math.min(84, Math.max(...rows.filter(r => r.note !== '').map(r => r.tree.length), 20))
  const lines = rows.map(r => (r.note === '' ? r.tree : `${r.tree.padEnd(width)}  ${r.note}`))
  const skipped = [
    [estimate.partsByTime, 'parts outside the time range'],
    [estimate.partsByIndex, 'parts of other indexes'],
    [estimate.partsByPlan, 'parts because nothing in them can pass'],
    [estimate.blocksByTime, 'blocks outside the time range'],
    [estimate.blocksByZoneMap, 'blocks by min/max'],
    [estimate.blocksByTokenFilter, 'blocks by token filter'],
  ] as const
  const reasons = skipped.filter(([count]) => count > 0).map(([count, reason]) => `${count} ${reason}`)
  if (estimate.blocksAnswered > 0) reasons.push(`${estimate.blocksAnswered} blocks that statistics answer for`)
  lines.push(
    '',
    `reads ${estimate.partsRead} of ${estimate.partsTotal} parts, ${estimate.blocksRead} of ${estimate.blocksTotal} blocks` +
      (reasons.length > 0 ? `; skips ${reasons.join(', ')}` : ''),
  )
  return lines.join('\n')
}

function formatNs(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`
  if (ns < 1e6) return `${(ns / 1e3).toFixed(1)} µs`
  return ns < 1e9 ? `${(ns / 1e6).toFixed(1)} ms` : `${(ns / 1e9).toFixed(2)} s`
}
