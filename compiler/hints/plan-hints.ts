/** What a plan says of itself before it runs: that it reads everything, or sorts less than it seems. Hints never change a result. */
import type { Diagnostic } from '../../grammar/diagnostics.ts'
import { requiredLiteral } from '../../runtime/helpers/regex-literal.ts'
import type { Catalog } from '../catalog.ts'
import type { CallExpr, Expr } from '../logical/expr.ts'
import type { LogicalOp } from '../logical/ops.ts'
import { printSortKeys } from '../logical/print.ts'
import { orderOf } from '../logical/properties.ts'
import { traitsOf } from '../logical/traits.ts'
import { chainOf, childrenOf, inputsOf } from '../logical/walk.ts'
import type { PhysicalScan } from '../physical/ops.ts'

/** A query over all time is told so from this many rows on: some seconds of one core. */
export const MUCH_DATA_ROWS = 10_000_000

export interface PlanHintOptions {
  readonly catalog: Catalog
  readonly muchDataRows: number
}

/**
 * @param written  the plan as the query says it
 * @param optimised  the same after the rules
 * @param scans  as they will be read, in the order in which they stand in the plan
 */
export function planHints(
  written: LogicalOp,
  optimised: LogicalOp,
  scans: readonly PhysicalScan[],
  options: PlanHintOptions,
): Diagnostic[] {
  const hints = pathsOf(optimised).flatMap((path, index) => {
    const scan = scans[index]!
    const isAnswered = path.some(op => op.kind === 'aggregate' && op.fromStatistics === true)
    if (scan.nothing !== null || scan.lookup !== null || isAnswered) return []
    return [...timeHint(path, scan, options), ...searchHints(scan, options)]
  })
  return [...once(hints), ...headBeforeSort(written)]
}

/** From the last op down to each scan. */
function pathsOf(op: LogicalOp): LogicalOp[][] {
  if (op.kind === 'scan') return [[op]]
  return inputsOf(op).flatMap(input => pathsOf(input).map(path => [op, ...path]))
}

/** A let that is used twice is one place in the query. */
function once(hints: readonly Diagnostic[]): Diagnostic[] {
  const isSame = (a: Diagnostic, b: Diagnostic): boolean =>
    a.code === b.code && a.span.start === b.span.start && a.message === b.message
  return hints.filter((hint, index) => hints.findIndex(other => isSame(hint, other)) === index)
}

function timeHint(chain: readonly LogicalOp[], scan: PhysicalScan, options: PlanHintOptions): Diagnostic[] {
  const { fromMicros, toMicros } = scan.time
  // Nothing between the scan and a head leaves rows out: it stops the reading.
  const first = chain
    .toReversed()
    .find(op => op.kind === 'head' || (op.kind !== 'scan' && traitsOf(op).rows(op) !== 'same'))
  const isLimited = first?.kind === 'head'
  if (fromMicros !== null || toMicros !== null || isLimited) return []
  const { catalog, muchDataRows } = options
  // The number itself is asked for only where it is told: it changes with every event.
  if (catalog.hasRows?.(scan.indexes, muchDataRows) !== true) return []
  const rows = catalog.rowCount?.(scan.indexes) ?? muchDataRows
  const message = `no time range: all ${rows.toLocaleString('en')} events are looked at`
  return [{ code: 'H902', message, span: scan.origin, suggestion: `from ${scan.indexes.join(', ')}[-24h]` }]
}

function searchHints(scan: PhysicalScan, { catalog }: PlanHintOptions): Diagnostic[] {
  // Where an index narrows the search anyway, the rest is asked of what is left.
  const isNarrowed = scan.conjuncts.some(conjunct => conjunct.pushed !== null)
  if (isNarrowed || catalog.fields(scan.indexes) === null) return []
  return scan.conjuncts.flatMap(conjunct => searchesOf(conjunct.expr).flatMap(search => searchHint(search) ?? []))
}

function searchesOf(expr: Expr): CallExpr[] {
  const inner = childrenOf(expr).flatMap(searchesOf)
  return expr.kind === 'call' && expr.function.category === 'text' ? [expr, ...inner] : inner
}

function searchHint({ function: fn, args, origin }: CallExpr): Diagnostic | null {
  const [, pattern] = args
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return null
  const text = pattern.value
  if ((fn.name === 'glob' || fn.name === 'has_glob') && /^[*?]/.test(text)) {
    const message = `${JSON.stringify(text)} begins with a wildcard, so no index helps: every block is read`
    return { code: 'H901', message, span: origin }
  }
  if (fn.name === 'matches' && requiredLiteral(text) === null) {
    const message = 'no text of three characters or more is part of every match, so every row is matched in full'
    return { code: 'H903', message, span: origin }
  }
  return null
}

/** `head 10 | sort -ms` sorts ten rows nobody chose. After a sort, or among bins of time, somebody did. */
function headBeforeSort(plan: LogicalOp): Diagnostic[] {
  const chain = chainOf(plan)
  return chain.flatMap((sort, at): Diagnostic[] => {
    if (sort.kind !== 'sort') return []
    const below = chain.slice(at + 1)
    const head = below.find(
      op => traitsOf(op).rows(op) === 'own' || traitsOf(op).order(op) !== 'kept' || op.kind === 'head',
    )
    if (head?.kind !== 'head' || orderOf(head.input).length > 0) return []
    return [
      {
        code: 'H904',
        message: `head ${head.count} takes rows in no order of yours, and sort arranges only those`,
        span: head.origin,
        suggestion: `sort ${printSortKeys(sort.keys)} | head ${head.count}`,
      },
    ]
  })
}
