/** Conditions move towards the scan, one conjunct at a time, where they skip blocks and spare the work of the stages they pass. */
import { globMatches, parseGlob } from '../../runtime/helpers/glob.ts'
import type { Expr } from '../logical/expr.ts'
import type { FilterOp, LogicalOp } from '../logical/ops.ts'
import { fieldsOf, mapPlan, someExpr, substitute } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'

export const pushFilter: Rule = {
  name: 'push-filter',
  summary:
    'conditions move down through extend, rename, keep, drop, parse and sort when what they read is there already',
  apply(plan) {
    const pushed = mapPlan(plan, op => (op.kind === 'filter' ? pushDown(op) : op))
    return pushed === plan ? null : pushed
  },
}

function pushDown(filter: FilterOp): LogicalOp {
  const { input } = filter
  // Neighbours become one, so that the scan sees every condition.
  if (input.kind === 'filter') {
    const merged = { ...input, conjuncts: [...input.conjuncts, ...filter.conjuncts] }
    return pushDown(merged)
  }
  if (input.kind === 'scan' || isStrict(input)) return filter
  const below: Expr[] = []
  const above: Expr[] = []
  for (const conjunct of filter.conjuncts) {
    const moved = hasStrictCast(conjunct) ? null : through(conjunct, input)
    if (moved === null) above.push(conjunct)
    else below.push(moved)
  }
  if (below.length === 0) return filter
  const lower = pushDown({ ...filter, input: (input as Exclude<LogicalOp, { kind: 'scan' }>).input, conjuncts: below })
  const rest = { ...input, input: lower } as LogicalOp
  return above.length === 0 ? rest : { ...filter, input: rest, conjuncts: above }
}

/** The condition as it reads below the op; null when it must stay above. */
function through(conjunct: Expr, op: Exclude<LogicalOp, { kind: 'scan' }>): Expr | null {
  const fields = [...fieldsOf(conjunct)]
  switch (op.kind) {
    case 'extend': {
      const made = new Set(op.assignments.map(a => a.name))
      return fields.some(field => reads(field, made)) ? null : conjunct
    }
    case 'rename': {
      const fromByTo = new Map(op.pairs.map(pair => [pair.to, pair.from]))
      const gone = new Set(op.pairs.map(pair => pair.from))
      if (fields.some(field => !fromByTo.has(field) && reads(field, gone))) return null
      if (fields.some(field => !fromByTo.has(field) && reads(field, new Set(fromByTo.keys())))) return null
      return substitute(conjunct, field => {
        const from = fromByTo.get(field)
        return from === undefined ? undefined : { kind: 'field', type: 'any', origin: conjunct.origin, name: from }
      })
    }
    case 'keep':
      return fields.every(field => isKept(field, op.fields, op.except)) ? conjunct : null
    case 'drop':
      return fields.some(field => op.fields.some(pattern => touches(pattern, field))) ? null : conjunct
    case 'parse': {
      if (op.onError === 'strict' || op.outputs === null) return null
      const made = new Set(op.outputs.map(output => op.prefix + output.name))
      made.add('_error').add('_error_detail')
      return fields.some(field => reads(field, made)) ? null : conjunct
    }
    case 'sort':
      return conjunct
    default:
      return null
  }
}

/** Would reading `field` see any of the names: itself, or a member the object `field` is assembled from? */
function reads(field: string, names: ReadonlySet<string>): boolean {
  if (names.has(field)) return true
  for (const name of names) if (name.startsWith(`${field}.`) || field.startsWith(`${name}.`)) return true
  return false
}

function touches(pattern: string, field: string): boolean {
  if (pattern.includes('*')) return globMatches(parseGlob(pattern), field)
  return pattern === field || field.startsWith(`${pattern}.`) || pattern.startsWith(`${field}.`)
}

function isKept(field: string, patterns: readonly string[], except: readonly string[]): boolean {
  const isMatch = patterns.some(pattern =>
    pattern.includes('*') ? globMatches(parseGlob(pattern), field) : pattern === field,
  )
  return isMatch && !except.some(pattern => touches(pattern, field))
}

function hasStrictCast(expr: Expr): boolean {
  return someExpr(expr, node => node.kind === 'call' && node.strict === true)
}

/** A stage that fails the query on some rows must see the rows it would have seen. */
function isStrict(op: LogicalOp): boolean {
  if (op.kind === 'extend') return op.assignments.some(a => hasStrictCast(a.value))
  return op.kind === 'sort' && op.keys.some(key => hasStrictCast(key.value))
}
