/** A transaction that has ended, as a row: its events' fields put together. */
import type { DateTime, ObjectValue, Value } from '../../../storage/value.ts'
import { Duration } from '../../../storage/value.ts'
import { showing, type Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { ColumnBatch, type RowRef, shownOf, vectorOf } from '../../column-batch.ts'
import { keyOf } from '../../helpers/compare.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { derivedColumn, firstOf, isMember, isObject, overlay, pathWithin } from '../../object-fields.ts'
import { TRANSACTION_COLUMNS } from '../../table.ts'
import { nanosBetween } from './times.ts'

export type Ending = 'end' | 'start' | 'pause' | 'span' | 'events'

/** What ends a transaction before an event, if anything does: `null` where it goes on. */
export interface EndingRules {
  readonly maxPauseNs: number | null
  readonly maxSpanNs: number | null
}

export function endingBefore(
  { maxPauseNs, maxSpanNs }: EndingRules,
  starts: boolean,
  sinceLastNs: number,
  sinceFirstNs: number,
): Ending | null {
  if (starts) return 'start'
  if (maxPauseNs !== null && sinceLastNs > maxPauseNs) return 'pause'
  if (maxSpanNs !== null && sinceFirstNs > maxSpanNs) return 'span'
  return null
}

export interface EndedTransaction {
  /** In order of time. */
  readonly rows: readonly RowRef[]
  readonly keys: readonly Value[]
  readonly first: DateTime
  readonly last: DateTime
  readonly closedBy: Ending | null
}

export interface TransactionShape {
  /** Names of the keys. */
  readonly keys: readonly string[]
  /** Every field any event has. */
  readonly names: Iterable<string>
  /** Was an end asked for? */
  readonly hasEnd: boolean
}

export function transactionBatch(
  transactions: readonly EndedTransaction[],
  { keys, names: fields, hasEnd }: TransactionShape,
  rowOrderBase: number,
): Batch {
  const made = ['_time', ...keys, ...TRANSACTION_COLUMNS]
  const known = new Set(fields)
  const others = [...known].filter(name => !made.includes(name) && name !== '_raw')
  const names = [...made, ...others, ...(known.has('_raw') && !made.includes('_raw') ? ['_raw'] : [])]
  const rowCount = transactions.length
  const size = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
  const isField = new Set([...names, 'index'])
  const shown = shownColumns()
  const columnOf = (name: string): Vector => {
    const columnIn = shown(name)
    return vectorOf(transactions.map(each => fieldOf(each, name, keys, hasEnd, columnIn)))
  }
  return new ColumnBatch(size, names, name => {
    if (!isField.has(name)) return derivedColumn(name, names, columnOf, rowCount)
    const own = columnOf(name)
    const members = names.filter(member => isMember(name, member))
    if (members.length === 0 || made.includes(name)) return own
    // An object that was read whole, with a key of it beside it: the key is what the transaction says it is.
    const ofKeys = members.filter(member => keys.includes(member))
    const set = ofKeys.map(key => ({ path: pathWithin(name, key), vector: columnOf(key) }))
    const keyed = set.length === 0 ? own : (overlay(own, set, rowCount) ?? own)
    const object = derivedColumn(name, members, columnOf, rowCount)
    // Read, it is the object its members make where it is nothing itself.
    return object === null ? keyed : showing(firstOf(keyed, object), shownOf(keyed))
  })
}

/** What events show of a field, batch by batch: without the objects whose members stand beside it. */
function shownColumns(): (name: string) => (batch: Batch) => Vector | null {
  const namesOf = new Map<Batch, ReadonlySet<string>>()
  return name => {
    const columns = new Map<Batch, Vector | null>()
    return batch => {
      let column = columns.get(batch)
      if (column === undefined) {
        let names = namesOf.get(batch)
        if (names === undefined) namesOf.set(batch, (names = new Set(batch.names)))
        column = name === 'index' || names.has(name) ? shownOf(batch.column(name)) : null
        columns.set(batch, column)
      }
      return column
    }
  }
}

function fieldOf(
  transaction: EndedTransaction,
  name: string,
  keys: readonly string[],
  hasEnd: boolean,
  columnIn: (batch: Batch) => Vector | null,
): Value {
  const { rows, first, last, closedBy } = transaction
  const key = keys.indexOf(name)
  if (key >= 0) return transaction.keys[key] ?? null
  switch (name) {
    case '_time':
      return first
    case 'duration':
      return new Duration(nanosBetween(first, last))
    case 'events':
      return rows.length
    case 'closed':
      return !hasEnd || closedBy === 'end'
    case 'closed_by':
      return closedBy
    default: {
      const values = rows.map(({ batch, row }) => {
        const column = columnIn(batch)
        return column === null ? undefined : valueAt(column, row)
      })
      return name === '_raw' ? textOf(values) : together(values)
    }
  }
}

/**
 * The one value all rows agree on, or the different ones in order. Objects are put together member by member, as the fields they are
 * made of would be.
 */
function together(values: readonly Value[]): Value {
  const present = values.filter(value => value !== null && value !== undefined)
  if (present.length === 0) return values.includes(null) ? null : undefined
  if (present.every(isObject)) {
    const names = [...new Set(present.flatMap(value => Object.keys(value)))].sort()
    return Object.fromEntries(names.map(name => [name, together(present.map(value => ownMember(value, name)))]))
  }
  const different = new Map<string | number, Value>()
  for (const value of present) if (!different.has(keyOf(value))) different.set(keyOf(value), value)
  return different.size > 1 ? [...different.values()] : present[0]
}

function ownMember(object: ObjectValue, name: string): Value {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function textOf(values: readonly Value[]): Value {
  const texts = values.filter(value => typeof value === 'string')
  return texts.length === 0 ? undefined : texts.join('\n')
}
