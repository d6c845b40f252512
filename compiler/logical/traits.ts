/**
 * What rules may ask of an op without knowing which op it is. One entry a kind, complete by type: a new op is a compile error here, and
 * never a branch in which a rule guesses. Every answer errs towards leaving the plan alone.
 */
import type { AggregateFunction } from '../functions/descriptor.ts'
import type { Expr } from './expr.ts'
import { isKept, overlaps, readsAny, touches } from './field-names.ts'
import { filterSides, isFromRight } from './join-fields.ts'
import type { AggregateCall, EventstatsOp, LogicalKind, LogicalOp, StreamColumn, StreamstatsOp } from './ops.ts'
import { isPure, mayFail, observesAbsence } from './pure.ts'
import { exprsBeside, fieldsOf, inputsOf, namesBeside, substitute } from './walk.ts'

export interface OpTraits<O extends LogicalOp> {
  /** Every expression in the op. */
  expressions(op: O): readonly Expr[]
  /** The op with other expressions, as many and in the order of `expressions`. */
  withExpressions(op: O, exprs: readonly Expr[]): O
  /** Rows that come out: each that came in, some of them, or rows of its own. */
  rows(op: O): 'same' | 'fewer' | 'own'
  /** Their order: as they came in, as they came in but with other rows among them, set here, or one of its own that is no promise. */
  order(op: O): 'kept' | 'mixed' | 'set' | 'own'
  /** Do its rows depend on the order of its input, beyond being passed on in it? */
  readsOrder(op: O): boolean
  /** Does a row that comes out depend on rows that come after it? Then a limit stays above. Left out: it does not. */
  readsAhead?(op: O): boolean
  /** The field below whose values are read, row by row, under this name above; null: made or hidden here, or nobody can tell. */
  source(op: O, field: string): string | null
  /** Do fields of its input come out of it, beside those it makes? */
  passesFields(op: O): boolean
  /** A condition above the op as it reads below it, where it drops exactly the rows it would have dropped; null: it must stay above. */
  filterBelow(op: O, conjunct: Expr): Expr | null
  /** The same for an op with several inputs: as each of them is asked, null where it is not; null: it must stay above. */
  filterInputs?(op: O, conjunct: Expr): readonly (Expr | null)[] | null
}

type TraitsByKind = { readonly [K in LogicalKind]: OpTraits<Extract<LogicalOp, { readonly kind: K }>> }

const NO_EXPRESSIONS = {
  expressions: () => [],
  withExpressions: <O>(op: O): O => op,
} as const

/** Which rows come out is decided by their number or their neighbours: a row dropped below would let another take its place. */
const STAYS_ABOVE = (): null => null
const SAME_FIELD = (_: unknown, field: string): string => field

function passesUnless(conjunct: Expr, isChanged: (field: string) => boolean): Expr | null {
  for (const field of fieldsOf(conjunct)) if (isChanged(field)) return null
  return conjunct
}

const TRAITS: TraitsByKind = {
  scan: {
    ...NO_EXPRESSIONS,
    rows: () => 'own',
    order: () => 'own',
    readsOrder: () => false,
    source: () => null,
    passesFields: () => false,
    filterBelow: STAYS_ABOVE,
  },

  filter: {
    expressions: op => op.conjuncts,
    withExpressions: (op, conjuncts) => ({ ...op, conjuncts }),
    rows: () => 'fewer',
    order: () => 'kept',
    readsOrder: () => false,
    source: SAME_FIELD,
    passesFields: () => true,
    filterBelow: (_, conjunct) => conjunct,
  },

  extend: {
    expressions: op => op.assignments.map(a => a.value),
    withExpressions: (op, exprs) => ({
      ...op,
      assignments: op.assignments.map((a, index) => ({ ...a, value: exprs[index]! })),
    }),
    rows: () => 'same',
    order: () => 'kept',
    readsOrder: () => false,
    source: (op, field) => (op.assignments.some(a => overlaps(a.name, field)) ? null : field),
    passesFields: () => true,
    filterBelow: (op, conjunct) =>
      passesUnless(conjunct, field =>
        readsAny(
          field,
          op.assignments.map(a => a.name),
        ),
      ),
  },

  keep: {
    ...NO_EXPRESSIONS,
    rows: () => 'same',
    order: () => 'kept',
    readsOrder: () => false,
    source: (op, field) => (isKept(field, op.fields, op.except) ? field : null),
    passesFields: () => true,
    filterBelow: (op, conjunct) => passesUnless(conjunct, field => !isKept(field, op.fields, op.except)),
  },

  drop: {
    ...NO_EXPRESSIONS,
    rows: () => 'same',
    order: () => 'kept',
    readsOrder: () => false,
    source: (op, field) => (op.fields.some(pattern => touches(pattern, field)) ? null : field),
    passesFields: () => true,
    filterBelow: (op, conjunct) => passesUnless(conjunct, field => op.fields.some(pattern => touches(pattern, field))),
  },

  rename: {
    ...NO_EXPRESSIONS,
    rows: () => 'same',
    order: () => 'kept',
    readsOrder: () => false,
    source: (op, field) => {
      const pair = op.pairs.find(({ to }) => to === field)
      if (pair !== undefined) return pair.from
      return op.pairs.some(({ from, to }) => overlaps(from, field) || overlaps(to, field)) ? null : field
    },
    passesFields: () => true,
    filterBelow: (op, conjunct) => {
      const below = new Map([...fieldsOf(conjunct)].map(field => [field, TRAITS.rename.source(op, field)]))
      if ([...below.values()].includes(null)) return null
      return substitute(conjunct, field => {
        const from = below.get(field)
        if (from == null || from === field) return undefined
        return { kind: 'field', type: 'any', origin: conjunct.origin, name: from }
      })
    },
  },

  parse: {
    ...NO_EXPRESSIONS,
    rows: op => (op.onError === 'drop' ? 'fewer' : 'same'),
    order: () => 'kept',
    readsOrder: () => false,
    source: (op, field) => {
      if (op.outputs === null) return null
      const made = [...op.outputs.map(output => op.prefix + output.name), '_error', '_error_detail']
      return readsAny(field, made) ? null : field
    },
    passesFields: () => true,
    filterBelow: (op, conjunct) => passesUnless(conjunct, field => TRAITS.parse.source(op, field) === null),
  },

  head: {
    ...NO_EXPRESSIONS,
    rows: () => 'fewer',
    order: () => 'kept',
    readsOrder: () => true,
    source: SAME_FIELD,
    passesFields: () => true,
    filterBelow: STAYS_ABOVE,
  },

  tail: {
    ...NO_EXPRESSIONS,
    rows: () => 'fewer',
    order: () => 'kept',
    readsOrder: () => true,
    source: SAME_FIELD,
    passesFields: () => true,
    filterBelow: STAYS_ABOVE,
  },

  sort: {
    expressions: op => op.keys.map(key => key.value),
    withExpressions: (op, exprs) => ({ ...op, keys: op.keys.map((key, index) => ({ ...key, value: exprs[index]! })) }),
    rows: () => 'same',
    order: () => 'set',
    // It is stable: equal rows keep the order they came in.
    readsOrder: () => true,
    source: SAME_FIELD,
    passesFields: () => true,
    filterBelow: (_, conjunct) => conjunct,
  },

  topk: {
    expressions: op => op.keys.map(key => key.value),
    withExpressions: (op, exprs) => ({ ...op, keys: op.keys.map((key, index) => ({ ...key, value: exprs[index]! })) }),
    rows: () => 'fewer',
    order: () => 'set',
    readsOrder: () => true,
    source: SAME_FIELD,
    passesFields: () => true,
    filterBelow: STAYS_ABOVE,
  },

  dedup: {
    ...NO_EXPRESSIONS,
    rows: () => 'fewer',
    order: () => 'kept',
    readsOrder: () => true,
    source: SAME_FIELD,
    passesFields: () => true,
    // A condition on the keys alone takes all rows of a key or none.
    filterBelow: (op, conjunct) =>
      observesAbsence(conjunct) ? null : passesUnless(conjunct, field => !op.fields.includes(field)),
  },

  aggregate: {
    expressions: op => [
      ...op.keys.map(key => key.value),
      ...op.aggregates.flatMap(call => (call.where === null ? call.args : [...call.args, call.where])),
    ],
    withExpressions: (op, exprs) => {
      const take = taker(exprs)
      const keys = op.keys.map(key => ({ ...key, value: take() }))
      return { ...op, keys, aggregates: op.aggregates.map(call => withExprs(call, take)) }
    },
    rows: () => 'own',
    order: () => 'own',
    readsOrder: op => !op.aggregates.every(call => ignoresOrder(call.function)),
    source: () => null,
    passesFields: () => false,
    // A condition on the keys alone takes all rows of a group or none. Without keys there is a row even of nothing.
    filterBelow: (op, conjunct) => {
      const valueByName = new Map(op.keys.map(key => [key.name, key.value]))
      if (op.keys.length === 0 || observesAbsence(conjunct)) return null
      for (const field of fieldsOf(conjunct)) {
        const value = valueByName.get(field)
        if (value === undefined || !isPure(value)) return null
      }
      return substitute(conjunct, field => valueByName.get(field))
    },
  },

  eventstats: {
    expressions: exprsBeside,
    withExpressions: (op, exprs) => {
      const take = taker(exprs)
      const keys = op.keys.map(key => ({ ...key, value: take() }))
      return { ...op, keys, aggregates: op.aggregates.map(call => withExprs(call, take)) }
    },
    rows: () => 'same',
    order: () => 'kept',
    readsOrder: op => !op.aggregates.every(call => ignoresOrder(call.function)),
    readsAhead: () => true,
    source: (op, field) => (readsAny(field, namesBeside(op)) ? null : field),
    passesFields: () => true,
    filterBelow: takesGroups,
  },

  streamstats: {
    expressions: exprsBeside,
    withExpressions: (op, exprs) => {
      const take = taker(exprs)
      const keys = op.keys.map(key => ({ ...key, value: take() }))
      const columns = op.columns.map(
        (column): StreamColumn =>
          column.kind === 'offset' ? { ...column, value: take() } : { ...column, call: withExprs(column.call, take) },
      )
      return { ...op, keys, columns }
    },
    rows: () => 'same',
    order: () => 'kept',
    readsOrder: () => true,
    readsAhead: op => op.columns.some(column => column.kind === 'offset' && column.distance > 0),
    source: (op, field) => (readsAny(field, namesBeside(op)) ? null : field),
    passesFields: () => true,
    filterBelow: takesGroups,
  },

  describe: {
    ...NO_EXPRESSIONS,
    rows: () => 'own',
    order: () => 'own',
    readsOrder: () => false,
    source: () => null,
    passesFields: () => false,
    filterBelow: STAYS_ABOVE,
  },

  /** Rows of one input after those of another: what is true of a field in one says nothing of it in the next. */
  union: {
    ...NO_EXPRESSIONS,
    rows: () => 'own',
    order: () => 'mixed',
    readsOrder: () => false,
    source: () => null,
    passesFields: () => true,
    filterBelow: STAYS_ABOVE,
    filterInputs: (op, conjunct) => inputsOf(op).map(() => conjunct),
  },

  join: {
    ...NO_EXPRESSIONS,
    rows: op => (op.type === 'semi' || op.type === 'anti' ? 'fewer' : 'own'),
    // A row of the left side may be several, one after the other.
    order: op => (op.type === 'outer' ? 'mixed' : 'kept'),
    readsOrder: () => false,
    source: (op, field) => (op.type === 'outer' || isFromRight(op, field) ? null : field),
    passesFields: () => true,
    filterBelow: STAYS_ABOVE,
    filterInputs: (op, conjunct) => filterSides(op, conjunct),
  },

  /** An algorithm of its own: what it does to rows only it knows. */
  table: {
    expressions: op => op.inputs.map(input => input.value),
    withExpressions: (op, exprs) => ({
      ...op,
      inputs: op.inputs.map((input, index) => ({ ...input, value: exprs[index]! })),
    }),
    rows: () => 'own',
    order: op => (op.isRowByRow === true ? 'kept' : 'own'),
    readsOrder: op => op.isRowByRow !== true,
    source: (op, field) => (op.isRowByRow === true && op.makes !== null && !readsAny(field, op.makes) ? field : null),
    passesFields: op => op.passes,
    filterBelow: (op, conjunct) =>
      op.isRowByRow === true ? passesUnless(conjunct, field => TRAITS.table.source(op, field) === null) : null,
  },
}

function taker(exprs: readonly Expr[]): () => Expr {
  let at = 0
  return () => exprs[at++]!
}

function withExprs(call: AggregateCall, take: () => Expr): AggregateCall {
  const args = call.args.map(take)
  return { ...call, args, where: call.where === null ? null : take() }
}

/** A condition on the keys alone takes all rows of a group or none. A key that a column made here replaces is another field above. */
function takesGroups(op: EventstatsOp | StreamstatsOp, conjunct: Expr): Expr | null {
  if (observesAbsence(conjunct) || !isPure(conjunct)) return null
  const keys = new Set(op.keys.map(({ value }) => (value.kind === 'field' ? value.name : null)))
  const made = namesBeside(op)
  return passesUnless(conjunct, field => !keys.has(field) || readsAny(field, made))
}

function ignoresOrder(fn: AggregateFunction): boolean {
  return fn.ignoresOrder === true
}

export function traitsOf(op: LogicalOp): OpTraits<LogicalOp> {
  return TRAITS[op.kind] as OpTraits<LogicalOp>
}

/** The op with every expression changed; the same object when none was. */
export function mapExpressions(op: LogicalOp, change: (expr: Expr) => Expr): LogicalOp {
  const traits = traitsOf(op)
  const exprs = traits.expressions(op)
  const mapped = exprs.map(change)
  return mapped.every((expr, index) => expr === exprs[index]) ? op : traits.withExpressions(op, mapped)
}

/** A stage that fails the query on some rows must see the rows it would have seen. */
export function mayFailOnRows(op: LogicalOp): boolean {
  return (op.kind === 'parse' && op.onError === 'strict') || traitsOf(op).expressions(op).some(mayFail)
}
