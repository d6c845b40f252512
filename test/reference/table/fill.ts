import type { AstAggregate, AstFill, AstStage, AstStats } from '../../../grammar/ast.ts'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import { DateTime, Duration, type Value } from '../../../storage/value.ts'
import { aggregate } from '../aggregates.ts'
import { aggregateName, isTimeBin, keyName } from '../names.ts'
import { type Row, readField } from '../row.ts'
import type { TableReference } from './index.ts'

const NO_ROW: Row = { fields: new Map(), index: undefined }

/** The last stats says what the columns are; renames since then and columns made since then are followed. */
export const fill: TableReference<AstFill> = (stage, { rows, columns }, evaluate, surroundings) => {
  const { stats, later } = split(surroundings.before)
  const bin = stats?.by.find(key => isTimeBin(key.value))
  const written = stage.width ?? (bin?.value.kind === 'call' ? bin.value.args[1] : undefined)
  const width = written === undefined ? null : evaluate(written, NO_ROW)
  if (!(width instanceof Duration)) throw new Error('fill without a width')
  const micros = width.ns / 1000
  const now = (name: string): string | null => nameNow(name, later)
  const time = bin === undefined ? '_time' : (now(keyName(bin)) ?? '')
  const isHere = (name: string | null): name is string => name !== null && (columns?.includes(name) ?? true)
  const keys = (stats?.by ?? [])
    .filter(key => key !== bin)
    .map(key => now(keyName(key)))
    .filter(isHere)
  const empty = new Map<string, Value>((columns ?? []).map(name => [name, null]))
  for (const each of stats?.aggregates ?? []) {
    const name = now(aggregateName(each))
    if (isHere(name)) empty.set(name, emptyOf(each, width.ns / 1e9))
  }
  const timeOf = (row: Row): Value => readField(row, time)
  const keysOf = (row: Row): Value[] => keys.map(key => readField(row, key) ?? null)
  const idOf = (row: Row): string => JSON.stringify(keysOf(row).map(keyOf))
  const instants = rows
    .map(timeOf)
    .filter(each => each instanceof DateTime)
    .map(each => each.micros)
  const { fromMicros, toMicros, nowMicros } = surroundings
  const ends = fromMicros === null ? instants : [...instants, nowMicros]
  const low = fromMicros ?? (instants.length === 0 ? null : Math.min(...instants))
  const high = toMicros === null ? (ends.length === 0 ? null : Math.max(...ends)) : toMicros - 1
  const made: Row[] = []
  const series = keys.length === 0 ? [NO_ROW] : [...new Map(rows.map(row => [idOf(row), row] as const)).values()]
  if (low !== null && high !== null) {
    for (let at = Math.floor(low / micros) * micros; at <= high; at += micros) {
      for (const one of series) {
        const isThere = rows.some(row => {
          const then = timeOf(row)
          const isThen = then instanceof DateTime && then.micros >= at && then.micros < at + micros
          return isThen && (keys.length === 0 || idOf(row) === idOf(one))
        })
        if (isThere) continue
        const fields = new Map<string, Value>(empty).set(time, new DateTime(at))
        for (const [n, key] of keys.entries()) fields.set(key, keysOf(one)[n])
        made.push({ fields, index: undefined })
      }
    }
  }
  const all = [...rows, ...made]
  all.sort((a, b) => {
    const order = compareValues(timeOf(a), timeOf(b))
    if (order !== 0) return order
    return keysOf(a).reduce<number>((so, key, n) => (so !== 0 ? so : compareValues(key, keysOf(b)[n])), 0)
  })
  return { rows: all, columns }
}

function split(before: readonly AstStage[]): { readonly stats: AstStats | null; readonly later: readonly AstStage[] } {
  const at = before.findLastIndex(stage => stage.kind === 'stats')
  const stats = before[at]
  return stats?.kind === 'stats' ? { stats, later: before.slice(at + 1) } : { stats: null, later: [] }
}

/** Null: it was replaced by something computed since. */
function nameNow(name: string, later: readonly AstStage[]): string | null {
  let now = name
  for (const stage of later) {
    if (stage.kind === 'extend' && stage.assignments.some(a => a.name === now)) return null
    const isBeside = stage.kind === 'eventstats' || stage.kind === 'streamstats'
    if (isBeside && stage.aggregates.some(a => aggregateName(a) === now)) return null
    if (stage.kind !== 'rename') continue
    const pair = stage.pairs.find(({ from }) => from.name === now)
    if (pair === undefined && stage.pairs.some(({ to }) => to === now)) return null
    now = pair?.to ?? now
  }
  return now
}

/** What stats gives for no rows; a sum of nothing is 0 here. */
function emptyOf(each: AstAggregate, binSeconds: number): Value {
  const name = each.name.toLowerCase()
  return name === 'sum' ? 0 : aggregate({ name, samples: [], parameters: [50], binSeconds })
}
