/** where: the selection shrinks; a batch nobody survives goes no further. */
import type { Batch } from '../batch.ts'
import { withSelection } from '../column-batch.ts'
import { Lender, lending, lentWords } from '../helpers/lent.ts'
import { KernelRunner } from '../instantiate.ts'
import type { FilterKernel, KernelSpec } from '../program.ts'
import type { Operator, RunContext } from './operator.ts'

/** Where survivors are written before it is known how many they are: of the thread, as one filter at a time is at it. Fresh memory costs a page fault per 1,024 rows. */
let scratch = new Uint32Array(0)

export class FilterRunner {
  readonly #kernel: KernelRunner<FilterKernel>
  readonly #lender = new Lender()

  constructor(spec: KernelSpec, context: RunContext) {
    this.#kernel = new KernelRunner(spec, context)
  }

  /** The batch with only the rows that pass; null when none does. */
  apply(batch: Batch): Batch | null {
    const { rowCount, selection, selectedCount } = batch
    const columns = this.#kernel.spec.fields.map(field => batch.column(field))
    if (scratch.length < selectedCount) scratch = new Uint32Array(selectedCount)
    const out = scratch
    const selected = selection !== null
    const run = (kernel: FilterKernel): number =>
      lending(this.#lender, () => kernel(columns, rowCount, selection, selectedCount, out))
    const fast = this.#kernel.get(columns, { selected, exact: false })
    let count = this.#kernel.call(fast, selectedCount, run)
    if (count < 0) {
      fast.profile.gaveUp++
      count = this.#kernel.call(this.#kernel.get(columns, { selected, exact: true }), selectedCount, run)
    }
    if (count === 0) return null
    if (count === rowCount) return batch
    const passing = lentWords(count)
    passing.set(out.subarray(0, count))
    return withSelection(batch, passing, count)
  }

  /** As `apply`, with the columns read for the selected rows alone. */
  applyToFew(batch: Batch): Batch | null {
    const { rowCount, selection, selectedCount } = batch
    if (selection === null || selectedCount * FEW > rowCount) return this.apply(batch)
    const rows = selection.slice(0, selectedCount)
    const passing = this.apply(batch.at(rows))
    if (passing === null || passing.selection === null) return passing && batch
    const out = passing.selection.subarray(0, passing.selectedCount).map(n => rows[n]!)
    return withSelection(batch, out, out.length)
  }
}

/** Of a batch of which more than one row in so many is selected, columns are as well read whole. */
const FEW = 2

export class FilterOperator implements Operator {
  readonly #runners: readonly FilterRunner[]
  readonly #next: Operator

  constructor(kernels: readonly KernelSpec[], context: RunContext, next: Operator) {
    this.#runners = kernels.map(kernel => new FilterRunner(kernel, context))
    this.#next = next
  }

  get isDone(): boolean {
    return this.#next.isDone
  }

  push(batch: Batch): void {
    let rest: Batch | null = batch
    for (const runner of this.#runners) {
      rest = runner.apply(rest)
      if (rest === null) return
    }
    this.#next.push(rest)
  }

  finish(): void {
    this.#next.finish()
  }
}
