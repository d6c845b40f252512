/**
 * Where the time of a run went, as data: the same figures for people (`analysis-text.ts`) and programs. Times are of all threads together, and
 * every nanosecond belongs to one of: an operator, decoding columns, making kernels, computing what only the reader asked for.
 */
import type { KernelProfile, OperatorProfile, Profile } from '../../runtime/profile.ts'
import type { PlanNode } from '../types.ts'

export interface Analysis {
  readonly profile: Profile
  readonly compileNs: number
  /** All that is accounted for. */
  readonly totalNs: number
  /** Largest first. */
  readonly shares: readonly Share[]
}

export interface Share {
  readonly what: string
  readonly ns: number
}

export function analysisOf(plan: PlanNode, profile: Profile, compileNs: number): Analysis {
  const shares: Share[] = [
    { what: 'decoding columns', ns: profile.scan.decodeNs },
    { what: 'making kernels', ns: profile.compile.durationNs },
    { what: 'the columns of the result', ns: profile.result.durationNs },
    ...sharesOf(plan, profile.root, profile),
  ]
  const totalNs = shares.reduce((sum, share) => sum + share.ns, 0)
  return {
    profile,
    compileNs,
    totalNs,
    shares: shares.filter(share => share.ns > 0).sort((a, b) => b.ns - a.ns),
  }
}

function sharesOf(node: PlanNode, actual: OperatorProfile | null, profile: Profile): Share[] {
  if (actual === null) return []
  const own = actual.durationNs - actual.decodeNs
  const below = node.children.flatMap((child, index) => sharesOf(child, actual.children[index] ?? null, profile))
  return [{ what: `${node.label}${mostlyIn(node, own, profile)}`, ns: own }, ...below]
}

/** The kernel that takes more than half of an operator's time, if one does. */
function mostlyIn(node: PlanNode, own: number, profile: Profile): string {
  for (const { name, of } of node.kernels) {
    const ns = timesOf(name, profile).reduce((sum, kernel) => sum + kernel.durationNs, 0)
    if (ns * 2 > own) return node.kernels.length > 1 ? `, in ${name}: ${of}` : `, in ${name}`
  }
  return ''
}

/** Of one kernel, every specialisation; and of stats, its further kernels (`kernel2_stats_tally`). */
function timesOf(name: string, profile: Profile): readonly KernelProfile[] {
  return profile.kernels.filter(kernel => kernel.name === name || kernel.name.startsWith(`${name}_`))
}

export function analysisJson({ profile, compileNs, totalNs, shares }: Analysis): Record<string, unknown> {
  const { scan, compile } = profile
  return {
    duration_ns: Math.round(totalNs),
    compile_ns: Math.round(compileNs),
    memory_bytes: profile.memoryBytes,
    spilled_bytes: profile.spilledBytes,
    most_of_the_time: shares.map(({ what, ns }) => ({ what, duration_ns: Math.round(ns), share: ns / totalNs })),
    columns: {
      decoded: scan.columnsDecoded,
      from_cache: scan.columnsCached,
      bytes_read: scan.bytesRead,
      bytes_decoded: scan.bytesDecoded,
      decode_ns: Math.round(scan.decodeNs),
    },
    plan_cache: { hit: profile.plan?.cached === true, duration_ns: Math.round(profile.plan?.durationNs ?? 0) },
    kernel_cache: {
      hits: compile.cached,
      misses: compile.kernels - compile.cached,
      duration_ns: Math.round(compile.durationNs),
    },
    skipped: {
      parts_by_time: scan.partsSkippedByTime,
      parts_by_index: scan.partsSkippedByIndex,
      parts_by_plan: scan.partsSkippedByPlan,
      blocks_by_time: scan.blocksSkippedByTime,
      blocks_by_zone_map: scan.blocksSkippedByZoneMap,
      blocks_by_token_filter: scan.blocksSkippedByTokenFilter,
      blocks_by_join: scan.blocksSkippedByJoin,
      blocks_by_sort_boundary: scan.blocksSkippedBySortBoundary,
      blocks_by_limit: scan.blocksSkippedByLimit,
      blocks_answered_by_statistics: scan.blocksAnswered,
      rows_answered_by_statistics: scan.rowsAnswered,
      predicates: scan.predicatesSkipped,
    },
    kernels: profile.kernels.map(kernel => ({
      name: kernel.name,
      shapes: kernel.shapes,
      calls: kernel.calls,
      rows: kernel.rows,
      duration_ns: Math.round(kernel.durationNs),
      gave_up: kernel.gaveUp,
      cached: kernel.cached,
    })),
    once_per_value: tablesOf(profile).map(({ expression, field, values }) => ({ expression, field, values })),
    condition_orders: profile.conditionOrders,
    counters: Object.fromEntries(profile.counters),
  }
}

/** By expression: one may have been tabulated in several kernels, of which each did the work. */
export function tablesOf({ tables }: Profile): readonly { expression: string; field: string; values: number }[] {
  const byExpression = new Map<string, { expression: string; field: string; values: number }>()
  for (const { expression, field, values } of tables) {
    const known = byExpression.get(expression)
    if (known === undefined) byExpression.set(expression, { expression, field, values })
    else known.values += values
  }
  return [...byExpression.values()].filter(({ values }) => values > 0)
}
