/**
 * The language by its simplest means: rows in an array, one stage after the other, each a few obvious lines.
 * The engine must give the same answers, whatever its optimiser, kernels and storage do. Takes desugared queries.
 */
import type {
  AstAggregate,
  AstCompare,
  AstExpr,
  AstFrom,
  AstInput,
  AstPipeline,
  AstQuery,
  AstSort,
  AstStage,
  AstTimePoint,
  AstTimeRange,
} from '../../grammar/ast.ts'
import { compareValues, keyOf } from '../../runtime/helpers/compare.ts'
import type { IncomingEvent } from '../../storage/index.ts'
import { DateTime, Duration, type Value } from '../../storage/value.ts'
import { compared, keysOfGroups } from './compare.ts'
import { type CallScalar, evaluate as evaluateExpr } from './expressions.ts'
import { dropFields, keepFields, renameFields } from './fields.ts'
import { join } from './join.ts'
import { aggregateName } from './names.ts'
import { parseRows } from './parse.ts'
import { copyOf, type Row, readField, rowOf, setField } from './row.ts'
import { stats, statsColumns } from './stats.ts'
import { eventstats, streamstats } from './streamstats.ts'
import { context } from './table/context.ts'
import { referenceOf, type Surroundings } from './table/index.ts'

export interface InterpretOptions {
  readonly nowMicros: number
  readonly variables: Readonly<Record<string, Value>>
  readonly callScalar: CallScalar
  readonly lookups?: Readonly<Record<string, ReferenceTable>>
}

export interface Interpreted {
  /** Null while rows are events of any fields. */
  readonly columns: string[] | null
  readonly rows: Map<string, Value>[]
}

export type Evaluate = (expr: AstExpr, row: Row) => Value

interface State {
  rows: Row[]
  columns: string[] | null
}

/** What every pipeline of a query sees. */
interface World {
  readonly query: AstQuery
  /** Events are dated later by this, and end now: what `compare` sees of an earlier period. */
  readonly shiftMicros: number | null
  readonly events: readonly IncomingEvent[]
  readonly nowMicros: number
  readonly evaluate: Evaluate
  /** The rows of each let, computed where it stands. */
  readonly lets: Map<string, State>
  readonly lookups: Readonly<Record<string, ReferenceTable>>
}

/** The query names what is not there: the engine refuses such a query before it runs. */
export class UndefinedName extends Error {}

/** A lookup table as the reference wants it: read already. */
export interface ReferenceTable {
  readonly columns: readonly string[]
  readonly rows: readonly ReadonlyMap<string, Value>[]
}

export function interpret(query: AstQuery, events: readonly IncomingEvent[], options: InterpretOptions): Interpreted {
  const evaluate: Evaluate = (expr, row) =>
    evaluateExpr(expr, { row, variables: options.variables, callScalar: options.callScalar, locals: new Map() })
  const world: World = {
    query,
    shiftMicros: null,
    events,
    nowMicros: options.nowMicros,
    evaluate,
    lets: new Map(),
    lookups: options.lookups ?? {},
  }
  defineLets(world, query.lets)
  const state = run(query.pipeline, world)
  return { columns: state.columns, rows: state.rows.map(row => project(row, state.columns)) }
}

function defineLets(world: World, lets: AstQuery['lets']): void {
  for (const { name, pipeline } of lets) world.lets.set(name, run(pipeline, world))
}

/** The stages before it once more, over what was earlier, and each row beside that of the same keys. */
function compare(stage: AstCompare, state: State, pipeline: AstPipeline, world: World): State {
  const back = stage.back === null ? null : world.evaluate(stage.back, { fields: new Map(), index: undefined })
  const range = surroundingsOf(pipeline, 0, world)
  const shiftMicros =
    back instanceof Duration ? back.ns / 1000 : (range.toMicros ?? world.nowMicros) - (range.fromMicros ?? 0)
  const stages = pipeline.stages.slice(0, pipeline.stages.indexOf(stage))
  const stats = stages.findLastIndex(each => each.kind === 'stats')
  const choosing = (each: AstStage): boolean => ['where', 'head', 'tail', 'dedup', 'sample'].includes(each.kind)
  const repeated = stages.filter((each, at) => at <= stats || !(choosing(each) || each.kind === 'sort'))
  const earlier: World = { ...world, shiftMicros: (world.shiftMicros ?? 0) + shiftMicros, lets: new Map() }
  // Within a let, those before it: it cannot be made of itself.
  defineLets(
    earlier,
    world.query.lets.filter(({ name }) => world.lets.has(name)),
  )
  const previous = run({ ...pipeline, stages: repeated }, earlier)
  return compared(state, previous, {
    keys: keysOfGroups(stages.slice(stats)),
    isOuter: hasBeginning(pipeline) && !stages.slice(stats + 1).some(choosing),
    evaluate: world.evaluate,
  })
}

function hasBeginning({ from }: AstPipeline): boolean {
  return from?.sources.every(source => !source.isLet) === true && from.ranges.some(range => range.from !== null)
}

function run(pipeline: AstPipeline, world: World): State {
  const { evaluate } = world
  let state = source(pipeline.from, world)
  const { search, stages } = pipeline
  // The condition before a context drops nothing.
  if (search !== null && stages[0]?.kind === 'context') state = context(stages[0], search, state, evaluate)
  else if (search !== null) state = { ...state, rows: state.rows.filter(row => evaluate(search, row) === true) }
  for (const [at, stage] of stages.entries()) {
    const after = stages[at + 1]
    if (stage.kind === 'where' && after?.kind === 'context') state = context(after, stage.predicate, state, evaluate)
    else if (stage.kind === 'compare') state = compare(stage, state, pipeline, world)
    else if (stage.kind !== 'context') state = apply(stage, state, world, surroundingsOf(pipeline, at, world))
  }
  return state
}

/** Of the pipeline, and of the let it goes on from. */
function stagesBefore({ from, stages }: AstPipeline, stage: number, world: World): readonly AstStage[] {
  const own = stages.slice(0, stage)
  const [only, ...others] = from?.sources ?? []
  if (only?.isLet !== true || others.length > 0) return own
  const known = world.query.lets.findLast(each => each.name === only.pattern)?.pipeline
  return known === undefined ? own : [...stagesBefore(known, known.stages.length, world), ...own]
}

function surroundingsOf(pipeline: AstPipeline, stage: number, world: World): Surroundings {
  const { from } = pipeline
  const { nowMicros } = world
  const bounds = (side: 'from' | 'to'): number[] =>
    (from?.ranges ?? []).flatMap(range => range[side] ?? []).map(point => instantOf(point, nowMicros).micros)
  return {
    fromMicros: bounds('from').length === 0 ? null : Math.max(...bounds('from')),
    toMicros: bounds('to').length === 0 ? null : Math.min(...bounds('to')),
    nowMicros,
    before: stagesBefore(pipeline, stage, world),
  }
}

/** Events of the indexes named, where the first is named, and the rows of lets, each in the time range. */
function source(from: AstFrom | null, world: World): State {
  const { lets, nowMicros, shiftMicros } = world
  const events = shiftMicros === null ? world.events : world.events.map(event => later(event, shiftMicros))
  const names = (from?.sources ?? []).filter(each => !each.isLet)
  const ranges = from?.ranges ?? []
  const isInRange = (time: Value): boolean =>
    ranges.every(range => time instanceof DateTime && isWithin(time, range, nowMicros))
  const isSource = sourceTest(names)
  // Where the range is open, what is earlier ends with it.
  const isOver = (time: DateTime): boolean =>
    shiftMicros === null || ranges.some(range => range.to !== null) || time.micros < nowMicros
  const read = (): State => ({
    rows: events.filter(event => isSource(event.index) && isInRange(event.time) && isOver(event.time)).map(rowOf),
    columns: null,
  })
  if (from === null) return read()
  const inputs = from.sources.flatMap(each => {
    if (!each.isLet) return each === names[0] ? [read()] : []
    const rows = lets.get(each.pattern)
    if (rows === undefined) throw new UndefinedName(`$${each.pattern}`)
    return [{ ...rows, rows: rows.rows.filter(row => isInRange(readField(row, '_time'))) }]
  })
  return concatenated(inputs)
}

function later(event: IncomingEvent, micros: number): IncomingEvent {
  return { ...event, time: new DateTime(event.time.micros + micros, event.time.nanos) }
}

/** By field name: a row has the fields it came with. */
function concatenated(inputs: readonly State[]): State {
  const columns = inputs.some(input => input.columns === null)
    ? null
    : [...new Set(inputs.flatMap(input => input.columns ?? []))]
  return { rows: inputs.flatMap(input => input.rows), columns }
}

function rowsOf(input: AstInput, world: World): State {
  switch (input.kind) {
    case 'pipeline-input':
      return run(input.pipeline, world)
    case 'let-input': {
      const rows = world.lets.get(input.name)
      if (rows === undefined) throw new UndefinedName(`$${input.name}`)
      return rows
    }
    case 'lookup-input': {
      const table = world.lookups[input.name]
      if (table === undefined) throw new UndefinedName(input.name)
      const { columns, rows } = table
      return { rows: rows.map(fields => ({ fields: new Map(fields), index: undefined })), columns: [...columns] }
    }
  }
}

/** Named columns are all there, in order, missing ones as undefined. */
function project(row: Row, columns: readonly string[] | null): Map<string, Value> {
  return columns === null ? row.fields : new Map(columns.map(name => [name, readField(row, name)]))
}

function apply(stage: AstStage, { rows, columns }: State, world: World, surroundings: Surroundings): State {
  const { evaluate } = world
  switch (stage.kind) {
    case 'where':
      return { rows: rows.filter(row => evaluate(stage.predicate, row) === true), columns }
    case 'parse':
      return { rows: parseRows(stage, rows), columns: null }
    case 'extend': {
      const added = stage.assignments.map(({ name }) => name)
      return {
        rows: rows.map(row => extend(row, stage.assignments, evaluate)),
        columns: columns && [...new Set([...columns, ...added])],
      }
    }
    case 'keep':
      return keepFields(stage, rows, columns)
    case 'drop':
      return dropFields(stage, rows, columns)
    case 'rename':
      return renameFields(stage, rows, columns)
    case 'stats':
      return { rows: stats(stage, rows, evaluate), columns: statsColumns(stage) }
    case 'eventstats':
      return { rows: eventstats(stage, rows, evaluate), columns: withNames(columns, stage.aggregates) }
    case 'streamstats':
      return { rows: streamstats(stage, rows, evaluate), columns: withNames(columns, stage.aggregates) }
    case 'sort':
      return { rows: sort(stage, rows, evaluate), columns }
    case 'head':
      return { rows: rows.slice(0, stage.count), columns }
    case 'tail':
      return { rows: stage.count === 0 ? [] : rows.slice(-stage.count), columns }
    case 'dedup':
      return { rows: dedup(rows, stage.count, row => stage.fields.map(field => evaluate(field, row))), columns }
    case 'join':
      return join({ rows, columns }, rowsOf(stage.with, world), { ...stage, type: stage.type ?? 'inner' })
    case 'lookup':
      return join({ rows, columns }, rowsOf(stage.table, world), { ...stage, type: 'left' })
    case 'union':
      return concatenated([{ rows, columns }, ...stage.inputs.map(input => rowsOf(input, world))])
    case 'describe':
      throw new Error('describe is not in the reference: its estimates have no exact answer')
    default: {
      const reference = referenceOf(stage)
      if (reference !== null) return reference(stage, { rows, columns }, evaluate, surroundings)
      throw new Error(`${stage.kind} is a short form; desugar the query first`)
    }
  }
}

function withNames(columns: readonly string[] | null, made: readonly AstAggregate[]): string[] | null {
  return columns && [...new Set([...columns, ...made.map(aggregateName)])]
}

/** Left to right; a computed value is never missing, a copy of a field may be. */
function extend(row: Row, assignments: readonly { name: string; value: AstExpr }[], evaluate: Evaluate): Row {
  const result = copyOf(row)
  for (const { name, value } of assignments) {
    const computed = evaluate(value, result)
    // A field that is missing makes one that is: no longer put together from members either.
    setField(result, name, computed === undefined && value.kind !== 'field' ? null : computed)
  }
  return result
}

/** Stable; null and missing are last ascending and first descending, which is the order of values turned around. */
function sort(stage: AstSort, rows: readonly Row[], evaluate: Evaluate): Row[] {
  const keyed = rows.map(row => ({ row, keys: stage.keys.map(key => evaluate(key.value, row)) }))
  keyed.sort((a, b) => {
    for (const [i, key] of stage.keys.entries()) {
      const order = compareValues(a.keys[i], b.keys[i])
      if (order !== 0) return key.descending ? -order : order
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

function dedup(rows: readonly Row[], count: number, keysOf: (row: Row) => readonly Value[]): Row[] {
  const seen = new Map<string, number>()
  return rows.filter(row => {
    const id = JSON.stringify(keysOf(row).map(keyOf))
    const before = seen.get(id) ?? 0
    seen.set(id, before + 1)
    return before < count
  })
}

type Sources = NonNullable<AstQuery['pipeline']['from']>['sources']

function sourceTest(sources: Sources): (index: string) => boolean {
  if (sources.length === 0) return index => index === 'main'
  const tests = sources.map(({ pattern, exclude }) => ({ exclude, regex: globRegex(pattern) }))
  const included = tests.filter(test => !test.exclude)
  return index =>
    (included.length === 0 || included.some(({ regex }) => regex.test(index))) &&
    !tests.some(({ exclude, regex }) => exclude && regex.test(index))
}

export function globRegex(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('\\?', '.')}$`,
    's',
  )
}

/** From the first instant, up to but not including the last. */
function isWithin(time: DateTime, range: AstTimeRange, nowMicros: number): boolean {
  const from = range.from === null ? null : instantOf(range.from, nowMicros)
  const to = range.to === null ? null : instantOf(range.to, nowMicros)
  return (from === null || compareValues(time, from) >= 0) && (to === null || compareValues(time, to) < 0)
}

function instantOf(point: AstTimePoint, nowMicros: number): DateTime {
  if (point.kind === 'absolute') return new DateTime(point.micros, point.nanos)
  const micros = nowMicros + point.offsetNs / 1000
  return new DateTime(point.snap === null ? micros : snap(micros, point.snap))
}

function snap(micros: number, unit: string): number {
  const date = new Date(Math.floor(micros / 1000))
  if (unit === 'y') return Date.UTC(date.getUTCFullYear(), 0, 1) * 1000
  if (unit === 'mon') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) * 1000
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit] ?? 1
  const size = seconds * 1_000_000
  // Weeks begin on Monday; 1970 began on a Thursday.
  const shift = unit === 'w' ? 3 * 86_400_000_000 : 0
  return Math.floor((micros + shift) / size) * size - shift
}
