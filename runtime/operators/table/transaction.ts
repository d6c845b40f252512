/** transaction: one walk in order of time, with the open transaction of each key; then its events' fields as one row. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { ColumnBatch, type RowRef, vectorOf } from '../../column-batch.ts'
import { keyOf } from '../../helpers/compare.ts'
import { valueAt } from '../../helpers/vectors.ts'
import { TRANSACTION_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { Ints } from './growable.ts'
import { Keys, keyColumns } from './keys.ts'
import { CollectedRows, type TableRun } from './table.ts'
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
    if (keyless > 0) context.count(`note:${keyless} events have no key and are in no transaction`)
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
    return new ColumnBatch(size, names, name => vectorOf(transactions.map(each => this.#valueOf(each, name))))
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
        return name === '_raw' ? textOf(refs) : together(refs, name)
      }
    }
  }
}

/** The one value all rows agree on, or the different ones in order. */
function together(refs: readonly RowRef[], name: string): Value {
  const different = new Map<string | number, Value>()
  let absent: Value
  for (const { batch, row } of refs) {
    const value = valueAt(batch.column(name), row)
    if (value === null) absent = null
    if (value !== null && value !== undefined && !different.has(keyOf(value))) different.set(keyOf(value), value)
  }
  const values = [...different.values()]
  return values.length > 1 ? values : values.length === 1 ? values[0] : absent
}

function textOf(refs: readonly RowRef[]): Value {
  const texts = refs.flatMap(({ batch, row }) => {
    const text = valueAt(batch.column('_raw'), row)
    return typeof text === 'string' ? [text] : []
  })
  return texts.length === 0 ? undefined : texts.join('\n')
}
