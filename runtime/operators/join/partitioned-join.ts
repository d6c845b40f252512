/**
 * A join that does not fit into memory: both sides go to partitions of their keys, and each partition is a join of its own, small enough
 * to hold, or taken apart further. What they give are runs in the order of the left side, merged at the end: the same rows in the same order.
 */

import type { NumberVector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { withNames, withSelection } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import type { JoinSpec } from '../../program.ts'
import type { HashedColumn } from '../../spill/hash.ts'
import { RowFile } from '../../spill/row-file.ts'
import { RowPartitions } from '../../spill/row-partitions.ts'
import { widthOf } from '../../spill/size.ts'
import { frameRowsFor, type SortedRow, SortedRuns } from '../../spill/sorted-runs.ts'
import { compareBy } from '../../spill/spilling-sort.ts'
import type { RunContext } from '../operator.ts'
import { HeldJoin, isFilter } from './held-join.ts'

const OUTPUT_ROWS = 8192
const STAGE = 'join'

type Side = 'left' | 'right'

/** The rows of both sides on disk. */
interface Sides {
  readonly left: RowPartitions
  readonly right: RowPartitions
}

export class PartitionedJoin {
  readonly #spec: JoinSpec
  readonly #context: RunContext
  readonly #sides: Sides
  readonly #counts = { left: 0, right: 0 }
  readonly #runs: SortedRuns
  /** `outer`: rows of the right side that can match nothing. */
  #keyless: RowFile | null = null
  #rowsAtOnce = OUTPUT_ROWS

  constructor(spec: JoinSpec, context: RunContext) {
    this.#spec = spec
    this.#context = context
    this.#sides = this.#partitions(0)
    this.#runs = new SortedRuns(context.spill, STAGE, 0, compareBy([]))
  }

  #partitions(level: number): Sides {
    const columnsOf = (side: Side): HashedColumn[] =>
      this.#spec.keys.map(key => ({ field: key[side], binMicros: null }))
    const { spill } = this.#context
    return {
      left: new RowPartitions(spill, STAGE, level, columnsOf('left')),
      right: new RowPartitions(spill, STAGE, level, columnsOf('right')),
    }
  }

  /** Rows of the left side, in their order. */
  addLeft(batch: Batch): void {
    this.#sides.left.add(batch, this.#ordersOf('left', batch))
  }

  /** Rows of the right side, in their order. Those without a key match nothing, and so many as they are have one hash: they go their own way. */
  addRight(batch: Batch): void {
    const orders = this.#ordersOf('right', batch)
    const fields = [...new Set(this.#spec.keys.map(key => key.right))]
    // Where only matches are asked for, the right side is its keys.
    const wanted = isFilter(this.#spec) ? withNames(batch, fields) : batch
    if (this.#spec.matchesNull) {
      this.#sides.right.add(wanted, orders)
      return
    }
    const isKeyed = keyedTest(batch, fields)
    const [keyed, others] = [true, false].map(is => positionsWhere(batch, row => isKeyed(row) === is)) as [Rows, Rows]
    const ordersAt = (positions: Rows): Float64Array => Float64Array.from(positions.positions, n => orders[n]!)
    const at = ({ rows }: Rows): Batch => withSelection(wanted, rows, rows.length)
    this.#sides.right.add(at(keyed), ordersAt(keyed))
    if (this.#spec.type !== 'outer' || others.rows.length === 0) return
    this.#keyless ??= new RowFile(this.#context.spill, STAGE)
    const values = ordersAt(others)
    this.#keyless.add(at(others), [{ kind: 'number', rowCount: values.length, values, presence: null }])
  }

  #ordersOf(side: Side, batch: Batch): Float64Array {
    const first = this.#counts[side]
    this.#counts[side] += batch.selectedCount
    return Float64Array.from({ length: batch.selectedCount }, (_, n) => first + n)
  }

  /** Both sides are whole: the rows of the join, a batch at a time; null between them, so that whoever asks may do something else. */
  *joined(): Generator<Batch | null> {
    yield* this.#join(this.#sides)
    if (this.#keyless !== null) yield* this.#emitKeyless(this.#keyless)
    for (const { batch } of this.#runs.merged(this.#rowsAtOnce)) yield batch
  }

  *#join({ left, right }: Sides): Generator<null> {
    const isOuter = this.#spec.type === 'outer'
    const rightPartitions = new Set(right.partitions())
    const partitions = new Set([...left.partitions(), ...(isOuter ? rightPartitions : [])])
    for (const partition of partitions) {
      const held = new HeldJoin(this.#spec, this.#context)
      const orders: Float64Array[] = []
      let fits = true
      if (rightPartitions.has(partition)) {
        for (const rows of right.read(partition)) {
          orders.push(rows.orders)
          fits = held.add(rows.batch)
          yield null
          if (!fits) break
        }
      }
      if (fits) yield* this.#joinHeld(held, orders, left, partition)
      held.release()
      if (!fits) yield* this.#join(yield* this.#apart({ left, right }, partition))
    }
    left.remove()
    right.remove()
  }

  /** As a join of nothing with them gives them. */
  *#emitKeyless(rows: RowFile): Generator<null> {
    this.#runs.begin()
    for (const { batch, extra } of rows.read()) {
      const held = new HeldJoin(this.#spec, this.#context)
      held.add(batch)
      held.close()
      yield* this.#writeUnmatched(held, (extra(0) as NumberVector).values)
      held.release()
    }
    rows.remove()
  }

  *#writeUnmatched(held: HeldJoin, orders: ArrayLike<number>): Generator<null> {
    for (const { batch, rows } of held.unmatched()) {
      // Behind every row of the left side.
      this.#write(batch, row => this.#counts.left + orders[rows[row]!]!)
      yield null
    }
  }

  /** The rows of a partition as partitions of the next level. */
  *#apart({ left, right }: Sides, partition: number): Generator<null, Sides> {
    const sides = this.#partitions(left.level + 1)
    for (const rows of right.read(partition)) {
      sides.right.add(rows.batch, rows.orders)
      yield null
    }
    for (const rows of left.read(partition)) {
      sides.left.add(rows.batch, rows.orders)
      yield null
    }
    return sides
  }

  *#joinHeld(
    held: HeldJoin,
    rightOrders: readonly Float64Array[],
    left: RowPartitions,
    partition: number,
  ): Generator<null> {
    held.close()
    this.#runs.begin()
    for (const { batch, orders } of left.read(partition)) {
      held.match(batch, (output, taken) => {
        this.#write(output, row => orders[taken === null ? row : taken[row]!]!)
        return true
      })
      yield null
    }
    if (this.#spec.type === 'outer') yield* this.#writeUnmatched(held, concatenated(rightOrders))
  }

  #write(batch: Batch, orderOf: (row: number) => number): void {
    const { selection, selectedCount } = batch
    const atOnce = frameRowsFor(widthOf(batch), this.#context.spill.memoryBytes)
    this.#rowsAtOnce = Math.min(this.#rowsAtOnce, 4 * atOnce)
    for (let start = 0; start < selectedCount; start += atOnce) {
      const rows: SortedRow[] = []
      for (let n = start; n < Math.min(start + atOnce, selectedCount); n++) {
        const row = selection === null ? n : selection[n]!
        rows.push({ batch, row, keys: [], order: orderOf(row) })
      }
      this.#runs.appendRows(rows)
    }
  }
}

/** Of the rows selected: those wanted, and where they stand among them. */
interface Rows {
  readonly rows: Uint32Array
  readonly positions: readonly number[]
}

function positionsWhere({ selection, selectedCount }: Batch, isWanted: (row: number) => boolean): Rows {
  const positions: number[] = []
  for (let n = 0; n < selectedCount; n++) if (isWanted(selection === null ? n : selection[n]!)) positions.push(n)
  return { rows: Uint32Array.from(positions, n => (selection === null ? n : selection[n]!)), positions }
}

function keyedTest(batch: Batch, fields: readonly string[]): (row: number) => boolean {
  const columns = fields.map(field => batch.column(field))
  return row => columns.every(column => valueAt(column, row) != null)
}

function concatenated(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
