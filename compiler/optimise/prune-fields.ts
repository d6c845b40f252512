/** Only fields somebody reads are read: from the demand of the last op down to the scan. */
import { globMatches, parseGlob } from '../../runtime/helpers/glob.ts'
import type { Expr } from '../logical/expr.ts'
import { readsAny, touches } from '../logical/field-names.ts'
import { demandOfSides } from '../logical/join-fields.ts'
import type { AggregateCall, EventstatsOp, LogicalOp, ParseOp, StreamstatsOp, TableOp } from '../logical/ops.ts'
import {
  columnName,
  exprsBeside,
  exprsOfCall,
  exprsOfColumn,
  fieldsOf,
  inputsOf,
  namesBeside,
  someExpr,
  withInputs,
} from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

/** Fields wanted from below; null: all of them. */
type Demand = ReadonlySet<string> | null

export const pruneFields: Rule = {
  name: 'prune-fields',
  summary: 'the scan reads, and extend and parse make, only the fields something above uses; a drop of others goes',
  apply(plan) {
    const pruned = prune(plan, null)
    return pruned === plan ? null : pruned
  },
}

function prune(op: LogicalOp, demand: Demand): LogicalOp {
  switch (op.kind) {
    case 'scan': {
      if (demand === null) return op
      // A table is named with its columns; what else is asked of it is missing.
      const { fields } = op
      const isThere = (field: string): boolean => fields === null || readsAny(field, fields)
      return { ...op, fields: [...demand].filter(isThere).sort() }
    }
    case 'filter':
      return under(op, plus(demand, fieldsOf(...op.conjuncts)))
    case 'extend': {
      const wanted = [...op.assignments]
      const below: Set<string> | null = demand === null ? null : new Set(demand)
      const kept: typeof wanted = []
      // Last to first: an assignment is needed when something after it reads it.
      for (const assignment of wanted.reverse()) {
        const isNeeded = below === null || readsName(below, assignment.name) || isStrict(assignment.value)
        if (!isNeeded) continue
        kept.unshift(assignment)
        if (below === null) continue
        below.delete(assignment.name)
        for (const field of fieldsOf(assignment.value)) below.add(field)
      }
      if (kept.length === 0) return prune(op.input, below)
      const input = prune(op.input, below)
      if (input === op.input && kept.length === op.assignments.length) return op
      return { ...op, assignments: kept, input }
    }
    case 'keep': {
      if (op.fields.some(field => field.includes('*'))) return under(op, null)
      const isExcept = (field: string): boolean =>
        op.except.some(pattern => (pattern.includes('*') ? globMatches(parseGlob(pattern), field) : pattern === field))
      return under(op, new Set(op.fields.filter(field => !isExcept(field))))
    }
    case 'drop':
      // What nobody asks for is not seen, dropped or not.
      if (demand !== null && ![...demand].some(field => op.fields.some(pattern => touches(pattern, field)))) {
        return prune(op.input, demand)
      }
      return under(op, demand)
    case 'rename': {
      if (demand === null) return under(op, null)
      const fromByTo = new Map(op.pairs.map(pair => [pair.to, pair.from]))
      const below = new Set([...demand].map(field => fromByTo.get(field) ?? field))
      for (const { from } of op.pairs) below.add(from)
      return under(op, below)
    }
    case 'parse':
      return pruneParse(op, demand)
    case 'head':
    case 'tail':
      return under(op, demand)
    case 'sort':
    case 'topk':
      return under(op, plus(demand, fieldsOf(...op.keys.map(key => key.value))))
    case 'dedup':
      return under(op, plus(demand, new Set(op.fields)))
    case 'aggregate':
      return under(op, new Set([...fieldsOf(...op.keys.map(key => key.value)), ...fieldsOfCalls(op.aggregates)]))
    case 'eventstats':
      return pruneBeside(
        op,
        { ...op, aggregates: op.aggregates.filter(c => isNeeded(demand, c.name, exprsOfCall(c))) },
        demand,
      )
    case 'streamstats':
      return pruneBeside(
        op,
        { ...op, columns: op.columns.filter(c => isNeeded(demand, columnName(c), exprsOfColumn(c))) },
        demand,
      )
    case 'describe':
      return under(op, null)
    case 'table':
      return under(op, demandOfTable(op, demand))
    case 'join': {
      const { left, right } = demandOfSides(op, demand)
      return withInputs(op, [prune(op.input, left), prune(op.right, right)])
    }
    case 'union':
      return withInputs(
        op,
        inputsOf(op).map(input => prune(input, demand)),
      )
  }
}

function fieldsOfCalls(calls: readonly AggregateCall[]): ReadonlySet<string> {
  const fields = new Set(fieldsOf(...calls.flatMap(exprsOfCall)))
  if (calls.some(call => call.function.readsTime === true)) fields.add('_time')
  return fields
}

/** Columns nobody reads are not made; without any the op is for nothing. */
function pruneBeside<T extends EventstatsOp | StreamstatsOp>(op: T, pruned: T, demand: Demand): LogicalOp {
  const names = namesBeside(pruned)
  if (names.length === 0 && !pruned.keys.some(key => isStrict(key.value))) return prune(pruned.input, demand)
  const isWhole = names.length === namesBeside(op).length
  const below: Set<string> | null = demand === null ? null : new Set(demand)
  for (const name of names) below?.delete(name)
  const calls =
    pruned.kind === 'eventstats'
      ? pruned.aggregates
      : pruned.columns.flatMap(column => (column.kind === 'aggregate' ? [column.call] : []))
  const reads = [...fieldsOf(...exprsBeside(pruned)), ...fieldsOfCalls(calls)]
  return under<EventstatsOp | StreamstatsOp>(isWhole ? op : pruned, plus(below, new Set(reads)))
}

/** Is a column read above, or would leaving it out keep the query from failing? */
function isNeeded(demand: Demand, name: string, exprs: readonly Expr[]): boolean {
  return demand === null || readsName(demand, name) || exprs.some(isStrict)
}

function demandOfTable(op: TableOp, demand: Demand): Demand {
  if (op.reads === null || (op.passes && demand === null)) return null
  const below = new Set(op.passes ? demand : [])
  for (const name of op.makes ?? []) below.delete(name)
  for (const name of op.reads) below.add(name)
  return plus(below, fieldsOf(...op.inputs.map(input => input.value)))
}

function pruneParse(op: ParseOp, demand: Demand): LogicalOp {
  if (demand === null) return under(op, null)
  const below = new Set(demand)
  below.add(op.from)
  // A field of the event wins over one of the text, so both are read.
  const demanded = [...demand]
  const outputs = op.outputs?.map(output => op.prefix + output.name) ?? null
  const wanted = outputs === null ? demanded : outputs.filter(name => readsName(demand, name))
  const isMade = outputs?.some(name => readsName(demand, name)) ?? true
  const readsErrors = demand.has('_error') || demand.has('_error_detail')
  if (!isMade && !readsErrors && (op.onError === 'propagate' || op.onError === 'null')) return prune(op.input, demand)
  const input = prune(op.input, below)
  return { ...op, input, demanded: readsErrors ? [...new Set([...wanted, '_error', '_error_detail'])] : wanted }
}

function under<T extends Exclude<LogicalOp, { kind: 'scan' }>>(op: T, demand: Demand): T {
  const input = prune(op.input, demand)
  return input === op.input ? op : { ...op, input }
}

function plus(demand: Demand, fields: ReadonlySet<string>): Demand {
  return demand === null ? null : new Set([...demand, ...fields])
}

/** Is the field read: by name, as a member of an object that is, or as the object of a member that is? */
function readsName(demand: ReadonlySet<string>, name: string): boolean {
  if (demand.has(name)) return true
  for (const field of demand) if (name.startsWith(`${field}.`) || field.startsWith(`${name}.`)) return true
  return false
}

function isStrict(expr: Expr): boolean {
  return someExpr(expr, node => node.kind === 'call' && node.strict === true)
}
