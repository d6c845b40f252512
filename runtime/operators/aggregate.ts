/**
 * stats: groups come from GroupTable, the step kernel updates typed state arrays, the finish kernel turns them into columns.
 * State is columnar and mergeable (the merge kernel), so that parts, threads and views can each bring a partial state.
 */

import type { BlockReader, PartReader } from '../../storage/index.ts'
import { DateTime, type Value } from '../../storage/value.ts'
import type { DictVector, Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { type BlockFacts, factsOfBlock } from '../block-facts.ts'
import { batchOf, vectorOf } from '../column-batch.ts'
import { compareValues } from '../helpers/compare.ts'
import { KernelRunner } from '../instantiate.ts'
import { type IdTable, type PartialState, packState, type StateArray, unpackState } from '../parallel/state.ts'
import type { AggregateSpec, AggregationSpec } from '../program.ts'
import { GroupTable } from './group-table.ts'
import type { Operator, RunContext } from './operator.ts'
import { allocate, fill, grow } from './state-columns.ts'

type StepKernel = (
  columns: readonly Vector[],
  rowCount: number,
  selection: Uint32Array | null,
  selectedCount: number,
  keys: GroupTable['keys'],
  groups: GroupTable,
  state: readonly StateArray[],
  rowOrderBase: number,
) => void

type TallyKernel = (
  rowCount: number,
  selection: Uint32Array | null,
  selectedCount: number,
  keys: GroupTable['keys'],
  slotCount: number,
  lanes: Int32Array,
) => void

/** Lanes of more slots than this would not stay in the fastest cache, which is all they are for. */
const TALLY_SLOTS_MAX = 2048
/** Histograms of larger dictionaries would weigh as much as the column they are kept with. */
const HISTOGRAM_VALUES_MAX = 4096
const histograms = new WeakMap<DictVector, Int32Array>()
/** `count` columns are carried over into doubles before this many rows could overflow them. */
const CARRY_ROWS = 2 ** 30

type MergeKernel = (
  into: readonly StateArray[],
  from: readonly StateArray[],
  mapping: Uint32Array,
  count: number,
) => void

type AbsorbKernel = (
  rowCount: number,
  keys: GroupTable['keys'],
  groups: GroupTable,
  state: readonly StateArray[],
  facts: BlockFacts['facts'],
) => void

type FinishKernel = (state: readonly StateArray[], count: number) => readonly Value[][]

/** Groups and their states, as rows are added: what stats gives out, and eventstats gives back to the rows. */
export class Aggregation {
  readonly #spec: AggregationSpec
  readonly #context: RunContext
  /** Whose memory it is. */
  readonly #stage: string
  readonly #steps: readonly KernelRunner<StepKernel>[]
  readonly #tally: KernelRunner<TallyKernel> | null
  readonly #finish: KernelRunner<FinishKernel>
  readonly #merge: KernelRunner<MergeKernel>
  readonly #absorb: KernelRunner<AbsorbKernel> | null
  #lanes = new Int32Array(0)
  /** Slots that hold counts not yet settled; 0: none. */
  #pendingSlots = 0
  #rowsSinceCarry = 0
  #rows = 0
  /** By state column: what `count` columns counted before they were last cleared; null until that happens. */
  #carried: (Float64Array | null)[]
  readonly #groups: GroupTable
  #state: StateArray[]
  #capacity: number
  /** Groups whose state is initialised. */
  #ready = 0

  constructor(spec: AggregationSpec, context: RunContext, stage: string) {
    this.#spec = spec
    this.#context = context
    this.#stage = stage
    this.#steps = spec.steps.map(step => new KernelRunner(step, context))
    this.#tally = spec.tally === null ? null : new KernelRunner(spec.tally, context)
    this.#finish = new KernelRunner(spec.finish, context)
    this.#merge = new KernelRunner(spec.merge, context)
    this.#absorb = spec.statistics === null ? null : new KernelRunner(spec.statistics.absorb, context)
    this.#carried = spec.state.map(() => null)
    this.#groups = new GroupTable(spec.keys)
    if (spec.tally !== null) this.#groups.beforeChange = () => this.#settle()
    this.#capacity = spec.keys.length === 0 ? 1 : 1024
    this.#state = spec.state.map(column => allocate(column, this.#capacity))
    if (spec.keys.length === 0) {
      this.#groups.count = 1
      this.#initialise(1)
    }
  }

  add(batch: Batch): void {
    const groups = this.#groups
    const columns = this.#steps.map(step => step.spec.fields.map(field => batch.column(field)))
    if (this.#spec.keys.length > 0) {
      const most = groups.prepare(batch)
      this.#initialise(groups.count + most)
    }
    if (this.#rowsSinceCarry + batch.rowCount > CARRY_ROWS) this.#carry()
    this.#rowsSinceCarry += batch.rowCount
    this.#rows += batch.rowCount
    if (this.#tally !== null) {
      this.#count(this.#tally, batch)
      return
    }
    const mode = { selected: batch.selection !== null, exact: false }
    const { rowCount, selection, selectedCount, rowOrderBase } = batch
    for (const [index, step] of this.#steps.entries()) {
      const read = columns[index]!
      step.call(step.get(read, mode, groups.variant()), selectedCount, run => {
        run(read, rowCount, selection, selectedCount, groups.keys, groups, this.#state, rowOrderBase)
      })
    }
  }

  /** Takes a block from its statistics, when they tell all there is to know; false: it has to be read. */
  takeStatistics(part: PartReader, block: BlockReader): boolean {
    const { keys, statistics } = this.#spec
    if (statistics === null || this.#absorb === null) return false
    const known = factsOfBlock(keys, statistics.facts, part, block)
    if (known === null) return false
    const groups = this.#groups
    if (keys.length > 0) {
      const most = groups.prepare(batchOf(known.columns, known.rowCount))
      this.#initialise(groups.count + most)
    }
    if (this.#rowsSinceCarry + block.rowCount > CARRY_ROWS) this.#carry()
    this.#rowsSinceCarry += block.rowCount
    this.#rows += block.rowCount
    this.#absorb.call(
      this.#absorb.get([], { selected: false, exact: false }, groups.variant()),
      known.rowCount,
      take => {
        take(known.rowCount, groups.keys, groups, this.#state, known.facts)
      },
    )
    return true
  }

  /**
   * Rows per slot; slots become groups when their meaning changes, which for a dictionary is once per part. The row loop touches
   * nothing but codes and counters.
   */
  #count(tally: KernelRunner<TallyKernel>, batch: Batch): void {
    const groups = this.#groups
    const { slotCount } = groups
    if (this.#lanes.length < 4 * slotCount) this.#lanes = new Int32Array(4 * slotCount)
    const lanes = this.#lanes
    const histogram = this.#histogramOf(batch)
    if (histogram !== null) for (let code = 0; code < histogram.length; code++) lanes[code]! += histogram[code]!
    else {
      // One lane where four would not fit in the cache: all offsets are then zero.
      const stride = slotCount <= TALLY_SLOTS_MAX ? slotCount : 0
      const kernel = tally.get([], { selected: batch.selection !== null, exact: false }, groups.variant())
      tally.call(kernel, batch.selectedCount, count => {
        count(batch.rowCount, batch.selection, batch.selectedCount, groups.keys, stride, lanes)
      })
    }
    this.#pendingSlots = slotCount
  }

  /** A whole dictionary column counts the same every time: per code, kept as long as the decoded column is. */
  #histogramOf(batch: Batch): Int32Array | null {
    if (batch.selection !== null || this.#spec.keys.length !== 1) return null
    const vector = batch.column(this.#spec.keys[0]!.field)
    if (vector.kind !== 'dict' || vector.dictionary.values.length > HISTOGRAM_VALUES_MAX) return null
    let histogram = histograms.get(vector)
    if (histogram === undefined) {
      histogram = new Int32Array(vector.dictionary.values.length)
      for (let row = 0; row < vector.rowCount; row++) histogram[vector.codes[row]!]!++
      histograms.set(vector, histogram)
    }
    return histogram
  }

  /** Counted slots become counts of groups. */
  #settle(): void {
    const slotCount = this.#pendingSlots
    if (slotCount === 0) return
    this.#pendingSlots = 0
    const groups = this.#groups
    this.#initialise(groups.count + slotCount)
    const lanes = this.#lanes
    const isLaned = slotCount <= TALLY_SLOTS_MAX
    const counts = this.#state as readonly Int32Array[]
    for (let slot = 0; slot < slotCount; slot++) {
      let count = lanes[slot]!
      if (isLaned) count += lanes[slotCount + slot]! + lanes[2 * slotCount + slot]! + lanes[3 * slotCount + slot]!
      if (count === 0) continue
      const known = groups.slots[slot]!
      const group = known < 0 ? groups.add(slot) : known
      for (const column of counts) column[group]! += count
    }
    lanes.fill(0, 0, isLaned ? 4 * slotCount : slotCount)
  }

  /** Moves what `count` columns hold into doubles. */
  #carry(): void {
    this.#settle()
    for (const [index, column] of this.#spec.state.entries()) {
      if (column.type !== 'count') continue
      const counts = this.#state[index] as Int32Array
      const old = this.#carried[index]
      const carried = new Float64Array(counts.length)
      if (old != null) carried.set(old)
      for (let group = 0; group < counts.length; group++) carried[group]! += counts[group]!
      this.#carried[index] = carried
      counts.fill(0)
    }
    this.#rowsSinceCarry = 0
  }

  /** The state with every count whole. */
  #settledState(): readonly StateArray[] {
    if (this.#carried.every(column => column === null)) return this.#state
    this.#carry()
    return this.#state.map((column, index) => this.#carried[index] ?? column)
  }

  /** State for groups up to `count`: typed columns grow by doubling, and object columns get their empty sketch or set. */
  #initialise(count: number): void {
    if (count > this.#capacity) {
      const capacity = Math.max(count, this.#capacity * 2)
      this.#context.memory.charge((capacity - this.#capacity) * (this.#state.length * 8 + 32), this.#stage)
      this.#state = this.#state.map((old, index) => grow(old, this.#spec.state[index]!, capacity))
      this.#capacity = capacity
    }
    for (const [index, column] of this.#spec.state.entries()) fill(this.#state[index]!, column, this.#ready, count)
    this.#ready = Math.max(this.#ready, count)
  }

  get groupCount(): number {
    return this.#groups.count
  }

  get interner(): GroupTable['interner'] {
    return this.#groups.interner
  }

  /** What was found, for an operator in another thread that finishes. Nothing is pushed on. */
  partial(): PartialState {
    this.#settle()
    const { count, ids } = this.#groups
    const state = packState(this.#spec.state, this.#settledState(), count)
    return { groupCount: count, keys: ids.map(column => Uint32Array.from(column)), state, rows: this.#rows }
  }

  /** Takes over what another thread found; `table` says what its interned numbers mean here. */
  absorb(partial: PartialState, table: IdTable): void {
    this.#context.stopwatch.time(this.#context.operator, () => this.#merged(partial, table))
  }

  #merged(partial: PartialState, table: IdTable): void {
    this.#settle()
    const { groupCount, keys } = partial
    const groups = this.#groups
    if (this.#rowsSinceCarry + partial.rows > CARRY_ROWS) this.#carry()
    this.#rowsSinceCarry += partial.rows
    this.#rows += partial.rows
    const mapping = new Uint32Array(groupCount)
    if (keys.length > 0) {
      const ours = keys.map(column => column.map(id => table.ids[id]!))
      const ids: number[] = []
      for (let group = 0; group < groupCount; group++) {
        for (let key = 0; key < ours.length; key++) ids[key] = ours[key]![group]!
        mapping[group] = groups.groupOfIds(ids, key => table.interner.valueOf(ids[key]!))
      }
      this.#initialise(groups.count)
    }
    const theirs = unpackState(this.#spec.state, partial.state, table)
    this.#merge.call(this.#merge.get([], { selected: false, exact: false }), groupCount, merge => {
      merge(this.#state, theirs, mapping, groupCount)
    })
  }

  /** The group of every selected row of the batch added last, by position among them; null: there is one group. */
  groupsOf(batch: Batch): Uint32Array | null {
    if (this.#spec.keys.length === 0) return null
    const groups = new Uint32Array(batch.selectedCount)
    this.#groups.assign(batch, groups)
    return groups
  }

  /** By group: its key values and its answers, one array per aggregate. */
  results(): { readonly count: number; readonly keys: readonly Value[][]; readonly answers: readonly Value[][] } {
    this.#settle()
    const { count, values } = this.#groups
    if (count === 0) return { count, keys: values, answers: [] }
    const kernel = this.#finish.get([], { selected: false, exact: false })
    const answers = this.#finish.call(kernel, count, finish => finish(this.#settledState(), count))
    return { count, keys: values, answers }
  }
}

export class AggregateOperator extends Aggregation implements Operator {
  readonly isDone = false
  readonly #spec: AggregateSpec
  readonly #next: Operator

  constructor(spec: AggregateSpec, context: RunContext, next: Operator) {
    super(spec, context, 'stats')
    this.#spec = spec
    this.#next = next
  }

  push(batch: Batch): void {
    this.add(batch)
  }

  finish(): void {
    const batch = this.batch()
    if (batch !== null) this.#next.push(batch)
    this.#next.finish()
  }

  /** What it would give if there were no more input; null: no group yet. Its state goes on as before. */
  batch(): Batch | null {
    const { count, keys, answers } = this.results()
    if (count === 0) return null
    const order = this.#timeOrder(keys)
    const column = (groups: readonly Value[]): Vector => vectorOf(order === null ? groups : order.map(g => groups[g]))
    const all = [...keys, ...answers]
    const columns = new Map(this.#spec.outputs.map(({ name }, index) => [name, column(all[index]!)] as const))
    return batchOf(columns, count)
  }

  /** A series reads from its start: groups of a binned time come in its order, others as they were first seen. */
  #timeOrder(keys: readonly Value[][]): number[] | null {
    const at = this.#spec.keys.findIndex(key => key.isSeries === true)
    const times = keys[at]
    return times === undefined ? null : orderOfBins(times, this.#spec.keys[at]!.binMicros)
  }
}

/** Bins wider apart than this, per group, are compared instead of counted. */
const SPARSE_BINS = 16

/** Stable order by time, nulls last: bins are counted rather than compared (28,800 groups: 13 ms before, 1 now). */
function orderOfBins(times: readonly Value[], binMicros: number | null): number[] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const time of times) {
    if (!(time instanceof DateTime)) continue
    if (time.micros < low) low = time.micros
    if (time.micros > high) high = time.micros
  }
  const bins = low > high || binMicros === null ? 0 : (high - low) / binMicros + 1
  if (binMicros === null || bins > times.length * SPARSE_BINS) {
    return Array.from(times, (_, group) => group).sort((a, b) => compareValues(times[a], times[b]) || a - b)
  }
  const binOf = (time: Value): number => (time instanceof DateTime ? (time.micros - low) / binMicros : bins)
  const starts = new Uint32Array(bins + 2)
  for (const time of times) starts[binOf(time) + 1]!++
  for (let bin = 1; bin < starts.length; bin++) starts[bin]! += starts[bin - 1]!
  const order = new Array<number>(times.length)
  for (const [group, time] of times.entries()) order[starts[binOf(time)]!++] = group
  return order
}
