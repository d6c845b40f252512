/** Random typed pipelines over known fields. Whatever depends on order comes only after a sort that leaves no ties. */

import type { AggregateFunction } from '../../compiler/functions/descriptor.ts'
import { FUNCTIONS } from '../../compiler/functions/index.ts'
import { quoteField } from '../../grammar/index.ts'
import { type Field, isIn } from './data.ts'
import { CALLABLE, condition, type ExpressionContext, randomExpression } from './expression.ts'
import type { Random } from './random.ts'

export interface RandomQuery {
  readonly stages: readonly string[]
}

export function queryText(query: RandomQuery): string {
  return ['from main', ...query.stages].join(' | ')
}

interface State extends ExpressionContext {
  readonly aggregates: readonly AggregateFunction[]
  /** True while the order of rows is total, so that first, head and dedup have one answer. */
  readonly ordered: boolean
  /** True until stats: rows still have their own `_time` and any field they came with. */
  readonly events: boolean
}

type StageMaker = (state: State) => { readonly text: string; readonly next: State } | null

export function randomQuery(random: Random, fields: readonly Field[]): RandomQuery {
  let state: State = {
    random,
    fields,
    functions: random.some(CALLABLE),
    aggregates: random.some([...FUNCTIONS.aggregates.values()]),
    ordered: false,
    events: true,
  }
  const makers = random.some(Object.keys(STAGES).filter(isIn)).map(name => STAGES[name] as StageMaker)
  const stages: string[] = []
  const wanted = random.pick([1, 1, 2, 3, 5])
  for (let tries = 0; stages.length < wanted && tries < 12; tries++) {
    const made = state.fields.some(isUsable) ? random.pick(makers)(state) : null
    if (made === null) continue
    stages.push(made.text)
    state = made.next
  }
  return { stages }
}

/** Formats with what they may find in the texts of the random data. */
const PARSES: readonly (readonly [string, readonly string[]])[] = [
  ['json', ['user', 'n', 'big', 'tags', 'http.status']],
  ['logfmt', ['user', 'ms', 'msg', 'flag']],
  ['kv(sep=";", assign=":")', ['a', 'b']],
  ['regex r"user=(?<user>\\w+) ms=(?<ms>\\d+)"', ['user', 'ms']],
  ['regex r"(?<first>\\w+)[^a-z]+(?<second>\\w*)"', ['first', 'second']],
  ['pattern "user=<user> ms=<ms>"', ['user', 'ms']],
  ['combined', ['method', 'status', 'bytes', 'clientip']],
]

function names(fields: readonly Field[]): string {
  return fields.map(field => quoteField(field.name)).join(', ')
}

const STAGES: Readonly<Record<string, StageMaker>> = {
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
    const whole = chosen.filter(field => field.type === 'object').map(field => `${field.name}.`)
    const kept = chosen.filter(field => !whole.some(prefix => field.name.startsWith(prefix)))
    return { text: `keep ${names(kept)}`, next: { ...state, fields: kept } }
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
    const texts = state.fields.filter(
      field => field.name === 'body' || field.name === 'message' || field.name === 'mixed',
    )
    if (texts.length === 0) return null
    const [format, found] = random.pick(PARSES)
    const prefix = random.chance(0.3) ? 'p_' : ''
    const onError = random.pick(['', '', ' on_error drop', ' on_error null'])
    const text = `parse ${format} from ${random.pick(texts).name}${prefix && ' prefix p_'}${onError} | drop _error_detail`
    const added = found.map((name): Field => ({ name: prefix + name, type: 'any' }))
    const names = new Set(added.map(field => field.name))
    return { text, next: { ...state, fields: [...state.fields.filter(field => !names.has(field.name)), ...added] } }
  },

  rename: state => {
    // What renaming an object that is only there in parts means, the language does not say.
    const candidates = state.fields.filter(field => !isPinned(field) && isUsable(field) && field.type !== 'object')
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
    state.ordered ? { text: `sample ${state.random.pick(['3', '50%', '20% seed=3'])}`, next: state } : null,

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

  stats: state => stats(state),
  count: state => stats(state),
}

/** `_time` and `id` stay as they came: totals of order and `earliest` rest on them. */
function isPinned(field: Field): boolean {
  return field.name === '_time' || field.name === 'id' || isGroupKey(field)
}

/** There is something left to compute with. */
function isUsable(field: Field): boolean {
  return field.type !== 'opaque'
}

function isGroupKey(field: Field): boolean {
  return /^g\d$/.test(field.name)
}

function pickUnpinned(state: State): string {
  const candidates = state.fields.filter(field => !isPinned(field))
  return candidates.length > 0 ? state.random.pick(candidates).name : 'x1'
}

function stats(state: State): { readonly text: string; readonly next: State } | null {
  const { random } = state
  const known = state.aggregates.filter(fn => isAnswerable(fn, state))
  if (known.length === 0) return null
  const added: Field[] = []
  const aggregates = Array.from({ length: random.int(1, 3) }, (_, i) => {
    const fn = random.pick(known)
    const name = fn.family === undefined ? fn.name : random.pick(['p50', 'p90', 'p99', 'p99_9'])
    const where = random.chance(0.25) ? `where ${condition(state, 1)}` : null
    const parts = [...argumentsOf(fn, state), ...(where === null ? [] : [where])]
    // The alias says which aggregate it was, so that a comparison knows which error is allowed.
    const alias = `a${i}_${name}`
    added.push({ name: alias, type: typeOfAnswer(fn) })
    return `${name}(${parts.join(', ')}) as ${alias}`
  })
  const keys = Array.from({ length: random.int(0, 2) }, (_, i): Field & { readonly text: string } => {
    const text = random.chance(0.6)
      ? quoteField(random.pick(state.fields.filter(isUsable)).name)
      : randomExpression(state, random.pick(['string', 'bool', 'any'] as const), 2)
    return { name: `g${i}`, type: 'any', text }
  })
  const by = keys.length === 0 ? '' : ` by ${keys.map(key => `${key.text} as ${key.name}`).join(', ')}`
  const fields = [...keys.map(({ name, type }) => ({ name, type })), ...added]
  return { text: `stats ${aggregates.join(', ')}${by}`, next: { ...state, fields, ordered: false, events: false } }
}

const NEEDS_ORDER = new Set(['first', 'last', 'list'])
const NEEDS_TIME = new Set(['earliest', 'latest', 'rate'])

function isAnswerable(fn: AggregateFunction, state: State): boolean {
  if (NEEDS_ORDER.has(fn.name)) return state.ordered
  return !NEEDS_TIME.has(fn.name) || (state.events && state.fields.some(field => field.name === '_time'))
}

const ESTIMATES = new Set(['perc', 'pNN', 'estdc', 'stdev', 'var', 'avg', 'rate', 'exactperc', 'median'])

function typeOfAnswer(fn: AggregateFunction): Field['type'] {
  if (ESTIMATES.has(fn.name)) return 'opaque'
  return fn.name === 'values' || fn.name === 'list' ? 'array' : 'any'
}

/** Sums and spreads are over fields whose sums are exact; the rest may be over anything. */
const ROUNDS = new Set(['sum', 'avg', 'stdev', 'var', 'range', 'exactperc', 'median', 'perc', 'pNN'])

function argumentsOf(fn: AggregateFunction, state: State): string[] {
  const { random } = state
  const [first, ...constants] = fn.parameters
  if (first === undefined || (first.optional && random.chance(0.5))) return []
  const tame = state.fields.filter(field => field.type === 'int' || field.type === 'float')
  const argument = !ROUNDS.has(fn.name)
    ? randomExpression(state, 'any', 1)
    : tame.length > 0
      ? quoteField(random.pick(tame).name)
      : '1'
  return [argument, ...constants.map(() => random.pick(['50', '90', '99.9']))]
}
