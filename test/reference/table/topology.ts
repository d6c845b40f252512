/** topology: calls from one service to another, by pair. */
import type { AstTopology } from '../../../grammar/ast.ts'
import { optionOf } from '../../../grammar/stages/options.ts'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import { Duration, type Value } from '../../../storage/value.ts'
import { isAbsent } from '../row.ts'
import type { TableReference } from './index.ts'
import { newRow, significant } from './rows.ts'
import { type Span, spanOf } from './spans.ts'

interface Call {
  readonly caller: Value
  readonly callee: Value
  readonly span: Span
}

const COLUMNS = ['caller', 'callee', 'calls', 'errors', 'error_rate', 'p50', 'p95']

export const topology: TableReference<AstTopology> = (stage, { rows }, evaluate) => {
  const [caller, callee] = [optionOf(stage.options, 'caller'), optionOf(stage.options, 'callee')]
  const spans = rows.map(row => spanOf(row, stage.options, evaluate))
  const calls =
    caller !== null && callee !== null
      ? spans.map(span => ({ caller: evaluate(caller, span.row), callee: evaluate(callee, span.row), span }))
      : callsOf(spans)
  const edges = new Map<string, Call[]>()
  for (const call of calls) {
    if (isAbsent(call.caller) || isAbsent(call.callee)) continue
    const key = JSON.stringify([keyOf(call.caller), keyOf(call.callee)])
    edges.set(key, [...(edges.get(key) ?? []), call])
  }
  const result = [...edges.values()].toSorted(
    (a, b) =>
      b.length - a.length || compareValues(a[0]!.caller, b[0]!.caller) || compareValues(a[0]!.callee, b[0]!.callee),
  )
  return { rows: result.map(edge => newRow(described(edge))), columns: COLUMNS }
}

function described(calls: readonly Call[]): Record<string, Value> {
  const errors = calls.filter(({ span }) => span.failed).length
  const took = calls.flatMap(({ span }) => span.took ?? []).toSorted((a, b) => a - b)
  const rank = (percent: number): Value => {
    const at = Math.max(1, Math.ceil((percent / 100) * took.length))
    return took.length === 0 ? null : new Duration(took[at - 1]!)
  }
  return {
    caller: calls[0]!.caller,
    callee: calls[0]!.callee,
    calls: calls.length,
    errors,
    error_rate: significant(errors / calls.length, 4),
    p50: rank(50),
    p95: rank(95),
  }
}

function isSame(a: Value, b: Value): boolean {
  return keyOf(a) === keyOf(b)
}

function callsOf(all: readonly Span[]): Call[] {
  const spans = all.filter(span => !isAbsent(span.id) && headOf(span, all) === span)
  const parentOf = (span: Span): Span | undefined =>
    isAbsent(span.parent)
      ? undefined
      : spans.find(other => isSame(other.trace, span.trace) && isSame(other.id, span.parent))
  const between = spans.flatMap(span => {
    const parent = parentOf(span)
    if (parent === undefined || isSame(parent.service, span.service)) return []
    return [{ caller: parent.service, callee: span.service, span, parent }]
  })
  const outwards = spans
    .filter(span => !between.some(({ parent }) => parent === span) && !isSame(span.peer, span.service))
    .map(span => ({ caller: span.service, callee: span.peer, span }))
  return [...between, ...outwards]
}

/** Of the rows with the id of a span the one that says most of it. */
function headOf(span: Span, all: readonly Span[]): Span {
  const rank = ({ took, parent }: Span): number => (took !== null ? 2 : isAbsent(parent) ? 0 : 1)
  const [head] = all
    .filter(other => isSame(other.id, span.id) && isSame(other.trace, span.trace))
    .toSorted(
      (a, b) =>
        rank(b) - rank(a) ||
        compareValues(a.start, b.start) ||
        (b.took ?? 0) - (a.took ?? 0) ||
        compareValues(a.parent, b.parent) ||
        compareValues(a.service, b.service),
    )
  return head!
}
