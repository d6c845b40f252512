/** Typed expressions and plans as text: explain, golden files, canonical column names. Stable: tests compare it. */
import { formatDuration, quoteField } from '../../grammar/index.ts'
import { formatDateTime } from '../../runtime/helpers/format-value.ts'
import type { FormatSpec } from '../../runtime/program.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import type { Expr } from './expr.ts'
import type {
  AggregateCall,
  DedupOp,
  DescribeOp,
  DropOp,
  ExtendOp,
  FilterOp,
  GroupKey,
  HeadOp,
  JoinOp,
  KeepOp,
  LogicalOp,
  RenameOp,
  SortKey,
  TableOp,
  TailOp,
  UnionOp,
} from './ops.ts'
import { inputsOf } from './walk.ts'

// Binding strength, loosest first; only decides where parentheses are needed.
const LAMBDA = 0
const OR = 1
const AND = 2
const NOT = 3
const COMPARE = 4
const COALESCE = 5
const INFIX: Readonly<Record<string, number>> = {
  '==': COMPARE,
  '!=': COMPARE,
  '<': COMPARE,
  '<=': COMPARE,
  '>': COMPARE,
  '>=': COMPARE,
  in: COMPARE,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
}
const PREFIX = 8
const ATOM = 9

export function printExpr(expr: Expr): string {
  return write(expr, 0)
}

function write(expr: Expr, outer: number): string {
  const [text, strength] = pieces(expr)
  return strength < outer ? `(${text})` : text
}

function pieces(expr: Expr): readonly [text: string, strength: number] {
  switch (expr.kind) {
    case 'literal':
      return [printValue(expr.value), ATOM]
    case 'field':
      return [quoteField(expr.name), ATOM]
    case 'parameter':
      return [quoteField(expr.name), ATOM]
    case 'lambda':
      return [`${quoteField(expr.parameter)} -> ${printExpr(expr.body)}`, LAMBDA]
    case 'or':
      return [expr.operands.map(o => write(o, OR + 1)).join(' or '), OR]
    case 'and':
      return [expr.operands.map(o => write(o, AND + 1)).join(' and '), AND]
    case 'not':
      return [`not ${write(expr.operand, NOT)}`, NOT]
    case 'coalesce':
      // Of one operand it is not that operand: what is missing is null. Expressions are told apart by their text.
      if (expr.operands.length === 1) return [`${write(expr.operands[0]!, COALESCE + 1)} ?? null`, COALESCE]
      return [expr.operands.map(o => write(o, COALESCE + 1)).join(' ?? '), COALESCE]
    case 'in-set':
      return [`${write(expr.operand, COMPARE + 1)} in [${expr.values.map(printValue).join(', ')}]`, COMPARE]
    case 'case': {
      const branches = expr.branches.flatMap(b => [printExpr(b.when), printExpr(b.then)])
      const name = expr.branches.length === 1 ? 'if' : 'case'
      return [`${name}(${[...branches, printExpr(expr.otherwise)].join(', ')})`, ATOM]
    }
    case 'call': {
      const { function: fn, args } = expr
      const strength = INFIX[fn.name]
      if (fn.notation === 'infix' && strength !== undefined && args.length === 2) {
        return [`${write(args[0]!, strength)} ${fn.name} ${write(args[1]!, strength + 1)}`, strength]
      }
      if (fn.notation === 'prefix') return [`-${write(args[0]!, PREFIX)}`, PREFIX]
      return [`${fn.name}${expr.strict === true ? '!' : ''}(${args.map(printExpr).join(', ')})`, ATOM]
    }
  }
}

export function printValue(value: Value): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof DateTime) return formatDateTime(value)
  if (value instanceof Duration) return formatDuration(value.ns)
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  return `{${Object.entries(value)
    .map(([key, member]) => `${quoteField(key)}: ${printValue(member as Value)}`)
    .join(', ')}}`
}

export function printTime({ fromMicros, toMicros }: TimeRange): string | null {
  if (fromMicros === null && toMicros === null) return null
  const side = (micros: number | null): string => (micros === null ? '' : formatDateTime(new DateTime(micros)))
  return `[${side(fromMicros)}..${side(toMicros)}]`
}

export function printAggregate(call: AggregateCall): string {
  const args = [...call.args.map(printExpr), ...(call.where === null ? [] : [`where ${printExpr(call.where)}`])]
  const canonical = `${call.function.name}(${args.join(', ')})`
  return call.name === canonical || call.function.family !== undefined
    ? call.name
    : `${canonical} as ${quoteField(call.name)}`
}

function printKeys(keys: readonly GroupKey[]): string {
  return keys.length === 0 ? '' : ` by ${keys.map(key => printExpr(key.value)).join(', ')}`
}

export function printSortKeys(keys: readonly SortKey[]): string {
  return keys.map(key => (key.descending ? `-${write(key.value, PREFIX)}` : printExpr(key.value))).join(', ')
}

/** Ops that run as they are written: plan and program show the same line. */
type WrittenOp =
  | Pick<FilterOp, 'kind' | 'conjuncts'>
  | Pick<ExtendOp, 'kind' | 'assignments'>
  | Pick<KeepOp, 'kind' | 'fields' | 'except'>
  | Pick<DropOp, 'kind' | 'fields'>
  | Pick<RenameOp, 'kind' | 'pairs'>
  | Pick<HeadOp | TailOp, 'kind' | 'count'>
  | Pick<DedupOp, 'kind' | 'count' | 'fields'>
  | Pick<TableOp, 'kind' | 'text'>
  | Pick<JoinOp, 'kind' | 'type' | 'keys' | 'prefix'>
  | Pick<UnionOp | DescribeOp, 'kind'>

export function printWritten(op: WrittenOp): string {
  switch (op.kind) {
    case 'filter':
      return `where ${op.conjuncts.map(c => write(c, op.conjuncts.length === 1 ? OR : AND + 1)).join(' and ')}`
    case 'extend':
      return `extend ${op.assignments.map(a => `${quoteField(a.name)} = ${printExpr(a.value)}`).join(', ')}`
    case 'keep':
      return `keep ${op.fields.join(', ')}${op.except.length > 0 ? ` except ${op.except.join(', ')}` : ''}`
    case 'drop':
      return `drop ${op.fields.join(', ')}`
    case 'rename':
      return `rename ${op.pairs.map(p => `${quoteField(p.from)} as ${quoteField(p.to)}`).join(', ')}`
    case 'head':
    case 'tail':
      return `${op.kind} ${op.count}`
    case 'dedup':
      return `dedup ${op.count === 1 ? '' : `${op.count} `}${op.fields.map(quoteField).join(', ')}`
    case 'table':
      return op.text
    case 'join':
      return printJoin(op)
    case 'union':
    case 'describe':
      return op.kind
  }
}

/** One line, without its inputs. */
export function printOp(op: LogicalOp): string {
  switch (op.kind) {
    case 'scan': {
      const time = printTime(op.time)
      const fields = op.fields === null ? '' : `  fields ${op.fields.map(quoteField).join(', ') || '(none)'}`
      const limit = op.limit === null ? '' : `  limit ${op.limit}`
      const nothing = op.nothing === null ? '' : `  reads nothing: ${op.nothing}`
      return `scan ${printSource(op)}${time === null ? '' : `  ${time}`}${fields}${limit}${nothing}`
    }
    case 'parse': {
      const outputs = op.outputs === null ? '' : ` into (${op.outputs.map(o => o.name).join(', ')})`
      return `parse ${printFormatSpec(op)} from ${quoteField(op.from)}${outputs}`
    }
    case 'sort':
      return `sort ${printSortKeys(op.keys)}`
    case 'topk':
      return `topk ${op.count} by ${printSortKeys(op.keys)}`
    case 'aggregate': {
      const by = op.keys.map(k => {
        const text = printExpr(k.value)
        return text === k.name || k.name === '_time' ? text : `${text} as ${quoteField(k.name)}`
      })
      const from = op.fromStatistics === true ? '  from statistics of blocks' : ''
      return `stats ${op.aggregates.map(printAggregate).join(', ')}${by.length > 0 ? ` by ${by.join(', ')}` : ''}${from}`
    }
    case 'eventstats':
      return `eventstats ${op.aggregates.map(printAggregate).join(', ')}${printKeys(op.keys)}`
    case 'streamstats':
      return `streamstats ${op.columns.map(column => column.label).join(', ')}${printKeys(op.keys)}`
    default:
      return printWritten(op)
  }
}

export function printSource(scan: { readonly indexes: readonly string[]; readonly lookup: string | null }): string {
  return scan.lookup === null ? scan.indexes.join(', ') || '(no index)' : `lookup ${quoteField(scan.lookup)}`
}

function printJoin({ type, keys, prefix }: Pick<JoinOp, 'type' | 'keys' | 'prefix'>): string {
  const on = keys.map(({ left, right }) =>
    left === right ? quoteField(left) : `${quoteField(left)} == ${quoteField(right)}`,
  )
  return `join ${type}${on.length === 0 ? '' : ` on ${on.join(', ')}`}${prefix === '' ? '' : ` as ${quoteField(prefix.slice(0, -1))}`}`
}

/** The plan, last op first, inputs indented below it. */
export function printPlan(plan: LogicalOp): string {
  const lines: string[] = []
  const visit = (op: LogicalOp, depth: number): void => {
    lines.push('  '.repeat(depth) + printOp(op))
    for (const input of inputsOf(op)) visit(input, depth + 1)
  }
  visit(plan, 0)
  return lines.join('\n')
}

/** `json`, `regex "…"`, `csv(sep=";")`, `first_of(json, logfmt)`. */
export function printFormatSpec({ format, pattern, options, alternatives }: FormatSpec): string {
  const inside = [
    ...alternatives.map(printFormatSpec),
    ...Object.entries(options).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ]
  const text = pattern === null ? '' : ` ${JSON.stringify(pattern)}`
  return format + text + (inside.length === 0 ? '' : `(${inside.join(', ')})`)
}
