/** compare: the same pipeline over the events of an earlier period, dated as if they were of this one, joined by the keys of its groups. */
import type { AstCompare } from '../../grammar/ast.ts'
import type { Span } from '../../grammar/index.ts'
import { COMPARED } from '../../grammar/stages/compare.ts'
import type { TimeRange } from '../../storage/predicate.ts'
import { DateTime, Duration, type ValueType } from '../../storage/value.ts'
import { lookupScalar } from '../functions/index.ts'
import type { Expr } from '../logical/expr.ts'
import { overlaps } from '../logical/field-names.ts'
import type { JoinOp, LogicalOp, ScanOp } from '../logical/ops.ts'
import { traitsOf } from '../logical/traits.ts'
import { fieldsOf, inputsOf, mapPlan } from '../logical/walk.ts'
import { literal } from '../resolve/expression.ts'
import { Scope } from '../resolve/scope.ts'
import { ALL_TIME, intersect } from '../resolve/time.ts'
import type { LowerContext, Lowered, Stage } from './stage.ts'
import { seriesWidthNs } from './stats.ts'

export const compare: Stage<'compare'> = {
  kind: 'compare',
  doc: {
    summary: [
      'Beside each number of a `stats` what it was in an earlier period: `compare 1d` runs the same pipeline over the same range a day before, and `compare previous` over the range right before this one, as long as it.',
      'Rows meet by the keys of the stats; a column `c` is followed by `c_previous`, `c_change` (the one less the other) and `c_change_pct` (that, in percent of what it was). What only one of the periods has is there with nulls in the place of the other, that of the earlier one last.',
      'Times of the earlier period are moved on by it, so bins of time meet theirs. Stages behind the stats that choose rows (`head`, `where`, `top`) choose among those of now, and only these are compared. The query needs a range with a beginning, `from main[-1h]`, unless it groups by time: then the times there are now are compared.',
    ].join(' '),
    examples: [
      {
        query: 'from main[2026-06-02T00:00:00Z..2026-06-03T00:00:00Z] | stats count() as n by host | compare 1d',
        input:
          '{"_timestamp":"2026-06-01T10:00:00Z","host":"a"}\n{"_timestamp":"2026-06-01T11:00:00Z","host":"a"}\n{"_timestamp":"2026-06-02T10:00:00Z","host":"a"}\n{"_timestamp":"2026-06-02T11:00:00Z","host":"b"}',
        output:
          '{"host":"a","n":1,"n_previous":2,"n_change":-1,"n_change_pct":-50}\n{"host":"b","n":1,"n_previous":null,"n_change":null,"n_change_pct":null}',
      },
    ],
  },
  class: 'blocks',
  order: 'loses',
  distribution: 'merged',
  lower(stage, cx) {
    const groups = groupsBelow(cx.input, cx.scope)
    if (groups === null) {
      const message = "compare sets the numbers of a stats beside those of another period; it stands behind 'stats'"
      cx.report({ code: 'E401', message, span: stage.span })
      return { op: cx.input, scope: cx.scope }
    }
    const backNs = backOf(stage, groups, cx)
    return backNs === null ? { op: cx.input, scope: cx.scope } : lowered(stage, groups, backNs, cx)
  },
}

interface Groups {
  /** Columns, by the names they have now. */
  readonly keys: readonly string[]
  readonly values: readonly string[]
  readonly hasTime: boolean
}

/** Null: there is no stats, or something stands behind it that makes other rows. */
function groupsBelow(plan: LogicalOp, scope: Scope): Groups | null {
  if (scope.isOpen) return null
  const names = [...scope.fields.keys()]
  /** What each is called at the op at hand; without those made further up. */
  const below = new Map(names.map(name => [name, name]))
  for (let op = plan; ; ) {
    if (op.kind === 'aggregate') {
      const { keys } = op
      const isKey = (name: string): boolean => keys.some(key => key.name === below.get(name))
      const chosen = names.filter(isKey)
      // Groups that lost a key are no longer told apart.
      if (chosen.length < keys.length) return null
      const hasTime = keys.some(key => seriesWidthNs(key.value) !== null)
      return { keys: chosen, values: names.filter(name => !isKey(name)), hasTime }
    }
    if (op.kind === 'scan' || op.kind === 'union' || op.kind === 'join' || op.kind === 'describe') return null
    if (op.kind === 'table' && (!op.passes || op.makes === null)) return null
    for (const [name, field] of below) {
      const from = sourceIn(op, field)
      if (from === null) below.delete(name)
      else below.set(name, from)
    }
    op = op.input
  }
}

function sourceIn(op: LogicalOp, field: string): string | null {
  if (op.kind === 'table') return op.makes?.includes(field) === true ? null : field
  return traitsOf(op).source(op, field)
}

/** How far back, in nanoseconds; null when it is reported as wrong. */
function backOf({ back, span }: AstCompare, { hasTime }: Groups, cx: LowerContext): number | null {
  const ranges = rangesIn(cx.input)
  const isBounded = ranges.every(range => range.fromMicros !== null)
  const [first] = ranges
  if (back === null && first !== undefined && isBounded) {
    const length = (first.toMicros ?? cx.now().micros) - first.fromMicros!
    if (length > 0) return length * 1000
  }
  if (!isBounded && !(hasTime && back !== null)) {
    const message = 'compare needs to know which period it is about: give the query a range with a beginning'
    cx.report({ code: 'E401', message, span, suggestion: 'from main[-1d]' })
    return null
  }
  const value = back === null ? null : cx.exprs.expr(back)
  const ns = value?.kind === 'literal' && value.value instanceof Duration ? value.value.ns : 0
  if (ns > 0 && ns % 1000 === 0) return ns
  const message = 'how far back is a duration of whole microseconds such as 1d'
  cx.report({ code: 'E206', message, span: back?.span ?? span })
  return null
}

/** Without a range there is no telling where the earlier period ends: then the times of now are compared, and no others. */
function haveBeginning(op: LogicalOp): boolean {
  if (op.kind === 'scan') return op.lookup !== null || op.time.fromMicros !== null
  return inputsOf(op).every(haveBeginning)
}

/** Of every scan of events: its own, and what conditions right above it say. */
function rangesIn(op: LogicalOp): readonly TimeRange[] {
  if (op.kind === 'scan') return op.lookup === null ? [op.time] : []
  const below = inputsOf(op).flatMap(rangesIn)
  if (op.kind !== 'filter') return below
  const range = op.conjuncts.map(boundOf).reduce(intersect, ALL_TIME)
  return below.map(each => intersect(each, range))
}

/** `_time >= instant`, `_time < instant`: as resolving the range of a let writes them, and people do. */
function boundOf(conjunct: Expr): TimeRange {
  if (conjunct.kind !== 'call') return ALL_TIME
  const [left, right] = conjunct.args
  if (left?.kind !== 'field' || left.name !== '_time' || right?.kind !== 'literal') return ALL_TIME
  if (!(right.value instanceof DateTime)) return ALL_TIME
  const { micros } = right.value
  const { name } = conjunct.function
  if (name === '>=' || name === '>') return { fromMicros: micros, toMicros: null }
  return name === '<' || name === '<=' ? { fromMicros: null, toMicros: micros } : ALL_TIME
}

function lowered(stage: AstCompare, { keys, values }: Groups, backNs: number, cx: LowerContext): Lowered {
  const { span } = stage
  const columns = [...cx.scope.fields.keys()]
  const made = values.flatMap(name => COMPARED.map(suffix => `${name}${suffix}`))
  const taken = columns.find(name => made.includes(name))
  if (taken !== undefined) {
    cx.report({ code: 'E106', message: `there is a column '${taken}' already; rename it before compare`, span })
    return { op: cx.input, scope: cx.scope }
  }
  const { plan, choosesRows } = withoutChoice(cx.input)
  const previous: LogicalOp = {
    kind: 'rename',
    origin: span,
    pairs: values.map(name => ({ from: name, to: `${name}${COMPARED[0]}` })),
    input: mapPlan(plan, op => (op.kind === 'scan' ? earlier(op, backNs, readsTime(plan), cx) : op)),
  }
  const op: JoinOp = {
    kind: 'join',
    origin: span,
    input: cx.input,
    right: values.length === 0 ? previous.input : previous,
    type: choosesRows || !haveBeginning(cx.input) ? 'left' : 'outer',
    keys: keys.map(name => ({ left: name, right: name })),
    prefix: '',
    matchesNull: true,
    leftFields: columns,
    rightFields: columns.map(name => (keys.includes(name) ? name : `${name}${COMPARED[0]}`)),
  }
  const typeOf = (name: string): ValueType => cx.scope.typeOf(name)
  const assignments = values.flatMap(name => changes(name, typeOf(name), span, cx))
  const types = new Map<string, ValueType>(assignments.map(({ name, value }) => [name, value.type]))
  const scope = new Map<string, ValueType>()
  for (const name of columns) {
    scope.set(name, typeOf(name))
    if (keys.includes(name)) continue
    for (const suffix of COMPARED) scope.set(`${name}${suffix}`, types.get(`${name}${suffix}`) ?? typeOf(name))
  }
  const extended: LogicalOp = { kind: 'extend', origin: span, assignments, input: op }
  const names = [...scope.keys()]
  // In a keep a name with a `*` would be a pattern: such columns stay where they were made.
  const inPlace: LogicalOp = names.some(name => name.includes('*'))
    ? extended
    : { kind: 'keep', origin: span, fields: names, except: [], input: extended }
  return { op: inPlace, scope: new Scope(scope, false) }
}

/** The plan without what chooses or orders rows behind the stats: which rows are compared, those of now say. */
function withoutChoice(op: LogicalOp): { readonly plan: LogicalOp; readonly choosesRows: boolean } {
  if (op.kind === 'aggregate' || op.kind === 'scan') return { plan: op, choosesRows: false }
  const { plan: input, choosesRows } = withoutChoice(op.input)
  switch (op.kind) {
    case 'sort':
      return { plan: input, choosesRows }
    case 'filter':
    case 'head':
    case 'tail':
    case 'topk':
    case 'dedup':
      return { plan: input, choosesRows: true }
    case 'table':
      if (op.choosesRows === true) return { plan: input, choosesRows: true }
      return { plan: { ...op, input }, choosesRows }
    default:
      return { plan: { ...op, input }, choosesRows }
  }
}

/** May anything in the plan see the time of an event? Where nothing does, the statistics of blocks may answer for the earlier period too. */
function readsTime(op: LogicalOp): boolean {
  if (op.kind === 'scan') return false
  const isPlain = op.kind === 'filter' || op.kind === 'extend' || op.kind === 'aggregate'
  const calls = op.kind === 'aggregate' ? op.aggregates : []
  if (!isPlain || calls.some(call => call.function.readsTime === true)) return true
  return [...fieldsOf(...traitsOf(op).expressions(op))].some(name => overlaps(name, '_time')) || readsTime(op.input)
}

/** Its events of the earlier period, each dated later by as much, if anything sees that. */
function earlier(scan: ScanOp, backNs: number, isDated: boolean, cx: LowerContext): LogicalOp {
  if (scan.lookup !== null) return scan
  const { origin } = scan
  const { fromMicros, toMicros } = scan.time
  const back = backNs / 1000
  const time = {
    fromMicros: fromMicros === null ? null : fromMicros - back,
    // A range that is open ends now.
    toMicros: (toMicros ?? cx.now().micros) - back,
  }
  const value = call('+', [field('_time', 'datetime', origin), literal(new Duration(backNs), origin)], 'datetime', cx)
  if (!isDated) return { ...scan, time }
  return { kind: 'extend', origin, assignments: [{ name: '_time', value }], input: { ...scan, time } }
}

const NUMBERS: ReadonlySet<ValueType> = new Set<ValueType>(['int', 'float', 'number', 'duration'])

/** By the rules of the language: of what is no number the change is null. */
function changes(
  name: string,
  type: ValueType,
  origin: Span,
  cx: LowerContext,
): readonly { readonly name: string; readonly value: Expr }[] {
  const [previous, change, percent] = COMPARED.map(suffix => `${name}${suffix}`) as [string, string, string]
  const changeType: ValueType = type === 'datetime' ? 'duration' : NUMBERS.has(type) ? type : 'any'
  const before = field(previous, type, origin)
  // What one of the periods lacks is null.
  const orNull = (of: Expr): Expr => ({ kind: 'coalesce', type, origin, operands: [of, literal(null, origin)] })
  const difference = call('-', [field(name, type, origin), before], changeType, cx)
  const share = call('/', [field(change, changeType, origin), before], 'any', cx)
  return [
    { name, value: orNull(field(name, type, origin)) },
    { name: previous, value: orNull(before) },
    { name: change, value: difference },
    { name: percent, value: call('*', [share, literal(100, origin)], 'any', cx) },
  ]
}

function field(name: string, type: ValueType, origin: Span): Expr {
  return { kind: 'field', type, origin, name }
}

function call(operator: string, args: readonly [Expr, Expr], type: ValueType, cx: LowerContext): Expr {
  const fn = lookupScalar(cx.functions, operator)
  if (fn === null) throw new Error(`operator ${operator} has no descriptor`)
  return { kind: 'call', type, origin: args[0].origin, function: fn, args }
}
