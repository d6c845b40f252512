/** Logical to physical: predicates split, read order chosen, expressions that must be columns made columns. */
import type { Catalog } from '../catalog.ts'
import type { Expr } from '../logical/expr.ts'
import { overlaps, readsAny } from '../logical/field-names.ts'
import type { AggregateCall, AggregateOp, LogicalOp, SortKey, TableOp } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { mayFail } from '../logical/pure.ts'
import { traitsOf } from '../logical/traits.ts'
import { fieldsOf, sizeOf, someExpr } from '../logical/walk.ts'
import { timeBinNs } from '../stages/stats.ts'
import { factsOf } from './block-facts.ts'
import type { PhysicalAggregate, PhysicalOp, PhysicalScan, PhysicalSort, PhysicalTable } from './ops.ts'
import { type Split, splitPredicate } from './split-predicate.ts'
import { storedIn } from './stored-fields.ts'

export interface ChooseContext {
  readonly catalog: Catalog
  /** Off: nothing is told to storage (a rung of the verification ladder). */
  readonly pushdown: boolean
}

export function choose(plan: LogicalOp, cx: ChooseContext): PhysicalOp {
  const wantsNewest = readsNewestFirst(plan)
  return lower(plan, cx, wantsNewest)
}

function lower(op: LogicalOp, cx: ChooseContext, newestFirst: boolean): PhysicalOp {
  switch (op.kind) {
    case 'scan':
      return scanOf(op, [], cx, newestFirst)
    case 'filter':
      if (op.input.kind === 'scan') return scanOf(op.input, op.conjuncts, cx, newestFirst)
      return {
        kind: 'filter',
        origin: op.origin,
        conjuncts: op.conjuncts,
        input: lower(op.input, cx, newestFirst),
      }
    case 'extend':
      return extendInSteps(op.assignments, lower(op.input, cx, newestFirst), op.origin)
    case 'sort':
      return sortOf(op.keys, null, op.origin, lower(op.input, cx, newestFirst))
    case 'topk':
      return sortOf(op.keys, op.count, op.origin, lower(op.input, cx, newestFirst))
    case 'table':
      return tableOf(op, lower(op.input, cx, newestFirst))
    case 'aggregate':
      return aggregateOf(op, lower(op.input, cx, newestFirst), cx)
    case 'dedup':
      return {
        kind: 'dedup',
        origin: op.origin,
        count: op.count,
        fields: op.fields,
        input: lower(op.input, cx, newestFirst),
      }
    default:
      return { ...op, input: lower(op.input, cx, newestFirst) }
  }
}

function scanOf(
  scan: Extract<LogicalOp, { readonly kind: 'scan' }>,
  conjuncts: readonly Expr[],
  cx: ChooseContext,
  newestFirst: boolean,
): PhysicalScan {
  const whyNotStored = storedIn(cx.catalog, scan.indexes)
  // What comes after a strict cast is asked of the rows that passed it: no block may be left out for it.
  const firstStrict = conjuncts.findIndex(mayFail)
  return {
    kind: 'scan',
    origin: scan.origin,
    indexes: scan.indexes,
    time: scan.time,
    fields: scan.fields,
    order: newestFirst ? 'newest-first' : 'natural',
    nothing: scan.nothing,
    conjuncts: conjuncts.map((expr, index) => {
      const isHeld = firstStrict >= 0 && index >= firstStrict
      if (!cx.pushdown) return { expr, ...notPushed('storage is told nothing: it was asked for without pushdown') }
      if (isHeld) return { expr, ...notPushed('a strict cast must see every row that the query says') }
      return { expr, ...splitPredicate(expr, whyNotStored) }
    }),
  }
}

function notPushed(reason: string): Split {
  return { pushed: null, isExact: false, reason }
}

function extendInSteps(
  assignments: readonly { readonly name: string; readonly value: Expr }[],
  input: PhysicalOp,
  origin: PhysicalOp['origin'],
): PhysicalOp {
  let op = input
  let step: { name: string; value: Expr }[] = []
  let size = 0
  const flush = (): void => {
    if (step.length > 0) op = { kind: 'extend', origin, assignments: step, input: op }
    step = []
    size = 0
  }
  for (const assignment of assignments) {
    const reads = fieldsOf(assignment.value)
    const isDependent = step.some(({ name }) => readsAny(name, reads) || overlaps(name, assignment.name))
    const own = sizeOf(assignment.value)
    if (isDependent || step.length >= KERNEL_OUTPUTS_MAX || size + own > KERNEL_NODES_MAX) flush()
    step.push(assignment)
    size += own
  }
  flush()
  return op
}

/** V8 stops optimising very large functions, and takes its time over large ones; a wide extend is several kernels. */
const KERNEL_OUTPUTS_MAX = 32
const KERNEL_NODES_MAX = 1000

function sortOf(
  keys: readonly SortKey[],
  limit: number | null,
  origin: PhysicalOp['origin'],
  input: PhysicalOp,
): PhysicalSort {
  const made: { name: string; value: Expr }[] = []
  const fields = keys.map((key, index) => {
    const text = printExpr(key.value)
    if (key.value.kind === 'field') return { field: key.value.name, descending: key.descending, text }
    const name = `$sort${index}`
    made.push({ name, value: key.value })
    return { field: name, descending: key.descending, text }
  })
  return {
    kind: 'sort',
    origin,
    keys: fields,
    limit,
    temporary: made.map(assignment => assignment.name),
    input: extendInSteps(made, input, origin),
  }
}

function tableOf(op: TableOp, input: PhysicalOp): PhysicalTable {
  const made: { name: string; value: Expr }[] = []
  const inputs = op.inputs.map(({ name, value }, index) => {
    if (value.kind === 'field') return { name, field: value.name }
    made.push({ name: `$${op.call.name}${index}`, value })
    return { name, field: `$${op.call.name}${index}` }
  })
  return {
    kind: 'table',
    origin: op.origin,
    call: op.call,
    text: op.text,
    inputs,
    temporary: made.map(assignment => assignment.name),
    input: extendInSteps(made, input, op.origin),
  }
}

function aggregateOf(op: AggregateOp, input: PhysicalOp, cx: ChooseContext): PhysicalAggregate {
  const made: { name: string; value: Expr }[] = []
  const asColumn = (value: Expr, hint: string): Expr => {
    if (value.kind === 'field' || value.kind === 'literal') return value
    const name = `$${hint}${made.length}`
    made.push({ name, value })
    return { kind: 'field', type: value.type, origin: value.origin, name }
  }
  const keys = op.keys.map(key => {
    const text = printExpr(key.value)
    const binNs = timeBinNs(key.value)
    // Bins of whole microseconds are made while keys are coded; no column of times is written.
    if (binNs !== null && binNs % 1000 === 0) return { field: '_time', name: key.name, binMicros: binNs / 1000, text }
    if (key.value.kind === 'field') return { field: key.value.name, name: key.name, binMicros: null, text }
    const name = `$key${made.length}`
    made.push({ name, value: key.value })
    return { field: name, name: key.name, binMicros: null, text }
  })
  // A step kernel cannot start over when an integer outgrows 2^53 (its state has moved on), so arithmetic is done before it.
  const aggregates: AggregateCall[] = op.aggregates.map(call => ({
    ...call,
    args: call.args.map(arg => asColumn(arg, 'arg')),
    where: call.where !== null && someExpr(call.where, isArithmetic) ? asColumn(call.where, 'where') : call.where,
  }))
  const isFromStatistics = op.fromStatistics === true && cx.pushdown && input.kind === 'scan'
  const facts = isFromStatistics ? factsOf(op, storedIn(cx.catalog, input.indexes)) : null
  return { kind: 'aggregate', origin: op.origin, keys, aggregates, facts, input: extendInSteps(made, input, op.origin) }
}

function isArithmetic(node: Expr): boolean {
  return node.kind === 'call' && node.function.category === 'operator' && node.type !== 'bool'
}

/** Does a top-k by `-_time` stand over the scan with nothing between that cares for order or changes `_time`? */
function readsNewestFirst(plan: LogicalOp): boolean {
  const above: LogicalOp[] = []
  for (let op = plan; op.kind !== 'scan'; op = op.input) above.push(op)
  const last = above.findLastIndex(op => op.kind === 'topk')
  if (last < 0) return false
  const topk = above[last]!
  const [first] = topk.kind === 'topk' ? topk.keys : []
  if (first?.descending !== true || first.value.kind !== 'field' || first.value.name !== '_time') return false
  return above.slice(last + 1).every(op => {
    const { source, order, readsOrder } = traitsOf(op)
    // parse never replaces what is there, and the time of an event always is.
    const isSame = op.kind === 'parse' || source(op, '_time') === '_time'
    return order === 'kept' && !readsOrder(op) && isSame
  })
}
