/** transaction: each key's rows in order of time, cut where the options say so, each piece one row. */
import type { AstTransaction } from '../../../grammar/ast.ts'
import { printExpr } from '../../../grammar/index.ts'
import { durationOption, numberOption, optionOf } from '../../../grammar/stages/options.ts'
import { compareValues, keyOf } from '../../../runtime/helpers/compare.ts'
import type { Value } from '../../../storage/value.ts'
import { isAbsent, isObject, type Row, setField } from '../row.ts'
import type { TableReference } from './index.ts'
import { compareKeys, type Group, groupsBy, hasNoKey, inTimeOrder, lengthOf, nameOf, timeOf } from './rows.ts'

type Ending = 'end' | 'start' | 'pause' | 'span' | 'events'

interface Transaction extends Group {
  closedBy: Ending | null
}

export const transaction: TableReference<AstTransaction> = (stage, { rows, columns }, evaluate) => {
  const { options } = stage
  const startsWith = optionOf(options, 'startswith')
  const endsWith = optionOf(options, 'endswith')
  const maxPause = durationOption(options, 'maxpause') ?? Number.POSITIVE_INFINITY
  const maxSpan = durationOption(options, 'maxspan') ?? Number.POSITIVE_INFINITY
  const maxEvents = numberOption(options, 'maxevents') ?? Number.POSITIVE_INFINITY
  const found: Transaction[] = []
  for (const group of groupsBy(rows, stage.keys, evaluate)) {
    if (hasNoKey(group)) continue
    let open: Transaction | null = null
    for (const row of inTimeOrder(group.rows)) {
      const isStart = startsWith !== null && evaluate(startsWith, row) === true
      if (open !== null) {
        if (isStart) open.closedBy = 'start'
        else if (lengthOf(open.rows.at(-1)!, row).ns > maxPause) open.closedBy = 'pause'
        else if (lengthOf(open.rows[0]!, row).ns > maxSpan) open.closedBy = 'span'
        if (open.closedBy !== null) open = null
      }
      if (open === null && startsWith !== null && !isStart) continue
      if (open === null) found.push((open = { keys: group.keys, rows: [], closedBy: null }))
      open.rows.push(row)
      if (endsWith !== null && evaluate(endsWith, row) === true) open.closedBy = 'end'
      else if (open.rows.length === maxEvents) open.closedBy = 'events'
      if (open.closedBy !== null) open = null
    }
  }
  found.sort((a, b) => compareValues(timeOf(a.rows[0]!), timeOf(b.rows[0]!)) || compareKeys(a.keys, b.keys))
  const keyNames = stage.keys.map(key => nameOf(key, printExpr))
  const made = ['_time', ...keyNames, 'duration', 'events', 'closed', 'closed_by']
  return {
    rows: found.map(each => asRow(each, keyNames, endsWith !== null)),
    columns: columns && [...made, ...columns.filter(name => !made.includes(name))],
  }
}

function asRow({ rows, keys, closedBy }: Transaction, keyNames: readonly string[], hasEnd: boolean): Row {
  const names = new Set(rows.flatMap(row => [...row.fields.keys()]))
  const fields = new Map<string, Value>()
  for (const name of names) {
    const values = rows.map(row => row.fields.get(name))
    fields.set(name, name === '_raw' ? lines(values) : together(values))
  }
  fields.set('_time', timeOf(rows[0]!))
  fields.set('duration', lengthOf(rows[0]!, rows.at(-1)!))
  fields.set('events', rows.length)
  fields.set('closed', !hasEnd || closedBy === 'end')
  fields.set('closed_by', closedBy)
  const row = { fields, index: rows[0]!.index }
  for (const [index, name] of keyNames.entries()) setField(row, name, keys[index])
  // One key is no part of another.
  for (const [index, name] of keyNames.entries()) fields.set(name, keys[index])
  return row
}

function lines(values: readonly Value[]): Value {
  const texts = values.filter(value => typeof value === 'string')
  return texts.length === 0 ? undefined : texts.join('\n')
}

function together(values: readonly Value[]): Value {
  const present = values.filter(value => !isAbsent(value))
  if (present.length > 0 && present.every(isObject)) {
    const names = new Set(present.flatMap(value => Object.keys(value)))
    return Object.fromEntries([...names].map(name => [name, together(present.map(value => value[name]))]))
  }
  const different = present.filter((value, at) => present.findIndex(other => keyOf(other) === keyOf(value)) === at)
  if (different.length > 1) return different
  return different.length === 1 ? different[0] : values.some(value => value === null) ? null : undefined
}
