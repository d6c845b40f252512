/** transaction: one walk in order of time, with the open transaction of each key; then its events' fields as one row. */
import type { ObjectValue, Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { ColumnBatch, vectorOf } from '../../column-batch.ts'
import { keyOf } from '../../helpers/compare.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { derivedColumn, isMember, isObject, overlay, pathWithin } from '../../object-fields.ts'
import { TRANSACTION_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { Ints } from './growable.ts'
import { Keys, keyColumns } from './keys.ts'
import { CollectedRows, counted, type TableRun } from './table.ts'
import { durationBetween, Times } from './times.ts'

type Ending = 'end' | 'start' | 'pause' | 'span' | 'events'

interface Transaction {
  readonly rows: number[]
  readonly group: number
  closedBy: Ending | null
}

const STARTS = 1
const ENDS = 2
const ROW_BYTES = 28
const TRANSACTION_BYTES = 160
const OUTPUT_ROWS = 8192

export class TransactionOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'transaction'>
  readonly #collected: CollectedRows
  readonly #keys: Keys
  readonly #times = new Times()
  readonly #marks = new Ints()
  readonly #names = new Set<string>()

  constructor(run: TableRun<'transaction'>) {
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'transaction')
    this.#keys = new Keys(keyColumns(run.inputs), run.context.memory, 'transaction')
  }

  push(batch: Batch): void {
    const { context, inputs } = this.#run
    context.memory.charge(batch.selectedCount * ROW_BYTES, 'transaction')
    this.#collected.add(batch)
    this.#keys.add(batch)
    this.#times.add(batch, inputs.time)
    for (const name of batch.names) this.#names.add(name)
    const starts = inputs.startswith === undefined ? null : batch.column(inputs.startswith)
    const ends = inputs.endswith === undefined ? null : batch.column(inputs.endswith)
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const starting = starts !== null && valueAt(starts, row) === true ? STARTS : 0
      const ending = ends !== null && valueAt(ends, row) === true ? ENDS : 0
      this.#marks.push(starting | ending)
    }
  }

  finish(): void {
    const { context, next } = this.#run
    const found = this.#find()
    context.memory.charge(found.length * TRANSACTION_BYTES, 'transaction')
    const times = this.#times
    found.sort(
      (a, b) =>
        times.between(b.rows[0]!, a.rows[0]!) || this.#keys.compare(a.group, b.group) || a.rows[0]! - b.rows[0]!,
    )
    for (let start = 0; start < found.length && !next.isDone; start += OUTPUT_ROWS) {
      next.push(this.#batchOf(found.slice(start, start + OUTPUT_ROWS), start))
    }
    next.finish()
  }

  #find(): Transaction[] {
    const { options, inputs, context } = this.#run
    const found: Transaction[] = []
    const open = new Map<number, Transaction>()
    let keyless = 0
    for (const row of this.#times.order()) {
      const group = this.#keys.of(row)
      if (this.#keys.isKeyless(group)) {
        keyless++
        continue
      }
      const marks = this.#marks.values[row]!
      let current = open.get(group)
      if (current !== undefined) {
        current.closedBy = this.#endingBefore(current, row, marks)
        if (current.closedBy !== null) current = undefined
      }
      if (current === undefined) {
        open.delete(group)
        if (inputs.startswith !== undefined && (marks & STARTS) === 0) continue
        current = { rows: [], group, closedBy: null }
        found.push(current)
        open.set(group, current)
      }
      current.rows.push(row)
      if ((marks & ENDS) !== 0) current.closedBy = 'end'
      else if (current.rows.length === options.maxEvents) current.closedBy = 'events'
      if (current.closedBy !== null) open.delete(group)
    }
    if (keyless > 0) context.count(`note:${counted(keyless, 'event')} without a key left out: in no transaction`)
    return found
  }

  /** What ends a transaction before the row, if anything does. */
  #endingBefore({ rows }: Transaction, row: number, marks: number): Ending | null {
    const { maxPauseNs, maxSpanNs } = this.#run.options
    if ((marks & STARTS) !== 0) return 'start'
    if (maxPauseNs !== null && this.#times.between(rows.at(-1)!, row) > maxPauseNs) return 'pause'
    if (maxSpanNs !== null && this.#times.between(rows[0]!, row) > maxSpanNs) return 'span'
    return null
  }

  #batchOf(transactions: readonly Transaction[], rowOrderBase: number): Batch {
    const { keys } = this.#run.options
    const made = ['_time', ...keys, ...TRANSACTION_COLUMNS]
    const others = [...this.#names].filter(name => !made.includes(name) && name !== '_raw')
    const names = [...made, ...others, ...(this.#names.has('_raw') ? ['_raw'] : [])]
    const rowCount = transactions.length
    const size = { rowCount, selection: null, selectedCount: rowCount, rowOrderBase }
    const isField = new Set([...names, 'index'])
    const columnOf = (name: string): Vector => vectorOf(transactions.map(each => this.#valueOf(each, name)))
    return new ColumnBatch(size, names, name => {
      if (!isField.has(name)) return derivedColumn(name, names, columnOf, rowCount)
      // An object that was read whole, with a key of it beside it: the key is what the transaction says it is.
      const members = keys.filter(key => isMember(name, key))
      if (members.length === 0 || made.includes(name)) return columnOf(name)
      const own = members.map(key => ({ path: pathWithin(name, key), vector: columnOf(key) }))
      return overlay(columnOf(name), own, rowCount)
    })
  }

  #valueOf(transaction: Transaction, name: string): Value {
    const { rows, group, closedBy } = transaction
    const { options, inputs } = this.#run
    const key = options.keys.indexOf(name)
    if (key >= 0) return this.#keys.value(group, key)
    switch (name) {
      case '_time':
        return this.#times.at(rows[0]!)
      case 'duration':
        return durationBetween(this.#times, rows[0]!, rows.at(-1)!)
      case 'events':
        return rows.length
      case 'closed':
        return inputs.endswith === undefined || closedBy === 'end'
      case 'closed_by':
        return closedBy
      default: {
        const refs = rows.map(row => this.#collected.rows[row]!)
        const values = refs.map(({ batch, row }) => valueAt(batch.column(name), row))
        return name === '_raw' ? textOf(values) : together(values)
      }
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
