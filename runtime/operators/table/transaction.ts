/**
 * transaction: one walk in order of time, with the open transaction of each key; then its events' fields as one row. Events that do not fit in
 * memory are walked key by key instead, from disk (`transactions-from-disk.ts`), with the same rules and the same rows.
 */
import type { Batch } from '../../batch.ts'
import { fewOf } from '../../column-batch.ts'
import { widthOf } from '../../spill/size.ts'
import type { Operator } from '../operator.ts'
import { Ints } from './growable.ts'
import { Keys, keyColumns } from './keys.ts'
import { CollectedRows, type TableRun } from './table.ts'
import { Times } from './times.ts'
import { type EndedTransaction, type Ending, endingBefore, transactionBatch } from './transaction-rows.ts'
import { ENDS, keylessNote, marksOf, STARTS, TransactionsFromDisk } from './transactions-from-disk.ts'

interface Transaction {
  readonly rows: number[]
  readonly group: number
  closedBy: Ending | null
}

/** Of a held row, beside what `CollectedRows` and `Keys` charge. */
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
  readonly #batches: Batch[] = []
  #heldBytes = 0
  #width = 0
  #isFull = false
  #disk: TransactionsFromDisk | null = null

  constructor(run: TableRun<'transaction'>) {
    this.#run = run
    // What is too much is not an error here.
    const memory = { ...run.context.memory, charge: (bytes: number) => this.#hold(bytes) }
    this.#collected = new CollectedRows({ ...run.context, memory }, 'transaction')
    this.#keys = new Keys(keyColumns(run.inputs), memory, 'transaction')
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes
    if (!this.#run.context.memory.hold(bytes)) this.#isFull = true
  }

  push(batch: Batch): void {
    const { inputs } = this.#run
    for (const name of batch.names) this.#names.add(name)
    if (this.#disk !== null) {
      this.#disk.add(batch)
      return
    }
    this.#batches.push(batch)
    // Every so often a batch is weighed, with all columns it has: a transaction is made of all of them.
    if ((this.#batches.length & (this.#batches.length - 1)) === 0)
      this.#width = Math.max(this.#width, widthOf(fewOf(batch)))
    this.#hold(batch.selectedCount * ROW_BYTES + Math.round(batch.rowCount * this.#width))
    this.#collected.add(batch)
    this.#keys.add(batch)
    this.#times.add(batch, inputs.time)
    for (const marks of marksOf(batch, inputs)) this.#marks.push(marks)
    if (this.#isFull) this.#toDisk()
  }

  #toDisk(): void {
    this.#disk = new TransactionsFromDisk(this.#run, this.#names)
    for (const batch of this.#batches.splice(0)) this.#disk.add(batch)
    this.#collected.rows.length = 0
    this.#run.context.memory.release(this.#heldBytes)
  }

  finish(): void {
    const { context, next, options, inputs } = this.#run
    if (this.#disk !== null) {
      context.defer(this.#disk.finish())
      return
    }
    const found = this.#find()
    this.#hold(found.length * TRANSACTION_BYTES)
    const times = this.#times
    found.sort(
      (a, b) =>
        times.between(b.rows[0]!, a.rows[0]!) || this.#keys.compare(a.group, b.group) || a.rows[0]! - b.rows[0]!,
    )
    const shape = { keys: options.keys, names: this.#names, hasEnd: inputs.endswith !== undefined }
    for (let start = 0; start < found.length && !next.isDone; start += OUTPUT_ROWS) {
      const ended = found.slice(start, start + OUTPUT_ROWS).map(each => this.#ended(each))
      next.push(transactionBatch(ended, shape, start))
    }
    next.finish()
  }

  #ended({ rows, group, closedBy }: Transaction): EndedTransaction {
    return {
      rows: rows.map(row => this.#collected.rows[row]!),
      keys: this.#run.options.keys.map((_, key) => this.#keys.value(group, key)),
      first: this.#times.at(rows[0]!),
      last: this.#times.at(rows.at(-1)!),
      closedBy,
    }
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
        const { rows } = current
        const sinceLast = this.#times.between(rows.at(-1)!, row)
        const ending = endingBefore(options, (marks & STARTS) !== 0, sinceLast, this.#times.between(rows[0]!, row))
        current.closedBy = ending
        if (ending !== null) current = undefined
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
    if (keyless > 0) context.count(keylessNote(keyless))
    return found
  }
}
