/**
 * A join whose right side does not fit in memory: both sides go to disk by partitions of their keys' hashes, each pair of partitions is joined
 * as ever, and the rows that come of it are put back in the order of the left side. Where a row stands travels with it in a column that no
 * field is called like; rows of the right side that nothing matched come after all others, in theirs.
 */
import type { NumberVector, Vector } from '../../../storage/vector.ts'
import type { Batch } from '../../batch.ts'
import { withAdded, withNames } from '../../column-batch.ts'
import { valueAt } from '../../helpers/vectors.ts'
import type { JoinSpec } from '../../program.ts'
import { RowPartitions } from '../../spill/row-partitions.ts'
import { widthOf } from '../../spill/size.ts'
import { frameRowsFor, type SortedRow, SortedRuns } from '../../spill/sorted-runs.ts'
import { compareBy } from '../../spill/spilling-sort.ts'
import type { Operator, RunContext } from '../operator.ts'

/** Where a row stands on its side. */
const LEFT = '\u0000left'
const RIGHT = '\u0000right'
/** No left side is as long as this. */
const AFTER_ALL = 2 ** 50
const OUTPUT_ROWS = 8192
const STAGE = 'join'

/** A join of a pair of partitions, in memory if it can. */
export interface PairJoin {
  readonly build: Operator
  readonly probe: Operator
}

export type JoinPair = (context: RunContext, next: Operator, level: number, names: ReadonlySet<string>) => PairJoin

export class PartitionedJoin {
  readonly #spec: JoinSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #level: number
  readonly #joinPair: JoinPair
  readonly #left: RowPartitions
  readonly #right: RowPartitions
  /** Of all fields of the right side: a partition may lack some. */
  readonly #names: Set<string>
  #leftRows = 0
  #rightRows = 0

  constructor(
    spec: JoinSpec,
    context: RunContext,
    next: Operator,
    { level, names, joinPair }: { level: number; names: Iterable<string>; joinPair: JoinPair },
  ) {
    const { spill } = context
    if (spec.keys.length === 0) throw spill.refuse(STAGE, { kind: 'indivisible', what: 'its right side' })
    this.#spec = spec
    this.#context = context
    this.#next = next
    this.#level = level
    this.#joinPair = joinPair
    this.#names = new Set(names)
    const keyed = (side: 'left' | 'right') => spec.keys.map(key => ({ field: key[side], binMicros: null }))
    this.#left = new RowPartitions(spill, STAGE, level, keyed('left'))
    this.#right = new RowPartitions(spill, STAGE, level, keyed('right'))
  }

  addRight(batch: Batch): void {
    const placed = this.#level > 0 ? batch : withPlaces(batch, RIGHT, this.#rightRows)
    this.#rightRows += batch.selectedCount
    for (const name of placed.names) this.#names.add(name)
    this.#right.add(placed, placesOf(placed, RIGHT))
  }

  addLeft(batch: Batch): void {
    const placed = this.#level > 0 ? batch : withPlaces(batch, LEFT, this.#leftRows)
    this.#leftRows += batch.selectedCount
    this.#left.add(placed, placesOf(placed, LEFT))
  }

  /** Once both sides have been added. */
  *finish(): Generator<void> {
    const { spill } = this.#context
    const runs = new SortedRuns(spill, STAGE, 0, compareBy([]))
    for (const partition of new Set([...this.#left.partitions(), ...this.#right.partitions()])) {
      runs.begin()
      const joined: Operator = { isDone: false, push: batch => this.#write(runs, batch), finish() {} }
      const context: RunContext = {
        ...this.#context,
        defer: steps => {
          for (const _ of steps);
        },
      }
      const { build, probe } = this.#joinPair(context, joined, this.#level + 1, this.#names)
      for (const { batch } of this.#right.read(partition)) build.push(batch)
      build.finish()
      yield
      for (const { batch } of this.#left.read(partition)) {
        if (probe.isDone) break
        probe.push(batch)
        yield
      }
      probe.finish()
    }
    this.#left.remove()
    this.#right.remove()
    const hidden = new Set([LEFT, this.#rightName])
    for (const { batch } of runs.merged(OUTPUT_ROWS)) {
      if (this.#next.isDone) break
      const names = batch.names.filter(name => this.#level > 0 || !hidden.has(name))
      this.#next.push(withNames(batch, names))
      yield
    }
    this.#next.finish()
  }

  /** What the right side's places are called once its fields have been joined. */
  get #rightName(): string {
    return `${this.#spec.prefix}${RIGHT}`
  }

  #write(runs: SortedRuns, batch: Batch): void {
    const left = batch.column(LEFT)
    const right = batch.column(this.#rightName)
    const rows: SortedRow[] = []
    for (let n = 0; n < batch.selectedCount; n++) {
      const row = batch.selection === null ? n : batch.selection[n]!
      const place = valueAt(left, row) as number | undefined
      const order = place ?? AFTER_ALL + (valueAt(right, row) as number)
      rows.push({ batch, row, keys: [], order })
    }
    const atOnce = frameRowsFor(widthOf(batch), this.#context.spill.memoryBytes)
    for (let start = 0; start < rows.length; start += atOnce) runs.appendRows(rows.slice(start, start + atOnce))
  }
}

/** The batch with a column of where its selected rows stand. */
function withPlaces(batch: Batch, name: string, first: number): Batch {
  const values = new Float64Array(batch.rowCount)
  for (let n = 0; n < batch.selectedCount; n++) values[batch.selection === null ? n : batch.selection[n]!] = first + n
  const places: NumberVector = { kind: 'number', rowCount: batch.rowCount, values, presence: null }
  return withAdded(batch, new Map([[name, places]]))
}

/** By position among the selected rows. */
function placesOf(batch: Batch, name: string): Float64Array {
  const places: Vector = batch.column(name)
  return Float64Array.from({ length: batch.selectedCount }, (_, n) => {
    return valueAt(places, batch.selection === null ? n : batch.selection[n]!) as number
  })
}
