/** sessionize: one walk in order of time, with the open session of each key; sessions are numbered when all are known. */
import type { Value } from '../../../storage/value.ts'
import type { Batch } from '../../batch.ts'
import { SESSION_COLUMNS } from '../../table.ts'
import type { Operator } from '../operator.ts'
import { Ints } from './growable.ts'
import { Keys, keyColumns } from './keys.ts'
import { CollectedRows, type TableRun } from './table.ts'
import { durationBetween, spread, Times } from './times.ts'

/** First and last row, number of rows; numbers by session as it was found. */
interface Sessions {
  readonly first: Ints
  readonly last: Ints
  readonly rows: Ints
}

/** Of one row: its time, its session. */
const ROW_BYTES = 20
const SESSION_BYTES = 120

export class SessionizeOperator implements Operator {
  readonly isDone = false
  readonly #run: TableRun<'sessionize'>
  readonly #collected: CollectedRows
  readonly #keys: Keys
  readonly #times = new Times()

  constructor(run: TableRun<'sessionize'>) {
    const { memory } = run.context
    this.#run = run
    this.#collected = new CollectedRows(run.context, 'sessionize')
    this.#keys = new Keys(keyColumns(run.inputs), memory, 'sessionize')
  }

  push(batch: Batch): void {
    this.#run.context.memory.charge(batch.selectedCount * ROW_BYTES, 'sessionize')
    this.#collected.add(batch)
    this.#keys.add(batch)
    this.#times.add(batch, this.#run.inputs.time)
  }

  finish(): void {
    const rows = this.#collected.rows.length
    const ofRow = new Int32Array(rows).fill(-1)
    const found = this.#find(ofRow)
    const count = found.rows.length
    this.#run.context.memory.charge(count * SESSION_BYTES, 'sessionize')
    const columns = this.#describe(found, count)
    const added = SESSION_COLUMNS.map(
      (name, index) => [name, spread(rows, row => ofRow[row]!, columns[index]!)] as const,
    )
    this.#collected.emit(this.#run.next, null, new Map(added))
    this.#run.next.finish()
  }

  #find(ofRow: Int32Array): Sessions {
    const { maxPauseNs, maxSpanNs } = this.#run.options
    const times = this.#times
    const open = new Int32Array(this.#keys.count).fill(-1)
    const found: Sessions = { first: new Ints(), last: new Ints(), rows: new Ints() }
    for (const row of times.order()) {
      const group = this.#keys.of(row)
      if (this.#keys.isKeyless(group)) continue
      let session = open[group]!
      const isOver =
        session < 0 ||
        times.between(found.last.values[session]!, row) > maxPauseNs ||
        (maxSpanNs !== null && times.between(found.first.values[session]!, row) > maxSpanNs)
      if (isOver) {
        session = found.rows.length
        open[group] = session
        found.first.push(row)
        found.last.push(row)
        found.rows.push(0)
      }
      found.last.values[session] = row
      found.rows.values[session]!++
      ofRow[row] = session
    }
    return found
  }

  /** The columns by session. Sessions that begin at one instant are numbered by their keys, so that no order of rows shows. */
  #describe({ first, last, rows }: Sessions, count: number): Value[][] {
    const times = this.#times
    const order = Array.from({ length: count }, (_, session) => session).sort(
      (a, b) =>
        times.between(first.values[b]!, first.values[a]!) ||
        this.#keys.compare(this.#keys.of(first.values[a]!), this.#keys.of(first.values[b]!)) ||
        a - b,
    )
    const numbers: Value[] = []
    for (const [index, session] of order.entries()) numbers[session] = index + 1
    return [
      numbers,
      Array.from({ length: count }, (_, session) => times.at(first.values[session]!)),
      Array.from({ length: count }, (_, session) => times.at(last.values[session]!)),
      Array.from({ length: count }, (_, session) =>
        durationBetween(times, first.values[session]!, last.values[session]!),
      ),
      Array.from({ length: count }, (_, session) => rows.values[session]!),
    ]
  }
}
