/** topology: calls between services, counted by caller and callee. */
import { Duration, type Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { batchOf, vectorOf } from '../../column-batch.ts'
import { compareValues, keyOf } from '../../helpers/compare.ts'
import { TOPOLOGY_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { Floats } from './growable.ts'
import { rounded } from './measures.ts'
import { readSpans, SPAN_BYTES, type Span, spanKey } from './spans.ts'
import { CollectedRows, type TableRun } from './table.ts'

interface Edge {
  readonly caller: Value
  readonly callee: Value
  calls: number
  errors: number
  readonly tookNs: Floats
}

export class TopologyOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'topology'>
  readonly #collected: CollectedRows
  readonly #edges = new Map<string, Edge>()

  constructor(run: TableRun<'topology'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'topology')
  }

  push(batch: Batch): void {
    this.#run.context.memory.charge(batch.selectedCount * SPAN_BYTES, 'topology')
    this.#collected.add(batch)
  }

  finish(): void {
    const { inputs, next } = this.#run
    const spans = readSpans(this.#collected, inputs)
    if (inputs.caller !== undefined && inputs.callee !== undefined) {
      const callers = this.#collected.values(inputs.caller)
      const callees = this.#collected.values(inputs.callee)
      for (const span of spans) this.#add(callers[span.row], callees[span.row], span)
    } else this.#addCalls(spans)
    const edges = [...this.#edges.values()].sort(
      (a, b) => b.calls - a.calls || compareValues(a.caller, b.caller) || compareValues(a.callee, b.callee),
    )
    if (edges.length > 0) {
      const rows = edges.map(valuesOf)
      next.push(
        batchOf(
          new Map(TOPOLOGY_COLUMNS.map((name, index) => [name, vectorOf(rows.map(row => row[index]))])),
          rows.length,
        ),
      )
    }
    next.finish()
  }

  #addCalls(spans: readonly Span[]): void {
    const heads = headsOf(spans)
    if (heads.size === 0 && spans.length > 0 && this.#run.inputs.span_id !== undefined)
      this.#run.context.count('note:no row names its span (span_id, spanId, …)')
    const callsOthers = new Set<Span>()
    for (const span of heads.values()) {
      const parent = span.parentId == null ? undefined : heads.get(spanKey(span.traceId, span.parentId))
      if (parent === undefined || keyOf(parent.service) === keyOf(span.service)) continue
      callsOthers.add(parent)
      this.#add(parent.service, span.service, span)
    }
    for (const span of heads.values()) {
      if (!callsOthers.has(span) && keyOf(span.peer) !== keyOf(span.service)) this.#add(span.service, span.peer, span)
    }
  }

  #add(caller: Value, callee: Value, { failed, tookNs }: Span): void {
    if (caller == null || callee == null) return
    const key = `${keyOf(caller)} ${keyOf(callee)}`
    let edge = this.#edges.get(key)
    if (edge === undefined) {
      edge = { caller, callee, calls: 0, errors: 0, tookNs: new Floats() }
      this.#edges.set(key, edge)
      this.#run.context.memory.charge(8192, 'topology')
    }
    edge.calls++
    if (failed) edge.errors++
    if (tookNs !== null) edge.tookNs.push(tookNs)
  }
}

/** One row for each span: log lines carry the ids of their spans too. The first with a duration, else the one that names a parent. */
function headsOf(spans: readonly Span[]): Map<string, Span> {
  const heads = new Map<string, Span>()
  for (const span of spans) {
    if (span.spanId == null) continue
    const key = spanKey(span.traceId, span.spanId)
    const head = heads.get(key)
    if (head === undefined || compareHeads(span, head) < 0) heads.set(key, span)
  }
  return heads
}

/** Rows that claim to be the same span: which of them is taken follows from what they say, not from where they stand. */
function compareHeads(a: Span, b: Span): number {
  return (
    rankOf(b) - rankOf(a) ||
    compareValues(a.start, b.start) ||
    (b.tookNs ?? 0) - (a.tookNs ?? 0) ||
    compareValues(a.parentId, b.parentId) ||
    compareValues(a.service, b.service)
  )
}

function rankOf({ tookNs, parentId }: Span): number {
  return tookNs !== null ? 2 : parentId != null ? 1 : 0
}

function valuesOf({ caller, callee, calls, errors, tookNs }: Edge): Value[] {
  const sorted = tookNs.values.subarray(0, tookNs.length).sort()
  const at = (share: number): Value =>
    sorted.length === 0 ? null : new Duration(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!)
  return [caller, callee, calls, errors, rounded(errors / calls), at(0.5), at(0.95)]
}
