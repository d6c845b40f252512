/** Builds the body of GET /query/explain (spec/decisions.md) from what compiling decided, what the scan would read, and a run's profile. */
import { type Diagnostic, diagnosticsToJson, hintsToJson, renderDiagnostic } from '../../grammar/index.ts'
import type { SourceText } from '../../grammar/source.ts'
import type { OperatorProfile, Profile } from '../../runtime/profile.ts'
import type { Compiled, PlanNode } from '../types.ts'
import { type Analysis, analysisJson, analysisOf } from './analysis.ts'
import { planText } from './plan-text.ts'

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
  /** Of a run to the end; null when it was not asked for. */
  readonly profile: Profile | null
  /** Text to program. */
  readonly compileNs: number
  readonly passes: boolean
  readonly js: readonly { readonly kernel: string; readonly source: string }[] | null
}

export function explanationOf(source: SourceText, compiled: Compiled, extras: ExplainExtras): Record<string, unknown> {
  const { estimate, profile } = extras
  const { program } = compiled
  const analysis = profile === null ? null : analysisOf(compiled.plan, profile, extras.compileNs)
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
    plan: planJson(compiled.plan, profile?.root ?? null, analysis),
    text: planText(compiled, estimate, analysis),
    rules: compiled.rules,
    pushed: compiled.pushed,
    residual: compiled.residual,
    not_by_index: compiled.notByIndex,
    skipping: {
      parts_total: estimate.partsTotal,
      parts_read: estimate.partsRead,
      by_time: estimate.partsByTime + estimate.blocksByTime,
      by_zone_map: estimate.blocksByZoneMap,
      by_token_filter: estimate.blocksByTokenFilter,
      blocks_total: estimate.blocksTotal,
      blocks_read: estimate.blocksRead,
      answered_by_statistics: estimate.blocksAnswered,
    },
    ...(analysis && { analysis: analysisJson(analysis) }),
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

function planJson(node: PlanNode, actual: OperatorProfile | null, analysis: Analysis | null): Record<string, unknown> {
  return {
    op: node.op,
    label: node.label,
    details: Object.fromEntries(node.details),
    origin: { offset: node.origin.start, length: node.origin.end - node.origin.start },
    ...(actual && {
      actual: {
        rows_in: actual.rowsIn,
        rows_out: actual.rowsOut,
        duration_ns: Math.round(actual.durationNs),
        share: analysis === null || analysis.totalNs === 0 ? 0 : actual.durationNs / analysis.totalNs,
        memory_bytes: actual.memoryBytes,
        ...(actual.spilledFiles > 0 && { spilled_bytes: actual.spilledBytes, spilled_files: actual.spilledFiles }),
      },
    }),
    children: node.children.map((child, index) => planJson(child, actual?.children[index] ?? null, analysis)),
  }
}
