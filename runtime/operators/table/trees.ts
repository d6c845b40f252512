/**
 * Spans as trees. What stands under what follows from the ids alone, what comes first from the times, and where neither decides, from
 * the ids again: the order in which rows came in shows only between rows that are alike in all of it.
 */
import type { Value } from '../../../storage/value.ts'
import { compareValues, keyOf } from '../../helpers/compare.ts'
import { valueToText } from '../../helpers/format-value.ts'
import { nanosBetween, type Span, spanKey } from './spans.ts'

export interface TreeNode {
  readonly span: Span
  readonly children: TreeNode[]
  parent: TreeNode | null
  depth: number
  /** What it is called in paths, and in the tree, where its service stands before it. */
  readonly name: string
  readonly label: string
  /** Names from the root. */
  path: string
  /** Since the first start of all rows, so that nanoseconds stay exact; null without a time. */
  readonly startNs: number | null
  /** When the trace of a root began. */
  traceStartNs: number
}

export interface Forest {
  /** In order: trace by trace, and within one by their start. */
  readonly roots: readonly TreeNode[]
  /** Rows that are in no trace. */
  readonly left: number
  /** Spans whose parent is not there. */
  readonly lost: number
}

export function plantTrees(spans: readonly Span[]): Forest {
  const nodes = nodesOf(spans.filter(({ traceId, spanId }) => traceId != null || spanId != null))
  nodes.sort(byStart)
  const heads = headsOf(nodes)
  const lost = attach(nodes, heads)
  const roots = nodes.filter(node => node.parent === null)
  breakCycles(nodes, roots)
  orderRoots(roots, nodes)
  for (const root of roots) nameBelow(root)
  return { roots, left: spans.length - nodes.length, lost }
}

function nodesOf(spans: readonly Span[]): TreeNode[] {
  const starts = spans.flatMap(({ start }) => start ?? [])
  const base = starts.reduce((first, start) => (compareValues(start, first) < 0 ? start : first), starts[0]!)
  return spans.map(span => {
    const name = textOf(span.name) ?? textOf(span.spanId) ?? 'event'
    const service = textOf(span.service)
    return {
      span,
      children: [],
      parent: null,
      depth: 0,
      name,
      label: service === null ? name : `${service}: ${name}`,
      path: name,
      startNs: span.start === null ? null : nanosBetween(base, span.start),
      traceStartNs: 0,
    }
  })
}

/** One line: a name goes into a tree. */
function textOf(value: Value): string | null {
  return value == null || value === '' ? null : valueToText(value).replace(/\s+/g, ' ').trim()
}

/** Rows without a time last. */
function byStart(a: TreeNode, b: TreeNode): number {
  return (
    (a.startNs ?? Number.POSITIVE_INFINITY) - (b.startNs ?? Number.POSITIVE_INFINITY) ||
    compareValues(a.span.spanId, b.span.spanId) ||
    (b.span.tookNs ?? -1) - (a.span.tookNs ?? -1) ||
    a.span.row - b.span.row
  )
}

/** Of the rows that carry a span's id the span itself: the first with a duration, else the first. */
function headsOf(nodes: readonly TreeNode[]): Map<string, TreeNode> {
  const heads = new Map<string, TreeNode>()
  for (const node of nodes) {
    const { traceId, spanId, tookNs } = node.span
    if (spanId == null) continue
    const key = spanKey(traceId, spanId)
    const head = heads.get(key)
    if (head === undefined || (head.span.tookNs === null && tookNs !== null)) heads.set(key, node)
  }
  return heads
}

/** Gives every node its parent; returns how many spans name one that is not there. Children come in order of their start. */
function attach(nodes: readonly TreeNode[], heads: ReadonlyMap<string, TreeNode>): number {
  let lost = 0
  const loose: TreeNode[] = []
  for (const node of nodes) {
    const { traceId, spanId, parentId } = node.span
    const own = spanId == null ? undefined : heads.get(spanKey(traceId, spanId))
    const isHead = own === node
    const parent = own !== undefined && !isHead ? own : heads.get(spanKey(traceId, parentId))
    if (isHead && parent === undefined && parentId != null) lost++
    if (parent !== undefined && parent !== node) node.parent = parent
    else if (own === undefined) loose.push(node)
  }
  // A line without a span stands under the first root of its trace.
  const rootOfTrace = new Map<string | number, TreeNode>()
  for (const node of nodes) {
    const key = keyOf(node.span.traceId)
    if (node.parent === null && node.span.spanId != null && !rootOfTrace.has(key)) rootOfTrace.set(key, node)
  }
  for (const node of loose) node.parent = rootOfTrace.get(keyOf(node.span.traceId)) ?? null
  for (const node of nodes) node.parent?.children.push(node)
  return lost
}

/** Spans that call each other in a circle hang on no root: the first of them becomes one. */
function breakCycles(nodes: readonly TreeNode[], roots: TreeNode[]): void {
  const reached = new Set<TreeNode>()
  const reach = (root: TreeNode): void => {
    const open = [root]
    while (open.length > 0) {
      const node = open.pop()!
      if (reached.has(node)) continue
      reached.add(node)
      open.push(...node.children)
    }
  }
  for (const root of roots) reach(root)
  for (const node of nodes) {
    if (reached.has(node)) continue
    const { parent } = node
    parent!.children.splice(parent!.children.indexOf(node), 1)
    node.parent = null
    roots.push(node)
    reach(node)
  }
}

/** Roots in their order, and when their traces began. */
function orderRoots(roots: TreeNode[], nodes: readonly TreeNode[]): void {
  const starts = new Map<string | number, number>()
  for (const { span, startNs } of nodes) {
    const key = keyOf(span.traceId)
    if (startNs !== null && !starts.has(key)) starts.set(key, startNs)
  }
  const startOf = (node: TreeNode): number => starts.get(keyOf(node.span.traceId)) ?? Number.POSITIVE_INFINITY
  for (const root of roots) root.traceStartNs = startOf(root)
  roots.sort(
    (a, b) =>
      compareNumbers(a.traceStartNs, b.traceStartNs) ||
      compareValues(a.span.traceId, b.span.traceId) ||
      compareNumbers(a.startNs ?? Number.POSITIVE_INFINITY, b.startNs ?? Number.POSITIVE_INFINITY) ||
      byStart(a, b),
  )
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function nameBelow(root: TreeNode): void {
  const open = [root]
  while (open.length > 0) {
    const node = open.pop()!
    for (const child of node.children) {
      child.depth = node.depth + 1
      child.path = `${node.path} > ${child.name}`
      open.push(child)
    }
  }
}
