/**
 * Hundreds of rows whose fields change their nature from stretch to stretch, and queries that group them: so that codes of keys change
 * what they stand for, tables of groups grow, and go from dense to hashed, while a query runs. The small data of `data.ts` never gets there.
 */
import type { Field } from './data.ts'
import {
  isUsable,
  type RandomKind,
  type RandomQuery,
  randomStage,
  type StageMaker,
  type State,
  startOf,
} from './query.ts'
import type { Random } from './random.ts'

/** One value as JSON; null for a field the row does not have. */
type Nature = (random: Random, row: number) => string | null

/** What a column is within a stretch: each is coded in a way of its own, or is just beyond the bounds of one. */
const NATURES: readonly Nature[] = [
  random => String(random.int(0, 6)),
  (_, row) => String(row),
  // Wider than the window of codes.
  random => String(random.int(-100_000, 100_000)),
  random => String(random.int(0, 3) * 70_000),
  random => String(random.int(-4000, 4000) / 8),
  random => random.pick(['9007199254740993', '9007199254740992', '-9223372036854775808', '7']),
  random => JSON.stringify(`v${random.int(0, 6)}`),
  (_, row) => JSON.stringify(`unique ${row}`),
  (_, row) => JSON.stringify(`${row} größer als ${row}`),
  // More than a table of numbers begins with.
  (_, row) => String(row + 0.5),
  random => JSON.stringify(`größe ${random.int(0, 500)}`),
  random => JSON.stringify(String(random.int(0, 6))),
  random => random.pick(['true', 'false']),
  random => random.pick(['1', '"1"', 'true', '1.5', '[1]', '{}', 'null', '"2026-06-01T00:00:00Z"']),
  random => JSON.stringify(`2026-06-15T09:00:0${random.int(0, 9)}.00000000${random.int(0, 2)}Z`),
  random => `[${random.int(0, 2)},"a"]`,
  () => 'null',
  () => null,
]

/** Sums of these are exact, in any order. */
const TAME: readonly Nature[] = [
  random => String(random.int(-3, 12)),
  random => String(random.int(-40, 4000) / 8),
  () => null,
]

/** The last rows, a part of their own: without them a key may hold ints alone, and what compares it with a text is refused. */
const ODD = ['"a"', '1', 'true', '[]', 'null']

const KEYS = ['k0', 'k1', 'k2'] as const

export interface ManyRows {
  readonly lines: readonly string[]
  /** Rows of a stretch: flushed together they are a part of their own. */
  readonly stretchRows: number
  readonly fields: readonly Field[]
}

export function manyRows(random: Random): ManyRows {
  const stretchRows = random.pick([40, 100, 300])
  const count = random.pick([2, 3, 4]) * stretchRows
  const likes = new Map(KEYS.map(name => [name, random.some(NATURES).slice(0, 3)]))
  const lines: string[] = []
  let natures = new Map<string, Nature>()
  for (let row = 0; row < count + ODD.length; row++) {
    const odd = ODD[row - count]
    if (odd !== undefined) for (const name of KEYS) natures.set(name, () => odd)
    else if (row % stretchRows === 0) natures = new Map(KEYS.map(name => [name, random.pick(likes.get(name)!)]))
    const seconds = row * 7 + random.int(0, 20)
    const time = new Date(Date.UTC(2026, 5, 15, 3) + seconds * 1000).toISOString()
    const members = [`"_timestamp":${JSON.stringify(time)}`, `"id":${row}`]
    const add = (name: string, nature: Nature): void => {
      const value = random.chance(0.03) ? null : nature(random, row)
      if (value !== null) members.push(`${JSON.stringify(name)}:${value}`)
    }
    for (const [name, nature] of natures) add(name, nature)
    add('n', TAME[row % TAME.length]!)
    lines.push(`{${members.join(',')}}`)
  }
  const fields: Field[] = [
    { name: 'id', type: 'int' },
    { name: '_time', type: 'datetime' },
    { name: 'n', type: 'float' },
    ...KEYS.map((name): Field => ({ name, type: 'any' })),
  ]
  return { lines, stretchRows, fields }
}

/** One that groups, mostly by several keys; its rows in an order that leaves no ties, so that many of them can be compared. */
export function groupingQuery(random: Random, fields: readonly Field[]): RandomQuery {
  let state: State = { ...startOf(random, fields), keysMax: 3 }
  const stages: string[] = []
  const add = (kind: RandomKind): void => {
    if (!state.fields.some(isUsable)) return
    const made =
      kind === 'union' ? unionOfOthers(state) : kind === 'join' ? joinOfGroups(state) : randomStage(kind, state)
    if (made === null) return
    stages.push(made.text)
    state = made.next
  }
  for (const kind of ['where', 'extend', 'union', 'join', 'sort'] as const) if (random.chance(0.12)) add(kind)
  // Rows that no key tells apart must be grouped before they can be put in order.
  add(state.mixed ? 'stats' : random.pick(['stats', 'stats', 'stats', 'eventstats', 'dedup', 'rollup']))
  if (random.chance(0.3)) add(random.pick(['stats', 'eventstats', 'where']))
  add('sort')
  return { stages }
}

/** The same rows with the keys changed round: what is a number in one input is text in the other. */
function unionOfOthers(state: State): ReturnType<StageMaker> {
  const [a, b, c] = KEYS
  const text = `union [from main | rename ${a} as ${b}, ${b} as ${c}, ${c} as ${a}]`
  return { text, next: { ...state, ordered: false, mixed: true } }
}

/** Against groups, so that no row meets many. */
function joinOfGroups(state: State): ReturnType<StageMaker> {
  const { random } = state
  const keys = random.some(KEYS).join(', ')
  const type = random.pick(['', 'type=left ', 'type=outer '])
  const text = `join ${type}on ${keys} with [from main | stats count() as c by ${keys}]`
  const fields: Field[] = [...state.fields, { name: 'c', type: 'int' }]
  return { text, next: { ...state, fields, ordered: false, mixed: true, events: false } }
}
