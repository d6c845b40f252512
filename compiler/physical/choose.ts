/** Logical to physical: predicates split, read order chosen, expressions that must be columns made columns. */
import type { Catalog } from '../catalog.ts'
import type { Expr } from '../logical/expr.ts'
import type {
  AggregateOp,
  EventstatsOp,
  JoinOp,
  LogicalOp,
  SortKey,
  StreamColumn,
  StreamstatsOp,
  TableOp,
} from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { mayFail } from '../logical/pure.ts'
import { traitsOf } from '../logical/traits.ts'
import { factsOf } from './block-facts.ts'
import { conditionsBelow, type KeyCondition, keyCondition, keyFilters } from './key-conditions.ts'
import { extendInSteps, MadeColumns } from './made-columns.ts'
import type {
  PhysicalAggregate,
  PhysicalEventstats,
  PhysicalJoin,
  PhysicalOp,
  PhysicalScan,
  PhysicalSort,
  PhysicalStreamstats,
  PhysicalTable,
} from './ops.ts'
import { type Split, splitPredicate } from './split-predicate.ts'
import { storedIn } from './stored-fields.ts'
import { searchesOf } from './text-searches.ts'

export interface ChooseContext {
  readonly catalog: Catalog
  /** Off: nothing is told to storage (a rung of the verification ladder). */
  readonly pushdown: boolean
}

export function choose(plan: LogicalOp, cx: ChooseContext): PhysicalOp {
  let joins = 0
  return lower(plan, { nextJoin: () => joins++, ...cx }, { newestFirst: false, keys: [] })
}

interface Choosing extends ChooseContext {
  nextJoin(): number
}

/** What stands above an op and scans below it may make use of. */
interface Above {
  /** A top-k by `-_time`, and nothing between cares for the order of rows or changes `_time`. */
  readonly newestFirst: boolean
  readonly keys: readonly KeyCondition[]
}

function lower(op: LogicalOp, cx: Choosing, above: Above): PhysicalOp {
  if (op.kind === 'scan') return scanOf(op, [], cx, above)
  const keysBelow = conditionsBelow(op, above.keys)
  const below: Above = { newestFirst: readsNewestFirst(op, above.newestFirst), keys: keysBelow[0] ?? [] }
  if (op.kind === 'filter' && op.input.kind === 'scan') return scanOf(op.input, op.conjuncts, cx, below)
  if (op.kind === 'join') return joinOf(op, keysBelow, cx)
  const input = lower(op.input, cx, below)
  switch (op.kind) {
    case 'filter':
      return { kind: 'filter', origin: op.origin, conjuncts: op.conjuncts, input }
    case 'extend':
      return extendInSteps(op.assignments, input, op.origin)
    case 'sort':
      return sortOf(op.keys, null, op.origin, input)
    case 'topk':
      return sortOf(op.keys, op.count, op.origin, input)
    case 'table':
      return tableOf(op, input)
    case 'aggregate':
      return aggregateOf(op, input, cx)
    case 'eventstats':
      return eventstatsOf(op, input)
    case 'streamstats':
      return streamstatsOf(op, input)
    case 'dedup':
      return { kind: 'dedup', origin: op.origin, count: op.count, fields: op.fields, input }
    case 'union': {
      const others = op.others.map((other, index) => lower(other, cx, { ...below, keys: keysBelow[index + 1]! }))
      return { kind: 'union', origin: op.origin, input, others }
    }
    default:
      return { ...op, input }
  }
}

/** The side that is read second is asked only for what can match: its rows without a match are nothing to the answer. */
function joinOf(op: JoinOp, [left, right]: readonly (readonly KeyCondition[])[], cx: Choosing): PhysicalJoin {
  const { type, keys, prefix, origin, readFirst = 'right' } = op
  const id = cx.nextJoin()
  const matchesNull = op.matchesNull === true
  const isAsked = cx.pushdown && !matchesNull && (readFirst === 'left' || type === 'inner' || type === 'semi')
  const second = readFirst === 'left' ? 'right' : 'left'
  const known = isAsked ? keys.map((key, index) => keyCondition(id, index, key[second], origin)) : []
  const conditionsOf = (side: 'left' | 'right'): readonly KeyCondition[] => [
    ...((side === 'left' ? left : right) ?? []),
    ...(side === second ? known : []),
  ]
  return {
    kind: 'join',
    origin,
    type,
    keys,
    prefix,
    matchesNull,
    readFirst,
    id,
    input: lower(op.input, cx, { newestFirst: false, keys: conditionsOf('left') }),
    right: lower(op.right, cx, { newestFirst: false, keys: conditionsOf('right') }),
  }
}

function scanOf(
  scan: Extract<LogicalOp, { readonly kind: 'scan' }>,
  conjuncts: readonly Expr[],
  cx: ChooseContext,
  { newestFirst, keys }: Above,
): PhysicalScan {
  const whyNotStored = storedIn(cx.catalog, scan)
  // What comes after a strict cast is asked of the rows that passed it: no block may be left out for it.
  const firstStrict = conjuncts.findIndex(mayFail)
  return {
    kind: 'scan',
    origin: scan.origin,
    indexes: scan.indexes,
    lookup: scan.lookup,
    time: scan.time,
    fields: scan.fields,
    order: newestFirst ? 'newest-first' : 'natural',
    nothing: scan.nothing,
    keyFilters: firstStrict >= 0 ? [] : keyFilters(keys).filter(({ field }) => whyNotStored(field) === null),
    conjuncts: conjuncts.map((expr, index) => {
      const isHeld = firstStrict >= 0 && index >= firstStrict
      const held = (reason: string) => ({ expr, ...notPushed(reason), searches: null })
      if (!cx.pushdown) return held('storage is told nothing: it was asked for without pushdown')
      if (isHeld) return held('a strict cast must see every row that the query says')
      return { expr, ...splitPredicate(expr, whyNotStored), searches: searchesOf(expr, whyNotStored) }
    }),
  }
}

function notPushed(reason: string): Split {
  return { pushed: null, isExact: false, reason }
}

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
  const made = new MadeColumns()
  const keys = op.keys.map(key => made.key(key))
  const aggregates = op.aggregates.map(call => made.call(call))
  const isFromStatistics = op.fromStatistics === true && cx.pushdown && input.kind === 'scan'
  const facts = isFromStatistics ? factsOf(op, storedIn(cx.catalog, input)) : null
  return { kind: 'aggregate', origin: op.origin, keys, aggregates, facts, input: made.below(input, op.origin) }
}

function eventstatsOf(op: EventstatsOp, input: PhysicalOp): PhysicalEventstats {
  const made = new MadeColumns()
  const keys = op.keys.map(key => made.key(key))
  const aggregates = op.aggregates.map(call => made.call(call))
  const { names: temporary } = made
  return { kind: 'eventstats', origin: op.origin, keys, aggregates, temporary, input: made.below(input, op.origin) }
}

function streamstatsOf(op: StreamstatsOp, input: PhysicalOp): PhysicalStreamstats {
  const made = new MadeColumns()
  const keys = op.keys.map(key => made.key(key))
  const columns = op.columns.map(
    (column): StreamColumn =>
      column.kind === 'offset'
        ? { ...column, value: made.column(column.value, 'value') }
        : { ...column, call: made.call(column.call) },
  )
  const { names: temporary } = made
  return { kind: 'streamstats', origin: op.origin, keys, columns, temporary, input: made.below(input, op.origin) }
}

/** Should what feeds the op read its newest blocks first? */
function readsNewestFirst(op: LogicalOp, above: boolean): boolean {
  if (op.kind === 'topk') {
    const [first] = op.keys
    return first?.descending === true && first.value.kind === 'field' && first.value.name === '_time'
  }
  if (op.kind === 'union') return above
  const { source, order, readsOrder } = traitsOf(op)
  // parse never replaces what is there, and the time of an event always is.
  const isSame = op.kind === 'parse' || source(op, '_time') === '_time'
  return above && op.kind !== 'join' && order(op) === 'kept' && !readsOrder(op) && isSame
}
