/** stats: the groups of an aggregation, and their answers, as rows. */
import { DateTime, type Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { batchOf, vectorOf } from '../column-batch.ts'
import { compareValues } from '../helpers/compare.ts'
import type { AggregateSpec } from '../program.ts'
import { widthOf } from '../spill/size.ts'
import { frameRowsFor, SortedRuns } from '../spill/sorted-runs.ts'
import { compareBy } from '../spill/spilling-sort.ts'
import { Aggregation, type AggregationResults } from './aggregation.ts'
import type { Operator, RunContext } from './operator.ts'

/** Groups from disk given out at a time. */
const OUTPUT_ROWS = 8192

export class AggregateOperator extends Aggregation implements Operator {
  readonly isDone = false
  readonly #spec: AggregateSpec
  readonly #context: RunContext
  readonly #next: Operator

  constructor(spec: AggregateSpec, context: RunContext, next: Operator) {
    super(spec, context, 'stats')
    this.#spec = spec
    this.#context = context
    this.#next = next
  }

  push(batch: Batch): void {
    if (!this.add(batch)) this.makeRoom()
  }

  finish(): void {
    if (this.isSpilled) {
      this.#context.defer(this.#fromDisk())
      return
    }
    const batch = this.batch()
    if (batch !== null) this.#next.push(batch)
    this.#next.finish()
  }

  /** What it would give if there were no more input; null: nothing yet. Its state goes on as before. */
  batch(): Batch | null {
    const results = this.results()
    return results.count === 0 ? null : this.#batchOf(results, this.#timeOrder(results.keys))
  }

  #batchOf({ count, keys, answers }: AggregationResults, order: Groups | null): Batch {
    const column = (groups: readonly Value[]): Vector => vectorOf(order === null ? groups : inOrder(groups, order))
    const all = [...keys, ...answers]
    return batchOf(new Map(this.#spec.outputs.map(({ name }, index) => [name, column(all[index]!)] as const)), count)
  }

  /** Parts of the groups, each in order, become one order: that of their times, and that in which they were first seen. */
  *#fromDisk(): Generator<void> {
    const { spill } = this.#context
    const series = this.#spec.keys.findIndex(key => key.isSeries === true)
    const runs = new SortedRuns(spill, 'stats', series < 0 ? 0 : 1, compareBy(series < 0 ? [] : [false]))
    let atOnce = 1
    for (const part of this.parts()) {
      if (part.count === 0) continue
      const batch = this.#batchOf(part, null)
      atOnce = frameRowsFor(widthOf(batch), spill.memoryBytes)
      const times = series < 0 ? null : part.keys[series]!
      const order = this.#timeOrder(part.keys) ?? Uint32Array.from(part.firstSeen, (_, group) => group)
      runs.begin()
      for (let start = 0; start < order.length; start += atOnce) {
        const groups = Array.from(order.subarray(start, start + atOnce))
        runs.appendRows(
          groups.map(row => ({ batch, row, keys: times === null ? [] : [times[row]], order: part.firstSeen[row]! })),
        )
      }
      yield
    }
    for (const { batch } of runs.merged(Math.min(OUTPUT_ROWS, 4 * atOnce))) {
      if (this.#next.isDone) break
      this.#next.push(batch)
      yield
    }
    this.#next.finish()
  }

  /** A series reads from its start: groups of a binned time come in its order, others as they were first seen. */
  #timeOrder(keys: readonly Value[][]): Groups | null {
    const at = this.#spec.keys.findIndex(key => key.isSeries === true)
    const times = keys[at]
    return times === undefined ? null : orderOfBins(times, this.#spec.keys[at]!.binMicros)
  }
}

/** In an order. */
type Groups = Uint32Array

/** Bins wider apart than this, per group, are compared instead of counted. */
const SPARSE_BINS = 16

/** Stable order by time, nulls last: bins are counted rather than compared (28,800 groups: 13 ms before, 0.5 now). */
function orderOfBins(times: readonly Value[], binMicros: number | null): Groups {
  const { length } = times
  const micros = new Float64Array(length)
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let group = 0; group < length; group++) {
    const time = times[group]
    const at = time instanceof DateTime ? time.micros : Number.NaN
    micros[group] = at
    if (at < low) low = at
    if (at > high) high = at
  }
  const bins = low > high || binMicros === null ? 0 : (high - low) / binMicros + 1
  if (binMicros === null || bins > length * SPARSE_BINS) {
    const order = Uint32Array.from(times, (_, group) => group)
    return order.sort((a, b) => compareValues(times[a], times[b]) || a - b)
  }
  const binAt = new Uint32Array(length)
  const starts = new Uint32Array(bins + 2)
  for (let group = 0; group < length; group++) {
    const at = micros[group]!
    const bin = at >= low ? (at - low) / binMicros : bins
    binAt[group] = bin
    starts[bin + 1]!++
  }
  for (let bin = 1; bin < starts.length; bin++) starts[bin]! += starts[bin - 1]!
  const order = new Uint32Array(length)
  for (let group = 0; group < length; group++) order[starts[binAt[group]!]!++] = group
  return order
}

function inOrder(groups: readonly Value[], order: Groups): Value[] {
  const values = new Array<Value>(order.length)
  for (let row = 0; row < order.length; row++) values[row] = groups[order[row]!]
  return values
}
