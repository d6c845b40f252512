/** sort and top-k: rows are held by reference and read when they are given out; `runtime/spill/spilling-sort.ts` holds and orders them. */
import type { Batch } from '../batch.ts'
import { withNames } from '../column-batch.ts'
import type { SortSpec } from '../program.ts'
import type { SortedRow } from '../spill/sorted-runs.ts'
import { SpillingSort } from '../spill/spilling-sort.ts'
import type { Operator, RunContext } from './operator.ts'

export class SortOperator implements Operator {
  readonly #spec: SortSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #sort: SpillingSort
  readonly isDone = false

  constructor(spec: SortSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = next
    const { memory, spill } = context
    const descending = spec.keys.map(key => key.descending)
    this.#sort = new SpillingSort({ memory, spill, stage: 'sort', descending, limit: spec.limit })
  }

  /** Rows whose `_time` is below this many microseconds cannot be among the newest `limit`; null: cannot say. */
  get newestBoundary(): number | null {
    const [first] = this.#spec.keys
    return first?.field === '_time' && first.descending ? this.#sort.boundary : null
  }

  push(batch: Batch): void {
    this.#sort.add(
      batch,
      this.#spec.keys.map(key => batch.column(key.field)),
    )
  }

  finish(): void {
    this.#context.defer(this.#emit())
  }

  *#emit(): Generator<void> {
    const hidden = new Set(this.#spec.temporary)
    for (const { batch, rows } of this.#sort.sorted()) {
      if (this.#next.isDone) break
      this.#tellOfNulls(rows)
      const names = batch.names.filter(name => !hidden.has(name))
      this.#next.push(withNames(batch, names))
      yield
    }
    this.#next.finish()
  }

  /** The largest were asked for, and rows without a value came first: seldom what was meant. */
  #tellOfNulls(rows: readonly SortedRow[]): void {
    const { keys, limit, temporary } = this.#spec
    const first = keys[0]!
    if (limit === null || !first.descending || temporary.includes(first.field)) return
    const nulls = rows.reduce((count, row) => count + Number(row.keys[0] === null), 0)
    const missing = rows.reduce((count, row) => count + Number(row.keys[0] === undefined), 0)
    if (nulls > 0) this.#context.count(`null-first:${first.field}`, nulls)
    if (missing > 0) this.#context.count(`missing-first:${first.field}`, missing)
  }
}
