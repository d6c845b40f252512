/** What an operator of its own is made of, and the rows it collects. */
import type { Value } from '../../../storage/value.ts'
import type { Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { gather, type RowRef, vectorOf, withAdded, withNames } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import type { TableOperatorName, TableOptions } from '../../table.ts'
import { inletOf, type Operator, type RunContext } from '../operator.ts'

export interface TableRun<N extends TableOperatorName> {
  readonly options: TableOptions[N]
  /** The column of each input, by the name the compiler and the operator agreed on. */
  readonly inputs: Readonly<Record<string, string>>
  readonly context: RunContext
  readonly next: Operator
}

/** For notes: `1 row`, `2 rows`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

const OUTPUT_ROWS = 8192
/** Rough cost of one held row: its reference. The columns it points into are charged by whoever decodes them. */
const ROW_BYTES = 24

/** Rows held until the input ends, in input order, for operators that give them back, with columns added. */
export class CollectedRows {
  readonly rows: RowRef[] = []
  readonly #context: RunContext
  readonly #stage: string

  constructor(context: RunContext, stage: string) {
    this.#context = context
    this.#stage = stage
  }

  add(batch: Batch): void {
    this.#context.memory.charge(batch.selectedCount * ROW_BYTES, this.#stage)
    for (let n = 0; n < batch.selectedCount; n++) {
      this.rows.push({ batch, row: batch.selection === null ? n : batch.selection[n]! })
    }
  }

  /** One value per collected row. */
  values(column: string): Value[] {
    let batch: Batch | null = null
    let vector: Vector | null = null
    return this.rows.map(ref => {
      if (ref.batch !== batch || vector === null) {
        batch = ref.batch
        vector = batch.column(column)
      }
      return valueAt(vector, ref.row)
    })
  }

  /** Pushes rows on, in the order of `order` (positions in `rows`; null: all), with columns added: `added.get(name)[position]`. */
  emit(next: Operator, order: readonly number[] | null, added: ReadonlyMap<string, readonly Value[]>): void {
    const count = order === null ? this.rows.length : order.length
    for (let start = 0; start < count && !next.isDone; start += OUTPUT_ROWS) {
      const positions: number[] = []
      for (let n = start; n < Math.min(count, start + OUTPUT_ROWS); n++) positions.push(order === null ? n : order[n]!)
      const batch = gather(
        positions.map(position => this.rows[position]!),
        start,
      )
      const columns = new Map<string, Vector>()
      for (const [name, values] of added) columns.set(name, vectorOf(positions.map(position => values[position])))
      next.push(columns.size === 0 ? batch : withAdded(batch, columns))
    }
  }
}

/** Passes batches on without the columns that were made only for the operator before it. */
export function withoutColumns(next: Operator, hidden: readonly string[]): Operator {
  if (hidden.length === 0) return next
  const isHidden = new Set(hidden)
  return inletOf(next, batch => {
    const names = batch.names.filter(name => !isHidden.has(name))
    next.push(withNames(batch, names))
  })
}
