/**
 * Transactions of more events than memory holds: events are sorted by key and time on disk, walked key by key with one transaction open at a
 * time, and the rows that come of it are sorted by when they start. One transaction must fit.
 */
import { DateTime, type Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { vectorOf, withSelection } from '../../column-batch.ts'
import { compareValues } from '../../helpers/compare.ts'
import { valueAt } from '../../helpers/vectors.ts'
import type { SortedRow } from '../../spill/sorted-runs.ts'
import { SpillingSort } from '../../spill/spilling-sort.ts'
import { keyColumns } from './keys.ts'
import { counted, type TableRun } from './table.ts'
import { nanosBetween } from './times.ts'
import { type EndedTransaction, type Ending, endingBefore, transactionBatch } from './transaction-rows.ts'

export const STARTS = 1
export const ENDS = 2
const STAGE = 'transaction'
/** Rough cost of an event of the transaction that is open. */
const EVENT_BYTES = 128
/** Ended transactions are put away once they have so many events. */
const EVENTS_HELD = 4096

/** Of each selected row, whether it starts or ends a transaction. */
export function marksOf(batch: Batch, inputs: TableRun<'transaction'>['inputs']): Uint8Array {
  const starts = inputs.startswith === undefined ? null : batch.column(inputs.startswith)
  const ends = inputs.endswith === undefined ? null : batch.column(inputs.endswith)
  const marks = new Uint8Array(batch.selectedCount)
  for (let n = 0; n < batch.selectedCount; n++) {
    const row = batch.selection === null ? n : batch.selection[n]!
    if (starts !== null && valueAt(starts, row) === true) marks[n]! |= STARTS
    if (ends !== null && valueAt(ends, row) === true) marks[n]! |= ENDS
  }
  return marks
}

export function keylessNote(events: number): string {
  return `note:${counted(events, 'event')} without a key left out: in no transaction`
}

interface Open {
  readonly rows: SortedRow[]
  closedBy: Ending | null
}

export class TransactionsFromDisk {
  readonly #run: TableRun<'transaction'>
  readonly #names: ReadonlySet<string>
  readonly #keys: readonly string[]
  readonly #events: SpillingSort
  readonly #transactions: SpillingSort
  #arrived = 0
  #keyless = 0
  #openBytes = 0
  /** Ended, with the number of their first event. */
  #ended: { readonly transaction: EndedTransaction; readonly order: number }[] = []
  #endedEvents = 0

  /** @param names  of every field there is, once all events have been added */
  constructor(run: TableRun<'transaction'>, names: ReadonlySet<string>) {
    const { memory, spill } = run.context
    this.#run = run
    this.#names = names
    this.#keys = keyColumns(run.inputs)
    const descending = [...this.#keys, 'time'].map(() => false)
    const options = { memory, spill, stage: STAGE, descending, limit: null }
    this.#events = new SpillingSort(options)
    this.#transactions = new SpillingSort(options)
  }

  /** Events without a key or a time are in no transaction. */
  add(batch: Batch): void {
    const { selection, selectedCount } = batch
    const { inputs } = this.#run
    const keys = this.#keys.map(key => batch.column(key))
    const times = inputs.time === undefined ? null : batch.column(inputs.time)
    const kept = new Uint32Array(selectedCount)
    const orders = new Float64Array(selectedCount)
    let count = 0
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      if (times === null || !(valueAt(times, row) instanceof DateTime)) continue
      if (keys.length > 0 && keys.every(key => valueAt(key, row) == null)) {
        this.#keyless++
        continue
      }
      orders[count] = this.#arrived + n
      kept[count++] = row
    }
    this.#arrived += selectedCount
    if (count > 0) this.#events.add(withSelection(batch, kept, count), [...keys, times!], orders)
  }

  *finish(): Generator<void> {
    const { context, next } = this.#run
    let open: Open | null = null
    for (const { rows, batch } of this.#events.sorted()) {
      const marks = marksOf(batch, this.#run.inputs)
      for (const [n, row] of rows.entries()) open = this.#take(open, { ...row, batch, row: n }, marks[n]!)
      yield
    }
    if (open !== null) this.#end(open)
    this.#putAway()
    if (this.#keyless > 0) context.count(keylessNote(this.#keyless))
    for (const { batch } of this.#transactions.sorted()) {
      if (next.isDone) break
      next.push(batch)
      yield
    }
    next.finish()
  }

  /** One event; returns the transaction that is open after it. */
  #take(before: Open | null, event: SortedRow, marks: number): Open | null {
    const { options, inputs } = this.#run
    const starts = (marks & STARTS) !== 0
    let open = before
    if (open !== null) {
      if (!this.#isSameKey(open.rows[0]!, event)) this.#end(open)
      else {
        const now = timeOf(event)
        const sinceLast = nanosBetween(timeOf(open.rows.at(-1)!), now)
        open.closedBy = endingBefore(options, starts, sinceLast, nanosBetween(timeOf(open.rows[0]!), now))
        if (open.closedBy !== null) this.#end(open)
      }
      if (this.#openBytes === 0) open = null
    }
    if (open === null) {
      if (inputs.startswith !== undefined && !starts) return null
      open = { rows: [], closedBy: null }
    }
    open.rows.push(event)
    this.#hold()
    if ((marks & ENDS) !== 0) open.closedBy = 'end'
    else if (open.rows.length === options.maxEvents) open.closedBy = 'events'
    if (open.closedBy === null) return open
    this.#end(open)
    return null
  }

  #hold(): void {
    const { memory, spill } = this.#run.context
    this.#openBytes += EVENT_BYTES
    if (memory.hold(EVENT_BYTES)) return
    this.#putAway()
    if (!memory.hold(0)) throw spill.refuse(STAGE, { kind: 'indivisible', what: 'one transaction' })
  }

  #isSameKey(a: SortedRow, b: SortedRow): boolean {
    return this.#keys.every((_, key) => compareValues(a.keys[key], b.keys[key]) === 0)
  }

  #end({ rows, closedBy }: Open): void {
    const [first] = rows
    const keys = first!.keys.slice(0, -1).map((value): Value => value ?? null)
    const transaction = { rows, keys, first: timeOf(first!), last: timeOf(rows.at(-1)!), closedBy }
    this.#ended.push({ transaction, order: first!.order })
    this.#endedEvents += rows.length
    this.#run.context.memory.release(this.#openBytes)
    this.#openBytes = 0
    if (this.#endedEvents >= EVENTS_HELD) this.#putAway()
  }

  /** Transactions that have ended become rows, to be sorted; their events are needed no more. */
  #putAway(): void {
    if (this.#ended.length === 0) return
    const { options, inputs } = this.#run
    const ended = this.#ended
    const shape = { keys: options.keys, names: this.#names, hasEnd: inputs.endswith !== undefined }
    const batch = transactionBatch(
      ended.map(each => each.transaction),
      shape,
      0,
    )
    for (const name of [...batch.names, 'index']) batch.column(name)
    const keys = this.#keys.map((_, key) => vectorOf(ended.map(({ transaction }) => transaction.keys[key])))
    const orders = Float64Array.from(ended, each => each.order)
    this.#transactions.add(batch, [batch.column('_time'), ...keys], orders)
    this.#ended = []
    this.#endedEvents = 0
  }
}

/** The last of the keys events are sorted by. */
function timeOf(event: SortedRow): DateTime {
  return event.keys.at(-1) as DateTime
}
