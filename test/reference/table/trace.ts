/** trace: a tree for each root, told from its root down. */
import type { AstTrace } from '../../../grammar/ast.ts'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import { valueToText } from '../../../runtime/helpers/format-value.ts'
import { Duration, type Value } from '../../../storage/value.ts'
import { isAbsent, type Row } from '../row.ts'
import type { TableReference } from './index.ts'
import { nanosBetween, withFields } from './rows.ts'
import { type Span, spanOf } from './spans.ts'

interface Node extends Span {
  parentNode: Node | null
  /** From the first start of all; infinite without one. */
  readonly at: number
}

const COLUMNS = ['tree', 'depth', 'path', 'offset', 'took', 'self_time', 'critical', 'critical_time', 'failed']

export const trace: TableReference<AstTrace> = (stage, { rows, columns }, evaluate) => {
  const spans = rows
    .map(row => spanOf(row, stage.options, evaluate))
    .filter(({ trace, id }) => !isAbsent(trace) || !isAbsent(id))
  const nodes = inOrder(spans)
  for (const node of nodes) node.parentNode = parentOf(node, nodes)
  breakCircles(nodes)
  const traceStart = (node: Node): number =>
    Math.min(...nodes.filter(other => isSame(other.trace, node.trace)).map(({ at }) => at))
  const roots = nodes
    .filter(node => node.parentNode === null)
    .toSorted((a, b) => ordered(traceStart(a), traceStart(b)) || compareValues(a.trace, b.trace))
  const result: Row[] = []
  for (const root of roots) {
    const waits = new Map<Node, number>()
    if (end(root) !== null) wait(root, root.at, end(root)!, nodes, waits)
    const tell = (node: Node, depth: number, path: string): void => {
      const name = labelOf(node)
      const service = text(node.service)
      const waited = waits.get(node)
      result.push(
        withFields(node.row, {
          tree: '  '.repeat(depth) + (service === null ? name : `${service}: ${name}`),
          depth,
          path,
          offset: node.start === null ? null : new Duration(node.at - traceStart(root)),
          took: node.took === null ? null : new Duration(node.took),
          self_time: node.took === null ? null : new Duration(ownTime(node, nodes)),
          critical: waited !== undefined,
          critical_time: waited === undefined ? null : new Duration(waited),
          failed: node.failed,
        }),
      )
      for (const child of childrenOf(node, nodes)) tell(child, depth + 1, `${path} > ${labelOf(child)}`)
    }
    tell(root, 0, labelOf(root))
  }
  return { rows: result, columns: columns && [...COLUMNS, ...columns.filter(name => !COLUMNS.includes(name))] }
}

function isSame(a: Value, b: Value): boolean {
  return keyOf(a) === keyOf(b)
}

/** Infinities are equal. */
function ordered(a: number, b: number): number {
  return a === b ? 0 : a - b
}

function inOrder(spans: readonly Span[]): Node[] {
  const [first] = spans.flatMap(({ start }) => start ?? []).toSorted(compareValues)
  return spans
    .map(
      (span): Node => ({
        ...span,
        parentNode: null,
        at: span.start === null ? Number.POSITIVE_INFINITY : nanosBetween(first!, span.start),
      }),
    )
    .sort((a, b) => ordered(a.at, b.at) || compareValues(a.id, b.id) || (b.took ?? -1) - (a.took ?? -1))
}

function text(value: Value): string | null {
  return isAbsent(value) || value === '' ? null : valueToText(value).replace(/\s+/g, ' ').trim()
}

function labelOf(node: Node): string {
  return text(node.name) ?? text(node.id) ?? 'event'
}

/** The row that is the span itself, of all rows with its id. */
function headOf(traceId: Value, id: Value, nodes: readonly Node[]): Node | null {
  if (isAbsent(id)) return null
  const same = nodes.filter(node => isSame(node.trace, traceId) && isSame(node.id, id))
  return same.find(({ took }) => took !== null) ?? same[0] ?? null
}

function parentOf(node: Node, nodes: readonly Node[]): Node | null {
  const own = headOf(node.trace, node.id, nodes)
  const caller = headOf(node.trace, node.parent, nodes)
  if (own !== null) return own !== node ? own : caller === node ? null : caller
  if (caller !== null) return caller
  const firstRoot = nodes.find(other => {
    const head = headOf(other.trace, other.id, nodes)
    const above = headOf(other.trace, other.parent, nodes)
    return isSame(other.trace, node.trace) && head === other && (above === null || above === other)
  })
  return firstRoot ?? null
}

function breakCircles(nodes: readonly Node[]): void {
  const isHanging = (node: Node): boolean => {
    const seen = new Set<Node>()
    let at = node
    while (at.parentNode !== null) {
      if (seen.has(at)) return false
      seen.add(at)
      at = at.parentNode
    }
    return true
  }
  for (const node of nodes) if (!isHanging(node)) node.parentNode = null
}

function childrenOf(node: Node, nodes: readonly Node[]): Node[] {
  return nodes.filter(({ parentNode }) => parentNode === node)
}

function end(node: Node): number | null {
  return node.start === null || node.took === null ? null : node.at + node.took
}

/** Nanoseconds of the span in which none of its calls ran: its time less each stretch of the calls that no earlier one covered. */
function ownTime(node: Node, nodes: readonly Node[]): number {
  const took = node.took!
  if (node.start === null) return took
  const calls = childrenOf(node, nodes).filter(child => end(child) !== null)
  const cuts = [...new Set([node.at, node.at + took, ...calls.flatMap(call => [call.at, end(call)!])])].sort(
    (a, b) => a - b,
  )
  let own = 0
  for (let n = 1; n < cuts.length; n++) {
    const [from, to] = [cuts[n - 1]!, cuts[n]!]
    const isInside = from >= node.at && to <= node.at + took
    if (isInside && !calls.some(call => call.at <= from && end(call)! >= to)) own += to - from
  }
  return own
}

/** How long the time from `from` to `until` was spent waiting for the span itself, and for which of its calls. */
function wait(node: Node, from: number, until: number, nodes: readonly Node[], waits: Map<Node, number>): void {
  const calls = childrenOf(node, nodes)
    .filter(child => end(child) !== null)
    .sort((a, b) => end(b)! - end(a)! || b.at - a.at)
  let own = 0
  let at = until
  let isLast = true
  for (const call of calls) {
    const start = Math.max(call.at, from)
    if (start >= at || (!isLast && end(call)! > at)) continue
    const stop = Math.min(end(call)!, at)
    own += at - stop
    wait(call, start, stop, nodes, waits)
    at = start
    isLast = false
  }
  waits.set(node, own + Math.max(0, at - from))
}
