/** Random investigation stages, where the reference has one answer: times are distinct, sums are exact, orders are total. */
import { quoteField } from '../../grammar/index.ts'
import type { Field } from './data.ts'
import { condition } from './expression.ts'
import { isUsable, names, type StageMaker, type State } from './query.ts'

const hasTime = ({ events, fields }: State): boolean => events && fields.some(({ name }) => name === '_time')

/** ` by a, b`, or nothing. */
function by(state: State): string {
  const keys = state.random.some(state.fields.filter(isUsable)).slice(0, 2)
  return state.random.chance(0.6) ? ` by ${names(keys)}` : ''
}

function number(state: State): string | null {
  const numbers = state.fields.filter(({ type }) => type === 'int' || type === 'float')
  return numbers.length === 0 ? null : quoteField(state.random.pick(numbers).name)
}

function withAdded(state: State, added: Readonly<Record<string, Field['type']>>): State {
  const fields = Object.entries(added).map(([name, type]): Field => ({ name, type }))
  const others = state.fields.filter(({ name }) => !Object.hasOwn(added, name))
  return { ...state, fields: [...others, ...fields], series: false }
}

function closed(state: State, made: Readonly<Record<string, Field['type']>>): State {
  return { ...withAdded({ ...state, fields: [] }, made), ordered: true, events: false }
}

const SPAN_FIELDS = {
  depth: 'int',
  path: 'string',
  offset: 'duration',
  took: 'duration',
  self_time: 'duration',
  critical: 'bool',
  failed: 'bool',
} as const

export const INVESTIGATION = {
  sessionize: state => {
    if (!hasTime(state)) return null
    const { random } = state
    const options = random.pick(['', ' maxpause=40s', ' maxpause=45s', ' maxpause=1m maxspan=90s'])
    const added = {
      session: 'int',
      session_start: 'datetime',
      session_duration: 'duration',
      session_events: 'int',
    } as const
    return { text: `sessionize${options}${by(state)}`, next: withAdded(state, added) }
  },

  transaction: state => {
    if (!hasTime(state)) return null
    const { random } = state
    const keys = random.some(state.fields.filter(field => isUsable(field) && field.name !== '_time')).slice(0, 2)
    const options = random.some([
      'maxspan=100s',
      'maxpause=40s',
      'maxevents=2',
      `startswith=${condition(state, 1)}`,
      `endswith=${condition(state, 1)}`,
    ])
    const made = { duration: 'duration', events: 'int', closed: 'bool', closed_by: 'string' } as const
    const fields = state.fields.map(
      ({ name, type }): Field => ({ name, type: name === '_time' || type === 'object' ? type : 'any' }),
    )
    const next = { ...withAdded({ ...state, fields }, made), ordered: true, events: false }
    return { text: `transaction ${names(keys)} ${options.join(' ')}`, next }
  },

  outliers: state => {
    const field = number(state)
    if (field === null) return null
    const { random } = state
    const method = random.pick(['', ' method=zscore', ' method=mad'])
    const threshold = random.pick(['', ' threshold=1', ' threshold=0.5'])
    const isMarking = random.chance(0.5)
    const bounds = { score: 'opaque', lower: 'opaque', upper: 'opaque' } as const
    const added = isMarking ? ({ ...bounds, is_outlier: 'bool' } as const) : bounds
    const text = `outliers field=${field}${method}${threshold}${isMarking ? ' mark=true' : ''}${by(state)}`
    return { text, next: withAdded(state, added) }
  },

  context: state => {
    if (!hasTime(state)) return null
    const options = state.random.pick(['0', '1', '2', '1 after=3', '3 before=0'])
    const next = { ...withAdded(state, { context: 'string', context_block: 'int' }), ordered: true }
    return { text: `where ${condition(state, 2)} | context ${options}${by(state)}`, next }
  },

  diff: state => {
    const options = state.random.pick(['', ' limit=3', ' distinct=3', ' distinct=1'])
    // Names of fields as values: `xyseries` would refuse a column of the name it has.
    const made = { field: 'opaque', test: 'string', value: 'any', matching: 'int', rest: 'int' } as const
    return { text: `diff (${condition(state, 2)})${options}`, next: closed(state, made) }
  },

  correlate: state => {
    const fields = state.fields.filter(({ type }) => ['int', 'float', 'string', 'bool'].includes(type))
    if (fields.length < 2) return null
    const { random } = state
    const chosen = Array.from({ length: random.int(2, 3) }, () => quoteField(random.pick(fields).name))
    const method = random.pick(['', '', ' method=spearman', ' method=cramers_v', ' method=eta'])
    const made = { a: 'opaque', b: 'opaque', method: 'string', correlation: 'opaque', n: 'int' } as const
    return { text: `correlate ${chosen.join(', ')}${method}`, next: closed(state, made) }
  },

  changepoint: state => {
    const field = number(state)
    if (field === null || !hasTime(state)) return null
    const options = state.random.pick(['', ' penalty=0.5', ' model=trend', ' model=trend penalty=0.2', ' penalty=1'])
    const made = { _time: 'datetime', before: 'opaque', after: 'opaque', score: 'opaque' } as const
    return { text: `changepoint ${field}${options}`, next: closed(state, made) }
  },

  forecast: state => {
    const field = number(state)
    if (field === null || !hasTime(state) || !state.ordered) return null
    const { random } = state
    const options = random.pick(['', ' confidence=50', ' season=3m', ' season=80s'])
    const added = { is_forecast: 'bool', lower: 'opaque', upper: 'opaque', model: 'string' } as const
    const next = withAdded({ ...state, fields: state.fields.map(rounded) }, added)
    return { text: `forecast ${field} ${random.int(0, 4)}${options}`, next: { ...next, events: false } }
  },

  trace: state => {
    if (!hasTime(state) || !state.fields.some(({ name }) => name === 'trace_id')) return null
    const options = state.random.pick(['', '', ' name=host', ` error=${condition(state, 1)}`, ' service=level'])
    return { text: `trace${options}`, next: { ...withAdded(state, SPAN_FIELDS), ordered: true } }
  },

  topology: state => {
    if (!state.events || !state.fields.some(({ name }) => name === 'span_id')) return null
    const options = state.random.pick(['', '', ' caller=host callee=service', ' error=ok'])
    const made = {
      caller: 'any',
      callee: 'any',
      calls: 'int',
      errors: 'int',
      p50: 'duration',
      p95: 'duration',
    } as const
    return { text: `topology${options}`, next: closed(state, made) }
  },
} satisfies Readonly<Record<string, StageMaker>>

/** Forecasts are rounded: what is made of them may differ in the last digit. */
function rounded(field: Field): Field {
  return field.type === 'int' || field.type === 'float' ? { name: field.name, type: 'opaque' } : field
}
