/** Random typed pipelines over known fields. Whatever depends on order comes only after a sort that leaves no ties. */

import type { AggregateFunction, Parameter } from '../../compiler/functions/descriptor.ts'
import { FUNCTIONS, WINDOWS } from '../../compiler/functions/index.ts'
import type { CoreKind } from '../../compiler/stages/stage.ts'
import { quoteField } from '../../grammar/index.ts'
import { isEstimate } from '../../test/reference/aggregates.ts'
import { type Field, isIn } from './data.ts'
import { CALLABLE, condition, type ExpressionContext, randomExpression } from './expression.ts'
import { INVESTIGATION } from './investigation.ts'
import { randomParse } from './parse.ts'
import type { Random } from './random.ts'
import { TABLE_FIELDS } from './table.ts'

export interface RandomQuery {
  /** Whole definitions, with their `;`. */
  readonly lets?: readonly string[]
  readonly stages: readonly string[]
}

export function queryText({ lets = [], stages }: RandomQuery): string {
  return [...lets, ['from main', ...stages].join(' | ')].join(' ')
}

export interface State extends ExpressionContext {
  readonly aggregates: readonly AggregateFunction[]
  /** True while the order of rows is total, so that first, head and dedup have one answer. */
  readonly ordered: boolean
  /** True until stats: rows still have their own `_time` and any field they came with. */
  readonly events: boolean
  /** After stats by a bin of time, as long as the groups are to be told apart. */
  readonly series: boolean
  /** As the data has them: what a pipeline within this one begins with. */
  readonly all: readonly Field[]
  /** A pipeline within another is short, and holds none itself. */
  readonly inner: boolean
  /** After a union: no key tells two rows apart. */
  readonly mixed: boolean
  readonly lets: readonly RandomLet[]
  /** Is an object among the fields that was kept as one? */
  readonly whole?: boolean
  readonly joins?: number
  /** Of a stats, two unless it says otherwise; these then are mostly fields as they are. */
  readonly keysMax?: number
}

/** A let, and what is known of its rows. */
export interface RandomLet {
  readonly name: string
  readonly state: State
}

export type StageMaker = (state: State) => { readonly text: string; readonly next: State } | null

/** Before the first stage, with the functions and aggregates the query may use. */
export function startOf(random: Random, fields: readonly Field[]): State {
  return {
    random,
    fields,
    functions: random.some(CALLABLE),
    aggregates: random.some([...FUNCTIONS.aggregates.values()]),
    ordered: false,
    events: true,
    series: false,
    all: fields,
    inner: false,
    mixed: false,
    lets: [],
  }
}

export function randomQuery(random: Random, fields: readonly Field[]): RandomQuery {
  const start = startOf(random, fields)
  const lets = random.chance(0.2) ? randomLets(start) : { texts: [], known: [] }
  const { stages } = randomStages({ ...start, lets: lets.known }, random.pick([1, 1, 2, 3, 5]))
  return { lets: lets.texts, stages }
}

/** One or two, the second perhaps from the first. */
function randomLets(start: State): { readonly texts: readonly string[]; readonly known: readonly RandomLet[] } {
  const { random } = start
  const texts: string[] = []
  const known: RandomLet[] = []
  for (const name of random.chance(0.4) ? ['p', 'q'] : ['p']) {
    const from = known.length > 0 && random.chance(0.5) ? known[0]! : null
    const seen = from === null ? start : { ...from.state, all: start.all, ordered: false }
    const { stages, state } = randomStages({ ...seen, inner: true }, random.int(0, 2))
    texts.push(`let $${name} = ${[`from ${from === null ? 'main' : `$${from.name}`}`, ...stages].join(' | ')};`)
    known.push({ name, state: { ...state, inner: false } })
  }
  return { texts, known }
}

/** The rows of another pipeline: one in brackets, or a let. */
function randomInput(state: State): { readonly text: string; readonly state: State } {
  const { random, all, lets } = state
  if (lets.length > 0 && random.chance(0.6)) {
    const { name, state: rows } = random.pick(lets)
    return { text: `$${name}`, state: rows }
  }
  const start: State = { ...state, fields: all, whole: false, ordered: false, events: true, mixed: false, inner: true }
  const made = randomStages(start, random.int(0, 2))
  return { text: `[${['from main', ...made.stages].join(' | ')}]`, state: made.state }
}

function randomStages(start: State, wanted: number): { readonly stages: readonly string[]; readonly state: State } {
  const { random } = start
  let state = start
  const makers = random.some(Object.keys(STAGES).filter(isIn)).map(name => STAGES[name as RandomKind])
  const stages: string[] = []
  for (let tries = 0; stages.length < wanted && tries < 12; tries++) {
    const made = state.fields.some(isUsable) ? random.pick(makers)(state) : null
    if (made === null) continue
    stages.push(made.text)
    state = made.next
  }
  return { stages, state }
}

/** The next stage of this kind; null where there can be none. */
export function randomStage(kind: RandomKind, state: State): ReturnType<StageMaker> {
  return STAGES[kind](state)
}

export function names(fields: readonly Field[]): string {
  return fields.map(field => quoteField(field.name)).join(', ')
}

/**
 * Every stage that reaches the compiler, and the short forms that read their rows several times. Not made on their own: what only
 * estimates (describe), what writes files (tee), and lookup, which is one of the joins.
 */
export type RandomKind = Exclude<CoreKind, 'describe' | 'tee' | 'lookup'> | 'facets' | 'count'

const STAGES: Readonly<Record<RandomKind, StageMaker>> = {
  where: state => ({ text: `where ${condition(state, state.random.int(0, 3))}`, next: state }),

  extend: state => {
    const { random } = state
    const name = random.chance(0.3) ? pickUnpinned(state) : `x${random.int(1, 3)}`
    const type = random.pick(['number', 'string', 'bool', 'any', 'array', 'datetime', 'duration', 'object'] as const)
    const added: Field = { name, type: type === 'number' ? 'any' : type }
    const text = `extend ${quoteField(name)} = ${randomExpression(state, type, random.int(0, 3))}`
    return { text, next: { ...state, fields: [...state.fields.filter(field => field.name !== name), added] } }
  },

  keep: state => {
    const pinned = state.fields.filter(isPinned)
    const others = state.fields.filter(field => !isPinned(field))
    const chosen = [...pinned, ...(others.length > 0 ? state.random.some(others) : [])]
    // An object kept whole beside one of its members: which of the two a later rename means, the language does not say.
    const whole = chosen.map(field => `${field.name}.`)
    const kept = chosen.filter(field => !whole.some(prefix => field.name.startsWith(prefix)))
    const isWhole = state.whole === true || whole.length > 0
    return { text: `keep ${names(kept)}`, next: { ...state, fields: kept, whole: isWhole } }
  },

  drop: state => {
    const candidates = state.fields.filter(field => !isPinned(field))
    if (candidates.length === 0 || state.fields.length < 3) return null
    const gone = state.random.pick(candidates)
    return { text: `drop ${quoteField(gone.name)}`, next: { ...state, fields: state.fields.filter(f => f !== gone) } }
  },

  parse: state => {
    const { random } = state
    if (!state.events) return null
    const made = randomParse(random, state.fields)
    if (made === null) return null
    const names = new Set(made.added.map(field => field.name))
    const kept = state.fields.filter(field => !names.has(field.name))
    return { text: made.text, next: { ...state, fields: [...kept, ...made.added] } }
  },

  rename: state => {
    // What renaming an object that is only there in parts means, the language does not say.
    const candidates = state.fields.filter(field => !isPinned(field) && isUsable(field) && !isPartlyObject(field))
    if (candidates.length === 0) return null
    const from = state.random.pick(candidates)
    const to = `r${state.random.int(1, 2)}`
    if (state.fields.some(field => field.name === to)) return null
    const fields = state.fields.map(field => (field === from ? { ...field, name: to } : field))
    return { text: `rename ${quoteField(from.name)} as ${to}`, next: { ...state, fields } }
  },

  sort: state => {
    const { random } = state
    const keys = random.some(state.fields.filter(isUsable)).slice(0, 2)
    if (state.mixed) return null
    const total = state.events ? state.fields.filter(field => field.name === 'id') : state.fields.filter(isGroupKey)
    if (total.length === 0) return null
    const text = [...keys, ...total].map(key => (random.chance(0.4) ? '-' : '') + quoteField(key.name)).join(', ')
    return { text: `sort ${text}`, next: { ...state, ordered: true } }
  },

  head: state => (state.ordered ? { text: `head ${state.random.int(0, 6)}`, next: state } : null),
  tail: state => (state.ordered ? { text: `tail ${state.random.int(0, 6)}`, next: state } : null),

  dedup: state => {
    if (!state.ordered) return null
    const keys = state.random.some(state.fields.filter(isUsable)).slice(0, 2)
    return { text: `dedup ${state.random.pick(['', '2 '])}${names(keys)}`, next: state }
  },

  sample: state =>
    state.ordered
      ? { text: `sample ${state.random.pick(['3', '50%', '20% seed=3'])}`, next: { ...state, series: false } }
      : null,

  eventstats: state => eventstats(state),
  streamstats: state => (state.ordered ? streamstats(state) : null),

  // Stages with other rows of their own come between: fill would not know its bins any more, and says so.
  fill: state => (state.series ? { text: 'fill', next: { ...state, ordered: true } } : null),

  rollup: state => {
    const { random } = state
    if (!state.events || !state.fields.some(field => field.name === '_time')) return null
    const keys = Array.from({ length: random.int(0, 1) }, (_, i) => ({ name: `g${i}`, text: randomKey(state) }))
    const by = keys.length === 0 ? '' : ` by ${keys.map(key => `${key.text} as ${key.name}`).join(', ')}`
    const aggregatesOf = { ...state, aggregates: state.aggregates.filter(fn => fn.takesBinSeconds !== true) }
    const made = randomAggregates(aggregatesOf, random.int(0, 2))
    const aggregates = made.length === 0 ? '' : ` stats ${made.map(each => each.text).join(', ')}`
    const widths = random.pick(['1m', '1m, 5m', '90s, 1h'])
    const fields: Field[] = [
      { name: 'g8', type: 'datetime' },
      { name: 'g9', type: 'duration' },
      ...keys.map(({ name }): Field => ({ name, type: 'any' })),
      ...made.map(each => each.field),
    ]
    return {
      text: `rollup ${widths}${by}${aggregates} | rename _time as g8, width as g9`,
      next: { ...state, fields, ordered: true, events: false, series: false },
    }
  },

  xyseries: state => {
    const usable = state.fields.filter(field => isUsable(field) && field.type !== 'object')
    if (!state.ordered || usable.length < 2) return null
    const [x, y, value] = [state.random.pick(usable), state.random.pick(usable), state.random.pick(state.fields)]
    if (x === y) return null
    const fields: Field[] = [{ name: x.name, type: 'any' }]
    const text = `xyseries ${[x, y, value].map(field => quoteField(field.name)).join(' ')} limit=1000`
    return { text, next: { ...state, fields, events: false, series: false } }
  },

  ...INVESTIGATION,

  patterns: state => {
    const { random } = state
    const field = quoteField(random.pick(state.fields.filter(isUsable)).name)
    const fields: Field[] = [
      { name: 'pattern', type: 'string' },
      { name: 'count', type: 'int' },
      { name: 'share', type: 'opaque' },
      { name: 'first_seen', type: 'datetime' },
      { name: 'last_seen', type: 'datetime' },
      { name: 'sample', type: 'string' },
    ]
    const text = `patterns field=${field}${random.chance(0.3) ? ` limit=${random.int(1, 4)}` : ''}`
    return { text, next: { ...state, fields, ordered: true, events: false } }
  },

  join: state => {
    const { random } = state
    // Every join may multiply the rows.
    if (state.inner || state.joins === 2) return null
    const isTable = random.chance(0.25)
    const input = isTable
      ? { text: 'lookup table', state: { ...state, fields: TABLE_FIELDS, events: false } }
      : randomInput(state)
    // An object kept whole on one side and in parts on the other: which of them a row has, the language does not say.
    if (state.whole === true || input.state.whole === true) return null
    const keys = randomKeys(state, input.state.fields)
    if (keys === null) return null
    const type = random.pick(['', '', 'type=left ', 'type=outer ', 'type=semi ', 'type=anti '])
    const as = random.chance(0.3) ? 'o' : null
    const suffix = as === null ? '' : ` as ${as}`
    const text =
      isTable && random.chance(0.5)
        ? `lookup table on ${keys.text}${suffix}`
        : `join ${type}on ${keys.text} with ${input.text}${suffix}`
    if (/type=(?:semi|anti)/.test(text)) return { text, next: state }
    const added = input.state.fields
      .filter(field => !keys.shared.includes(field.name) && !keys.shared.some(key => field.name.startsWith(`${key}.`)))
      .map((field): Field => ({ name: as === null ? field.name : `${as}.${field.name}`, type: field.type }))
    const taken = added.filter(field => state.fields.some(other => other.name === field.name))
    const isNew = (field: Field): boolean => !state.fields.some(other => other.name === field.name)
    const both = [...state.fields, ...added.filter(isNew)].map(anyUnlessOpaque)
    const pushed = taken.map((field): Field => anyUnlessOpaque({ ...field, name: `${field.name}_right` }))
    const fields = [...both.filter(field => pushed.every(other => other.name !== field.name)), ...pushed]
    const next = { ...state, fields, ordered: false, mixed: true, events: false, joins: (state.joins ?? 0) + 1 }
    return { text, next }
  },

  explode: state => {
    const arrays = state.fields.filter(field => field.type === 'array' || field.type === 'any')
    if (arrays.length === 0) return null
    const field = state.random.pick(arrays)
    if (isPinned(field)) return null
    const as = state.random.chance(0.5) ? 'element' : null
    const made: Field = { name: as ?? field.name, type: 'any' }
    const fields = [...state.fields.filter(other => other.name !== made.name), made]
    const text = `explode ${quoteField(field.name)}${as === null ? '' : ` as ${as}`}`
    return { text, next: { ...state, fields, mixed: true, series: false } }
  },

  union: state => {
    if (state.inner) return null
    const inputs = Array.from({ length: state.random.pick([1, 1, 2]) }, () => randomInput(state))
    const rows = [state, ...inputs.map(input => input.state)]
    // As for join.
    if (rows.some(each => each.whole === true)) return null
    const names = new Set(rows.flatMap(each => each.fields.map(field => field.name)))
    const fields = [...names].map((name): Field => {
      const types = rows.map(each => each.fields.find(field => field.name === name)?.type)
      const isOpaque = types.includes('opaque')
      return { name, type: isOpaque ? 'opaque' : types.every(type => type === types[0]) ? (types[0] ?? 'any') : 'any' }
    })
    const events = rows.every(each => each.events)
    const next = { ...state, fields, events, ordered: false, mixed: true }
    return { text: `union ${inputs.map(input => input.text).join(', ')}`, next }
  },

  compare: state => {
    const { random } = state
    const values = state.fields.filter(field => !isGroupKey(field))
    // Of estimates the difference is another matter; and the groups must still be told apart.
    if (!state.series || state.mixed || values.some(field => !/^a\d_(?:count|min|max|dc|sum)$/.test(field.name)))
      return null
    const beside = values.flatMap(({ name, type }): Field[] => [
      { name, type },
      { name: `${name}_previous`, type },
      { name: `${name}_change`, type: 'opaque' },
      { name: `${name}_change_pct`, type: 'opaque' },
    ])
    const fields = [...state.fields.filter(isGroupKey), ...beside]
    return {
      text: `compare ${random.pick(['1m', '5m', '1h', '90s'])}`,
      next: { ...state, fields, ordered: false, series: false },
    }
  },

  facets: state => {
    const { random } = state
    const candidates = state.fields.filter(isUsable)
    if (state.inner || candidates.length === 0) return null
    const chosen = random.some(candidates).slice(0, 3)
    const fields: Field[] = [
      { name: 'field', type: 'string' },
      { name: 'value', type: 'any' },
      { name: 'count', type: 'any' },
      { name: 'share', type: 'opaque' },
    ]
    const text = `facets ${names(chosen)}${random.chance(0.5) ? ` limit=${random.int(1, 3)}` : ''}`
    return { text, next: { ...state, fields, ordered: false, events: false, series: false, mixed: true } }
  },

  stats: state => stats(state),
  count: state => stats(state),
}

/** `_time` and `id` stay as they came: totals of order and `earliest` rest on them. */
function isPinned(field: Field): boolean {
  return field.name === '_time' || field.name === 'id' || isGroupKey(field)
}

/** There is something left to compute with. */
export function isUsable(field: Field): boolean {
  return field.type !== 'opaque'
}

function isGroupKey(field: Field): boolean {
  return /^g\d$/.test(field.name)
}

/** An object that is only there in parts, in some events at least. */
function isPartlyObject({ name, type }: Field): boolean {
  return type === 'object' || name === 'mixed' || name === 'k0'
}

function pickUnpinned(state: State): string {
  const candidates = state.fields.filter(field => !isPinned(field))
  return candidates.length > 0 ? state.random.pick(candidates).name : 'x1'
}

function anyUnlessOpaque(field: Field): Field {
  return field.type === 'opaque' || field.type === 'object' ? field : { name: field.name, type: 'any' }
}

/** Fields both sides have, or one of each side. */
function randomKeys(
  state: State,
  right: readonly Field[],
): { readonly text: string; readonly shared: readonly string[] } | null {
  const { random } = state
  const ours = state.fields.filter(isUsable)
  const theirs = right.filter(isUsable)
  const common = ours.filter(field => theirs.some(other => other.name === field.name))
  const keys = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => {
    if (common.length > 0 && random.chance(0.8)) {
      const { name } = random.pick(common)
      return [name, name] as const
    }
    return ours.length > 0 && theirs.length > 0 ? ([random.pick(ours).name, random.pick(theirs).name] as const) : null
  }).filter(key => key !== null)
  if (keys.length === 0) return null
  const text = keys.map(([a, b]) => (a === b ? quoteField(a) : `${quoteField(a)} == ${quoteField(b)}`)).join(', ')
  return { text, shared: keys.filter(([a, b]) => a === b).map(([name]) => name) }
}

interface Made {
  readonly text: string
  readonly field: Field
}

/** Aggregates of the swarm, each with an alias. */
function randomAggregates(state: State, count: number): readonly Made[] {
  const { random } = state
  const known = state.aggregates.filter(fn => isAnswerable(fn, state))
  if (known.length === 0) return []
  return Array.from({ length: count }, (_, i) => {
    const fn = random.pick(known)
    const name = fn.family === undefined ? fn.name : random.pick(['p50', 'p90', 'p99', 'p99_9'])
    const where = random.chance(0.25) ? `where ${condition(state, 1)}` : null
    const parts = [...argumentsOf(fn, state), ...(where === null ? [] : [where])]
    // The alias says which aggregate it was, so that a comparison knows which error is allowed.
    const alias = `a${i}_${name}`
    return { text: `${name}(${parts.join(', ')}) as ${alias}`, field: { name: alias, type: typeOfAnswer(fn) } }
  })
}

/** A window function over a field whose sums are exact. */
function randomWindow(state: State, i: number): Made {
  const { random } = state
  const fn = random.pick(WINDOWS)
  const [first, ...constants] = fn.parameters
  const alias = `w${i}_${fn.name}`
  const args =
    first === undefined ? [] : [first.type === 'number' ? tameField(state) : randomExpression(state, 'any', 1)]
  for (const { within, optional } of constants) {
    if (optional !== true || random.chance(0.5)) {
      args.push(within?.whole === true ? random.pick(['1', '2', '3']) : random.pick(['0.5', '0.25', '1']))
    }
  }
  const type = fn.name === 'moving_avg' || fn.name === 'ewma' ? 'opaque' : 'any'
  return { text: `${fn.name}(${args.join(', ')}) as ${alias}`, field: { name: alias, type } }
}

/** Bins no series is filled by: weeks, days of a zone, and such as are no whole microseconds. */
const BINS = ['1w', '2w', '1d, "Europe/Berlin"', '1h, "Asia/Kolkata"', '250ms', '1500ns']

function randomKey(state: State): string {
  const { random } = state
  const hasTime = state.events && state.fields.some(field => field.name === '_time')
  if (hasTime && random.chance(0.1)) return `bin(_time, ${random.pick(BINS)})`
  return random.chance(state.keysMax === undefined ? 0.6 : 0.9)
    ? quoteField(random.pick(state.fields.filter(isUsable)).name)
    : randomExpression(state, random.pick(['string', 'bool', 'any'] as const), 2)
}

function beside(state: State, stage: string, made: readonly Made[]): { readonly text: string; readonly next: State } {
  const keys = Array.from({ length: state.random.int(0, 2) }, () => randomKey(state))
  const by = keys.length === 0 ? '' : ` by ${keys.join(', ')}`
  const names = new Set(made.map(({ field }) => field.name))
  const fields = [...state.fields.filter(({ name }) => !names.has(name)), ...made.map(({ field }) => field)]
  return { text: `${stage} ${made.map(({ text }) => text).join(', ')}${by}`, next: { ...state, fields } }
}

function eventstats(state: State): { readonly text: string; readonly next: State } | null {
  const made = randomAggregates(state, state.random.int(1, 3))
  return made.length === 0 ? null : beside(state, 'eventstats', made)
}

function streamstats(state: State): { readonly text: string; readonly next: State } {
  const { random } = state
  const windows = Array.from({ length: random.int(0, 2) }, (_, i) => randomWindow(state, i))
  const aggregates = randomAggregates(state, random.int(windows.length === 0 ? 1 : 0, 3))
  const made = [...aggregates, ...windows]
  const options = `${random.pick(['', '', ' window=1', ' window=2', ' window=3'])}${random.pick(['', '', ' current=false'])}`
  return beside(state, `streamstats${options}`, made.length > 0 ? made : [randomWindow(state, 0)])
}

function stats(state: State): { readonly text: string; readonly next: State } | null {
  const { random } = state
  const made = randomAggregates(state, random.int(1, 3))
  if (made.length === 0) return null
  const isBinned = state.events && state.fields.some(field => field.name === '_time') && random.chance(0.3)
  const keysMax = state.keysMax ?? 2
  const keys = Array.from(
    { length: random.int(isBinned ? 1 : 0, keysMax) },
    (_, i): Field & { readonly text: string } => ({
      name: `g${i}`,
      type: i === 0 && isBinned ? 'datetime' : 'any',
      text: i === 0 && isBinned ? `bin(_time, ${random.pick(['30s', '1m', '5m'])})` : randomKey(state),
    }),
  )
  const by = keys.length === 0 ? '' : ` by ${keys.map(key => `${key.text} as ${key.name}`).join(', ')}`
  const fields = [...keys.map(({ name, type }) => ({ name, type })), ...made.map(({ field }) => field)]
  const text = made.map(each => each.text).join(', ')
  return {
    text: `stats ${text}${by}`,
    next: { ...state, fields, ordered: false, events: false, series: isBinned, mixed: false },
  }
}

function isAnswerable(fn: AggregateFunction, state: State): boolean {
  if (fn.readsTime === true) return state.events && state.fields.some(field => field.name === '_time')
  return fn.ignoresOrder === true || state.ordered
}

/** Whether two ways of working it out may differ in the last digits, or by more: nothing is computed from such an answer. */
function isRough(fn: AggregateFunction): boolean {
  const isRounded = fn.merging.law !== 'exact' && fn.exactInts !== true
  return isRounded || fn.takesBinSeconds === true || isEstimate(fn.name)
}

function typeOfAnswer(fn: AggregateFunction): Field['type'] {
  if (isRough(fn)) return 'opaque'
  return fn.type(['any']) === 'array' ? 'array' : 'any'
}

function argumentsOf(fn: AggregateFunction, state: State): string[] {
  const { random } = state
  const [first, ...constants] = fn.parameters
  if (first === undefined || (first.optional && random.chance(0.5))) return []
  // A sum of durations is one; of datetimes there is only a range.
  const others = fn.takes ?? []
  if (others.length > 0 && random.chance(0.25))
    return [randomExpression(state, random.pick(others) as 'duration', 1), ...constantsOf(constants, random)]
  // What is added up is fields whose sums are exact.
  const argument = first.type === 'number' ? tameField(state) : randomExpression(state, 'any', 1)
  return [argument, ...constantsOf(constants, random)]
}

function constantsOf(constants: readonly Parameter[], random: Random): string[] {
  return constants.map(({ within }) => (within?.whole ? String(random.int(1, 3)) : random.pick(['50', '90', '99.9'])))
}

function tameField({ random, fields }: State): string {
  const tame = fields.filter(field => field.type === 'int' || field.type === 'float')
  return tame.length > 0 ? quoteField(random.pick(tame).name) : '1'
}
