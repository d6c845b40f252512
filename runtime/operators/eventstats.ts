/**
 * eventstats: batches are held while their rows are aggregated, then go on as they came, with the answers of their groups as columns.
 * A column of answers is made for a batch when somebody reads it. Batches that do not fit in memory wait in a file; where the groups do not
 * fit either, rows go to disk by partitions of their keys, each is aggregated by itself, and what comes of them is put back in order.
 */
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import type { EventstatsSpec } from '../program.ts'
import { RowFile } from '../spill/row-file.ts'
import { RowPartitions } from '../spill/row-partitions.ts'
import { heldBytesOf, widthOf } from '../spill/size.ts'
import { frameRowsFor, SortedRuns } from '../spill/sorted-runs.ts'
import { compareBy } from '../spill/spilling-sort.ts'
import { Aggregation } from './aggregation.ts'
import { AnswerColumn, withAnswers } from './answer-column.ts'
import type { Operator, RunContext } from './operator.ts'
import { withoutColumns } from './table/table.ts'

/** Of a held row: its group and its place in the selection. */
const ROW_BYTES = 12
const STAGE = 'eventstats'
const OUTPUT_ROWS = 8192

interface Held {
  readonly batch: Batch
  /** By position in the selection; null: one group. */
  readonly groups: Uint32Array | null
}

export class EventstatsOperator implements Operator {
  readonly isDone = false
  readonly #spec: EventstatsSpec
  readonly #context: RunContext
  readonly #aggregation: Aggregation
  readonly #next: Operator
  #held: Held[] = []
  #heldBytes = 0
  /** Rows that were held when memory was full, and those after them; their groups are in memory. */
  #waiting: RowFile | null = null
  /** Rows whose groups did not fit in memory, and all others with them. */
  #partitions: RowPartitions | null = null
  #rows = 0

  constructor(spec: EventstatsSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#aggregation = new Aggregation(spec, context, STAGE)
    this.#next = withoutColumns(next, spec.temporary)
  }

  push(batch: Batch): void {
    if (this.#partitions !== null) {
      this.#partition(batch)
      return
    }
    const fits = this.#aggregation.add(batch)
    this.#hold({ batch, groups: this.#aggregation.groupsOf(batch) })
    if (!fits) this.#partitionAll()
  }

  #hold(held: Held): void {
    if (this.#waiting !== null) {
      this.#waiting.add(held.batch, groupsAsExtra(held))
      return
    }
    const bytes = held.batch.selectedCount * ROW_BYTES + heldBytesOf(held.batch)
    this.#held.push(held)
    this.#heldBytes += bytes
    if (this.#context.memory.hold(bytes)) return
    this.#waiting = new RowFile(this.#context.spill, STAGE)
    for (const each of this.#held) this.#waiting.add(each.batch, groupsAsExtra(each))
    this.#letGo()
  }

  #letGo(): void {
    this.#held = []
    this.#context.memory.release(this.#heldBytes)
    this.#heldBytes = 0
  }

  /** Groups go, and rows, by the partition of their keys: what was counted so far is counted again. */
  #partitionAll(): void {
    const { spill } = this.#context
    if (this.#spec.keys.length === 0) throw spill.refuse(STAGE, { kind: 'indivisible', what: 'the state of one group' })
    this.#aggregation.letGo()
    this.#partitions = new RowPartitions(spill, STAGE, 0, this.#spec.keys)
    for (const { batch } of this.#waiting?.read() ?? this.#held) this.#partition(batch)
    this.#waiting?.remove()
    this.#waiting = null
    this.#letGo()
  }

  #partition(batch: Batch): void {
    const first = this.#rows
    this.#rows += batch.selectedCount
    this.#partitions!.add(
      batch,
      Float64Array.from({ length: batch.selectedCount }, (_, n) => first + n),
    )
  }

  finish(): void {
    if (this.#partitions !== null) this.#context.defer(this.#fromPartitions(this.#partitions))
    else if (this.#waiting !== null) this.#context.defer(this.#fromFile(this.#waiting))
    else {
      const columns = this.#answers(this.#aggregation)
      for (const { batch, groups } of this.#held) {
        if (this.#next.isDone) break
        this.#next.push(withAnswers(batch, groups, this.#spec.outputs, columns))
      }
      this.#letGo()
      this.#next.finish()
    }
  }

  #answers(aggregation: Aggregation): AnswerColumn[] {
    return aggregation.results().answers.map(answers => new AnswerColumn(answers))
  }

  *#fromFile(waiting: RowFile): Generator<void> {
    const columns = this.#answers(this.#aggregation)
    for (const { batch, extra } of waiting.read()) {
      if (this.#next.isDone) break
      const groups = this.#spec.keys.length === 0 ? null : groupsOfExtra(extra(0))
      this.#next.push(withAnswers(batch, groups, this.#spec.outputs, columns))
      yield
    }
    waiting.remove()
    this.#next.finish()
  }

  *#fromPartitions(partitions: RowPartitions): Generator<void> {
    const { spill } = this.#context
    const runs = new SortedRuns(spill, STAGE, 0, compareBy([]))
    yield* this.#answerPartitions(partitions, runs)
    for (const { batch } of runs.merged(OUTPUT_ROWS)) {
      if (this.#next.isDone) break
      this.#next.push(batch)
      yield
    }
    this.#next.finish()
  }

  /** The rows of each partition are a run, with their answers. */
  *#answerPartitions(partitions: RowPartitions, runs: SortedRuns): Generator<void> {
    for (const partition of partitions.partitions()) {
      const part = new Aggregation(this.#spec, this.#context, STAGE, { kernels: this.#aggregation.kernels })
      let fits = true
      for (const { batch } of partitions.read(partition)) {
        fits = part.add(batch)
        if (!fits) break
        yield
      }
      if (fits) yield* this.#answer(partitions, partition, part, runs)
      part.letGo()
      if (fits) continue
      const smaller = new RowPartitions(this.#context.spill, STAGE, partitions.level + 1, this.#spec.keys)
      for (const { batch, orders } of partitions.read(partition)) smaller.add(batch, orders)
      yield* this.#answerPartitions(smaller, runs)
    }
    partitions.remove()
  }

  *#answer(partitions: RowPartitions, partition: number, part: Aggregation, runs: SortedRuns): Generator<void> {
    const columns = this.#answers(part)
    runs.begin()
    for (const { batch, orders } of partitions.read(partition)) {
      const answered = withAnswers(batch, part.groupsAgain(batch), this.#spec.outputs, columns)
      const atOnce = frameRowsFor(widthOf(answered), this.#context.spill.memoryBytes)
      for (let start = 0; start < batch.rowCount; start += atOnce) {
        const length = Math.min(atOnce, batch.rowCount - start)
        runs.appendRows(
          Array.from({ length }, (_, n) => ({ batch: answered, row: start + n, keys: [], order: orders[start + n]! })),
        )
      }
      yield
    }
  }
}

function groupsAsExtra({ groups }: Held): readonly Vector[] {
  if (groups === null) return []
  return [{ kind: 'number', rowCount: groups.length, values: Float64Array.from(groups), presence: null }]
}

function groupsOfExtra(extra: Vector): Uint32Array {
  if (extra.kind !== 'number') throw new Error(`groups held as ${extra.kind}`)
  return Uint32Array.from(extra.values)
}
