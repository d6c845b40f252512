/**
 * What a stage computes in several places is computed once, into a column for a time: `extend a = len(lower(url)), b = lower(url) ?? "-"`.
 * Only where it pays: a function call, not an operator (writing and reading a column costs as much as an addition), and one that would have
 * been computed anyway, not only in a branch that may never be taken.
 */
import type { Expr } from '../logical/expr.ts'
import { readsAny } from '../logical/field-names.ts'
import type { DropOp, ExtendOp, FilterOp, LogicalOp } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { isPure, mayFail } from '../logical/pure.ts'
import { mapExpressions, traitsOf } from '../logical/traits.ts'
import { childrenOf, fieldsOf, mapExpr, mapPlan, readsOuterLambda, someExpr } from '../logical/walk.ts'
import type { PassContext, Rule } from '../pass.ts'
import { splitPredicate } from '../physical/split-predicate.ts'
import { seriesWidthNs } from '../stages/stats.ts'

export const shareExpressions: Rule = {
  name: 'share-expressions',
  summary: 'a function call that a stage repeats is computed once, into a temporary column',
  apply(plan, cx) {
    let count = 0
    const shared = mapPlan(plan, op => {
      const result = share(op, count, cx)
      if (result === null) return op
      count += result.count
      return result.op
    })
    return count === 0 ? null : shared
  },
}

/** Names of temporaries no event is likely to use for a field of its own. */
const nameOf = (index: number): string => `$shared${index}`
/** A query that repeats more than this was written by a machine, and is fast enough. */
const TEMPORARIES_MAX = 16

type Temporary = ExtendOp['assignments'][number]

function share(
  op: LogicalOp,
  start: number,
  cx: PassContext,
): { readonly op: LogicalOp; readonly count: number } | null {
  if (op.kind === 'scan' || traitsOf(op).expressions(op).some(mayFail)) return null
  const temporaries: Temporary[] = []
  let rewritten: Exclude<LogicalOp, { readonly kind: 'scan' }> = op
  while (temporaries.length < TEMPORARIES_MAX) {
    const repeated = repeatedIn(rewritten)
    if (repeated === null) break
    const text = printExpr(repeated)
    const name = nameOf(start + temporaries.length)
    const { type, origin } = repeated
    cx.note(`${text} is computed once, as ${name}`)
    temporaries.push({ name, value: repeated })
    rewritten = mapExpressions(rewritten, expr =>
      mapExpr(expr, node => (isSame(node, repeated, text) ? { kind: 'field', type, origin, name } : node)),
    ) as typeof rewritten
  }
  if (temporaries.length === 0) return null
  return { op: withoutTemporaries(over(op, rewritten, temporaries), temporaries), count: temporaries.length }
}

/** The temporaries stand right below what reads them; of a filter, above the conditions that do not. */
function over(
  op: Exclude<LogicalOp, { readonly kind: 'scan' }>,
  rewritten: Exclude<LogicalOp, { readonly kind: 'scan' }>,
  temporaries: readonly Temporary[],
): LogicalOp {
  const made = (input: LogicalOp): ExtendOp => ({ kind: 'extend', origin: op.origin, assignments: temporaries, input })
  if (rewritten.kind !== 'filter') return { ...rewritten, input: made(op.input) }
  const names = temporaries.map(temporary => temporary.name)
  const isReader = (expr: Expr): boolean => [...fieldsOf(expr)].some(field => names.includes(field))
  const others = rewritten.conjuncts.filter(expr => !isReader(expr))
  const input: LogicalOp =
    others.length === 0
      ? op.input
      : ({ kind: 'filter', origin: op.origin, conjuncts: others, input: op.input } satisfies FilterOp)
  return { ...rewritten, conjuncts: rewritten.conjuncts.filter(isReader), input: made(input) }
}

/** Rows that go on go on without them. */
function withoutTemporaries(op: LogicalOp, temporaries: readonly Temporary[]): LogicalOp {
  if (!traitsOf(op).passesFields(op)) return op
  const drop: DropOp = { kind: 'drop', origin: op.origin, fields: temporaries.map(t => t.name), input: op }
  return drop
}

interface Sighting {
  readonly expr: Expr
  readonly size: number
  count: number
  isCertain: boolean
}

/** The largest call that stands in several places and is computed for certain in one of them. */
function repeatedIn(op: LogicalOp): Expr | null {
  const sightings = new Map<string, Sighting>()
  const written = op.kind === 'extend' ? op.assignments.map(a => a.name) : []
  const see = (expr: Expr, isCertain: boolean): void => {
    if (isWorthSharing(expr) && !(written.length > 0 && [...fieldsOf(expr)].some(field => readsAny(field, written)))) {
      const key = printExpr(expr)
      const known = sightings.get(key)
      if (known === undefined) sightings.set(key, { expr, size: key.length, count: 1, isCertain })
      else {
        known.count++
        known.isCertain ||= isCertain
      }
    }
    for (const [index, child] of childrenOf(expr).entries()) see(child, isCertain && !isLazy(expr, index))
  }
  for (const expr of expressionsOf(op)) see(expr, true)
  let best: Sighting | null = null
  for (const sighting of sightings.values()) {
    if (sighting.count < 2 || !sighting.isCertain) continue
    if (best === null || sighting.size > best.size) best = sighting
  }
  return best?.expr ?? null
}

/** Those of a condition that storage can judge by index are better left as they are, as are bins of time, which need no column. */
function expressionsOf(op: LogicalOp): readonly Expr[] {
  const exprs = traitsOf(op).expressions(op)
  if (op.kind === 'filter') return exprs.filter(expr => splitPredicate(expr, () => null).pushed === null)
  return op.kind === 'aggregate' ? exprs.filter(expr => seriesWidthNs(expr) === null) : exprs
}

/** Is the child at this position computed only where those before it ask for it? */
function isLazy(expr: Expr, index: number): boolean {
  if (expr.kind === 'lambda') return true
  return index > 0 && (expr.kind === 'and' || expr.kind === 'or' || expr.kind === 'coalesce' || expr.kind === 'case')
}

/** A column holds null where an expression may leave a value missing: such an expression is not the same as its column. */
function isWorthSharing(expr: Expr): boolean {
  if (expr.kind !== 'call' || expr.function.mayBeMissing === true || !isPure(expr)) return false
  if (readsOuterLambda(expr)) return false
  const isCostly = someExpr(expr, node => node.kind === 'call' && node.function.category !== 'operator')
  return isCostly && fieldsOf(expr).size > 0
}

function isSame(node: Expr, wanted: Expr, text: string): boolean {
  return node.kind === wanted.kind && printExpr(node) === text
}
