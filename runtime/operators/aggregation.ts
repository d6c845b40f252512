/**
 * Groups and their states, as rows are added: groups come from GroupTable, the step kernel updates typed state arrays, the finish kernel turns
 * them into answers. State is columnar and mergeable (the merge kernel), so that parts, threads and views can each bring a partial state, and
 * what does not fit in memory is written as partial states by partitions of the groups, and merged a partition at a time.
 */

import { sizeOf } from '../../storage/dictionary.ts'
import type { BlockReader, PartReader } from '../../storage/index.ts'
import type { Value } from '../../storage/value.ts'
import type { DictVector, Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { type BlockFacts, factsOfBlock } from '../block-facts.ts'
import { batchOf, vectorOf } from '../column-batch.ts'
import { Interner } from '../helpers/interner.ts'
import { KernelRunner } from '../instantiate.ts'
import {
  bytesOfState,
  type IdTable,
  type PartialState,
  packState,
  type StateArray,
  unpackState,
} from '../parallel/state.ts'
import type { AggregationSpec, StateColumnSpec } from '../program.ts'
import type { Groups } from '../spill/group-frame.ts'
import { GroupPartitions } from '../spill/group-partitions.ts'
import { GroupTable } from './group-table.ts'
import type { RunContext } from './operator.ts'
import { SHORT_ROWS, SlotStates } from './slot-states.ts'
import { StateAccount } from './state-account.ts'
import { allocate, fill, grow } from './state-columns.ts'
import { Floats } from './table/growable.ts'
import { giveUp, zeroInts } from './table/spare-memory.ts'

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
  stride: number,
  lanes: Int32Array,
) => void

/** Lanes of more slots than this would not stay in the fastest cache, which is all they are for. */
const TALLY_SLOTS_MAX = 2048
const lanesOf = (slotCount: number): number => (slotCount <= TALLY_SLOTS_MAX ? 4 : 1)
/** Histograms of larger dictionaries would weigh as much as the column they are kept with. */
const HISTOGRAM_VALUES_MAX = 4096
const histograms = new WeakMap<DictVector, Int32Array>()
/** `count` columns are carried over into doubles before this many rows could overflow them. */
const CARRY_ROWS = 2 ** 30

type MergeKernel = (
  into: readonly StateArray[],
  from: readonly StateArray[],
  /** By row of `from` its row of `into`; negative: it has none. */
  mapping: Uint32Array | Int32Array,
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

/** The kernels of an aggregation, for all who work on it. */
export class Kernels {
  readonly steps: readonly KernelRunner<StepKernel>[]
  readonly tally: KernelRunner<TallyKernel> | null
  readonly finish: KernelRunner<FinishKernel>
  readonly merge: KernelRunner<MergeKernel>
  readonly absorb: KernelRunner<AbsorbKernel> | null

  constructor(spec: AggregationSpec, context: RunContext) {
    this.steps = spec.steps.map(step => new KernelRunner(step, context))
    this.tally = spec.tally === null ? null : new KernelRunner(spec.tally, context)
    this.finish = new KernelRunner(spec.finish, context)
    this.merge = new KernelRunner(spec.merge, context)
    this.absorb = spec.statistics === null ? null : new KernelRunner(spec.statistics.absorb, context)
  }
}

/** What tells an aggregation over a part of the groups from one of its own. */
export interface PartOfAggregation {
  readonly kernels?: Kernels
  /** Partitions of which level to write, should the groups not fit. */
  readonly level?: number
  /** Nothing but groups from disk is added. */
  readonly isMerging?: true
}

/** By group: its key values and its answers, one array per aggregate. */
export interface AggregationResults {
  readonly count: number
  readonly keys: readonly Value[][]
  readonly answers: readonly Value[][]
}

/** What stats gives out, and eventstats gives back to the rows. */
export class Aggregation {
  readonly #spec: AggregationSpec
  readonly #context: RunContext
  /** Whose memory it is. */
  readonly #stage: string
  readonly #kernels: Kernels
  readonly #columns: readonly StateColumnSpec[]
  /** Null: what the states hold cannot be held by slot. */
  readonly #bySlot: SlotStates | null
  #lanes = new Int32Array(0)
  /** Slots that hold counts not yet settled; 0: none. */
  #pendingSlots = 0
  /** Rows counted there. */
  #pendingRows = 0
  #rowsSinceCarry = 0
  #rows = 0
  /** By state column: what `count` columns counted before they were last cleared; null until that happens. */
  #carried: (Float64Array | null)[]
  #groups: GroupTable
  #state: StateArray[]
  #capacity: number
  /** Groups whose state is initialised. */
  #ready = 0
  /** Whose numbers other threads are told; the groups may have one of their own by now. */
  readonly interner: Interner
  readonly #account: StateAccount
  /** Groups on disk: those that were held when memory was full. */
  #spilled: GroupPartitions | null = null
  readonly #level: number
  /** When groups were first seen: those held now are numbered on from here, unless they bring it with them. */
  #seenBefore = 0
  #firstSeen: Floats | null = null

  constructor(spec: AggregationSpec, context: RunContext, stage: string, part: PartOfAggregation = {}) {
    this.#spec = spec
    this.#context = context
    this.#stage = stage
    this.#kernels = part.kernels ?? new Kernels(spec, context)
    this.#level = part.level ?? 0
    // Counts from disk may be of more rows than an Int32Array counts.
    const isWide = (column: StateColumnSpec): boolean => part.isMerging === true && column.type === 'count'
    this.#columns = spec.state.map(column => (isWide(column) ? { type: 'f64', init: 0 } : column))
    this.#bySlot = spec.tally === null && spec.keys.length > 0 ? SlotStates.of(this.#columns) : null
    this.#carried = spec.state.map(() => null)
    this.#account = new StateAccount(spec, context.memory)
    // What a part of the groups interned goes with it.
    this.#groups = new GroupTable(spec.keys, part.kernels === undefined ? undefined : new Interner())
    this.interner = this.#groups.interner
    this.#capacity = 0
    this.#state = []
    this.#begin()
  }

  /** Empty states for the groups to come. */
  #begin(): void {
    const { keys, tally } = this.#spec
    if (tally !== null || this.#bySlot !== null) this.#groups.beforeChange = () => this.#settle()
    this.#capacity = keys.length === 0 ? 1 : 1024
    this.#state = this.#columns.map(column => allocate(column, this.#capacity))
    this.#ready = 0
    if (keys.length === 0) {
      this.#groups.count = 1
      this.#initialise(1)
    }
  }

  /** False: with these rows it is more than the query may hold. */
  add(batch: Batch): boolean {
    this.#take(batch)
    return this.#fits(batch.selectedCount)
  }

  #take(batch: Batch): void {
    const { steps, tally } = this.#kernels
    const groups = this.#groups
    const columns = steps.map(step => step.spec.fields.map(field => batch.column(field)))
    if (this.#spec.keys.length > 0) {
      const most = groups.prepare(batch)
      this.#initialise(groups.count + most)
    }
    if (this.#rowsSinceCarry + batch.rowCount > CARRY_ROWS) this.#carry()
    this.#rowsSinceCarry += batch.rowCount
    this.#rows += batch.rowCount
    if (tally !== null) {
      this.#count(tally, batch)
      return
    }
    const { rowCount, selection, selectedCount, rowOrderBase } = batch
    const slots = this.#slotsFor(selectedCount)
    const selected = selection !== null
    const mode = slots === null ? { selected, exact: false } : { selected, exact: false, bySlot: true as const }
    const state = slots === null ? this.#state : slots.state
    for (const [index, step] of steps.entries()) {
      const read = columns[index]!
      step.call(step.get(read, mode, groups.variant()), selectedCount, run => {
        run(read, rowCount, selection, selectedCount, groups.keys, groups, state, rowOrderBase)
      })
    }
  }

  /** States by slot for so many rows more; null where looking groups up is better. */
  #slotsFor(rows: number): SlotStates | null {
    const slots = this.#bySlot
    const groups = this.#groups
    const { slotCount } = groups
    if (slots === null || !slots.suits(slotCount, rows)) return null
    if (slots.rows + rows > SHORT_ROWS) this.#settle()
    slots.prepare(slotCount, rows, groups.interner)
    groups.reserveMet(slotCount)
    return slots
  }

  /** What was added by slot becomes what was added to groups. */
  #mergeSlots(slots: SlotStates): void {
    slots.settle()
    const groups = this.#groups
    const { slotCount } = slots
    const { rowsColumn } = this.#spec
    const mapping = new Int32Array(slotCount).fill(-1)
    const { met } = groups
    const rows = rowsColumn === null ? met : (slots.state[rowsColumn] as Int32Array)
    groups.addAll(rows, slotCount)
    if (rows !== met) groups.addAll(met, slotCount)
    const { slots: groupAt } = groups
    for (let slot = 0; slot < slotCount; slot++) if (met[slot] !== 0 || rows[slot] !== 0) mapping[slot] = groupAt[slot]!
    this.#initialise(groups.count)
    const { merge: kernel } = this.#kernels
    kernel.call(kernel.get([], { selected: false, exact: false }), slotCount, merge => {
      merge(this.#state, slots.state, mapping, slotCount)
    })
    slots.clear(met)
  }

  /** Takes a block from its statistics, when they tell all there is to know; false: it has to be read. */
  takeStatistics(part: PartReader, block: BlockReader): boolean {
    const { keys, statistics } = this.#spec
    const { absorb } = this.#kernels
    if (statistics === null || absorb === null) return false
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
    absorb.call(absorb.get([], { selected: false, exact: false }, groups.variant()), known.rowCount, take => {
      take(known.rowCount, groups.keys, groups, this.#state, known.facts)
    })
    if (!this.#fits(known.rowCount)) this.makeRoom()
    return true
  }

  /**
   * Rows per slot; slots become groups when their meaning changes, which for a dictionary is once per part. The row loop touches
   * nothing but codes and counters.
   */
  #count(tally: KernelRunner<TallyKernel>, batch: Batch): void {
    const groups = this.#groups
    const { slotCount } = groups
    const size = lanesOf(slotCount) * slotCount
    if (this.#lanes.length < size) {
      giveUp(this.#lanes)
      this.#lanes = zeroInts(size)
    }
    const lanes = this.#lanes
    const histogram = this.#histogramOf(batch)
    if (histogram !== null) for (let code = 0; code < histogram.length; code++) lanes[code]! += histogram[code]!
    else {
      // One lane where four would not fit in the cache: all offsets are then zero.
      const stride = lanesOf(slotCount) > 1 ? slotCount : 0
      const kernel = tally.get([], { selected: batch.selection !== null, exact: false }, groups.variant())
      tally.call(kernel, batch.selectedCount, count => {
        count(batch.rowCount, batch.selection, batch.selectedCount, groups.keys, slotCount, stride, lanes)
      })
    }
    this.#pendingSlots = slotCount
    this.#pendingRows += batch.selectedCount
  }

  /** A whole dictionary column counts the same every time: per code, kept as long as the decoded column is. */
  #histogramOf(batch: Batch): Int32Array | null {
    if (batch.selection !== null || this.#spec.keys.length !== 1) return null
    const vector = batch.column(this.#spec.keys[0]!.field)
    if (vector.kind !== 'dict' || sizeOf(vector.dictionary) > HISTOGRAM_VALUES_MAX) return null
    let histogram = histograms.get(vector)
    if (histogram === undefined) {
      histogram = new Int32Array(sizeOf(vector.dictionary))
      for (let row = 0; row < vector.rowCount; row++) histogram[vector.codes[row]!]!++
      histograms.set(vector, histogram)
    }
    return histogram
  }

  /** What is held by slot becomes what groups hold. */
  #settle(): void {
    if (this.#bySlot !== null && this.#bySlot.slotCount > 0) this.#mergeSlots(this.#bySlot)
    const slotCount = this.#pendingSlots
    if (slotCount === 0) return
    this.#pendingSlots = 0
    const groups = this.#groups
    // Of as many slots as two wide dictionaries have pairs, few may be taken.
    this.#initialise(groups.count + Math.min(slotCount, this.#pendingRows))
    this.#pendingRows = 0
    const lanes = this.#lanes
    const isLaned = lanesOf(slotCount) > 1
    const counts = this.#state as readonly Int32Array[]
    if (isLaned)
      for (let slot = 0; slot < slotCount; slot++)
        lanes[slot]! += lanes[slotCount + slot]! + lanes[2 * slotCount + slot]! + lanes[3 * slotCount + slot]!
    groups.addAll(lanes, slotCount)
    const { slots } = groups
    for (const column of counts)
      for (let slot = 0; slot < slotCount; slot++) if (lanes[slot] !== 0) column[slots[slot]!]! += lanes[slot]!
    lanes.fill(0, 0, lanesOf(slotCount) * slotCount)
  }

  /** Moves what `count` columns hold into doubles. */
  #carry(): void {
    this.#settle()
    for (const [index, column] of this.#columns.entries()) {
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
      this.#state = this.#state.map((old, index) => grow(old, this.#columns[index]!, capacity))
      this.#capacity = capacity
    }
    for (const [index, column] of this.#columns.entries())
      fill(this.#state[index]!, column, this.#ready, count, this.#groups.interner)
    this.#ready = Math.max(this.#ready, count)
  }

  /** Accounts for what is held after some more rows. */
  #fits(rows: number): boolean {
    // Slots that were counted may be groups, each of them, until it is looked at.
    const pending = this.#pendingSlots + (this.#bySlot?.slotCount ?? 0)
    if (pending > 0 && !this.#account.hasRoom(this.#groups.count + pending)) this.#settle()
    const { count } = this.#groups
    return this.#account.fits(
      count,
      rows,
      () => bytesOfState(this.#columns, this.#state, count) + (this.#bySlot?.bytesOfObjects() ?? 0),
    )
  }

  get isSpilled(): boolean {
    return this.#spilled !== null
  }

  /** Every group held goes to disk; those of the rows to come begin anew. @throws {QueryMemoryError} when there is but one, or no room */
  makeRoom(): void {
    const { spill } = this.#context
    this.#settle()
    // One group's states, put together, are not less for being written again.
    const isLarge = this.#account.bytes * 2 > spill.memoryBytes
    if (this.#spec.keys.length === 0 || (this.#level > 0 && this.#groups.count === 1 && isLarge))
      throw spill.refuse(this.#stage, { kind: 'indivisible', what: 'the states of one group' })
    this.#write()
  }

  #write(): void {
    const { spill } = this.#context
    this.#settle()
    const { count, interner } = this.#groups
    if (count === 0) return
    this.#spilled ??= new GroupPartitions(spill, this.#stage, this.#level, this.#columns)
    const firstSeen =
      this.#firstSeen?.values ?? Float64Array.from({ length: count }, (_, group) => this.#seenBefore + group)
    const groups = { count, firstSeen, keys: this.#keyValues(), state: this.#settledState() }
    this.#spilled.write(groups, interner, this.#account.bytes / Math.max(1, count))
    this.#seenBefore += count
    this.#carried = this.#spec.state.map(() => null)
    this.#rowsSinceCarry = 0
    if (this.#firstSeen !== null) this.#firstSeen = new Floats()
    this.#account.clear()
    this.#groups = new GroupTable(this.#spec.keys, new Interner())
    this.#begin()
  }

  /** Takes in groups that were written to disk. */
  #mergeWritten({ count, firstSeen, keys, state }: Groups): void {
    const groups = this.#groups
    this.#firstSeen ??= new Floats()
    const mapping = new Uint32Array(count)
    const ids: number[] = []
    for (let group = 0; group < count; group++) {
      for (let key = 0; key < keys.length; key++) ids[key] = groups.interner.idOf(keys[key]![group])
      const before = groups.count
      mapping[group] = groups.groupOfIds(ids)
      if (groups.count > before) this.#firstSeen.push(firstSeen[group]!)
    }
    this.#initialise(groups.count)
    const { merge: kernel } = this.#kernels
    kernel.call(kernel.get([], { selected: false, exact: false }), count, merge => {
      merge(this.#state, state, mapping, count)
    })
    if (!this.#fits(count)) this.makeRoom()
  }

  /**
   * Everything, a part of the groups at a time: each that memory holds at once. Within a part groups come in the order they were first seen
   * in, which is told beside them.
   */
  *parts(): Generator<AggregationResults & { readonly firstSeen: Float64Array }> {
    if (this.#spilled === null) {
      const { count, keys, answers } = this.results()
      const firstSeen =
        this.#firstSeen?.values.slice(0, count) ?? Float64Array.from({ length: count }, (_, group) => group)
      yield { count, keys, answers, firstSeen }
      this.#account.clear()
      return
    }
    this.#write()
    for (const partition of this.#spilled.partitions()) {
      const part = new Aggregation(this.#spec, this.#context, this.#stage, {
        kernels: this.#kernels,
        level: this.#level + 1,
        isMerging: true,
      })
      const written = this.#spilled.read(partition, this.#spec.keys.length, () => part.#groups.interner)
      for (const groups of written) part.#mergeWritten(groups)
      yield* part.parts()
    }
    this.#spilled.remove()
  }

  #keyValues(): Value[][] {
    return this.#spec.keys.map((_, key) => this.#groups.valuesOf(key))
  }

  get groupCount(): number {
    return this.#groups.count
  }

  /** What was found, for an operator in another thread that finishes. Nothing is pushed on. */
  partial(): PartialState {
    this.#settle()
    const { count, ids } = this.#groups
    const state = packState(this.#spec.state, this.#settledState(), count)
    return {
      groupCount: count,
      keys: ids.map(column => Uint32Array.from(column.values.subarray(0, count))),
      state,
      rows: this.#rows,
    }
  }

  /** All has been told: what stands here is nobody's any more. */
  release(): void {
    this.#groups.release()
    giveUp(this.#lanes)
    this.#lanes = new Int32Array(0)
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
      const isOurs = groups.interner === table.interner
      const ours = keys.map(column =>
        column.map(id => {
          const known = table.ids[id]!
          return isOurs ? known : groups.interner.idOf(table.interner.valueOf(known))
        }),
      )
      const ids: number[] = []
      for (let group = 0; group < groupCount; group++) {
        for (let key = 0; key < ours.length; key++) ids[key] = ours[key]![group]!
        mapping[group] = groups.groupOfIds(ids)
      }
      this.#initialise(groups.count)
    }
    const theirs = unpackState(this.#spec.state, partial.state, table)
    const { merge: kernel } = this.#kernels
    kernel.call(kernel.get([], { selected: false, exact: false }), groupCount, merge => {
      merge(this.#state, theirs, mapping, groupCount)
    })
    if (!this.#fits(groupCount)) this.makeRoom()
  }

  /** The same of a batch that was added before. */
  groupsAgain(batch: Batch): Uint32Array | null {
    if (this.#spec.keys.length > 0) this.#groups.prepare(batch)
    return this.groupsOf(batch)
  }

  get kernels(): Kernels {
    return this.#kernels
  }

  /** Nothing of it is needed any more. */
  letGo(): void {
    this.#account.clear()
  }

  /** The group of every selected row of the batch added last, by position among them; null: there is one group. */
  groupsOf(batch: Batch): Uint32Array | null {
    if (this.#spec.keys.length === 0) return null
    const groups = new Uint32Array(batch.selectedCount)
    this.#groups.assign(batch, groups)
    return groups
  }

  results(): AggregationResults {
    const { count, answers } = this.finished()
    return { count, keys: this.#keyValues(), answers }
  }

  /** The answers, without the keys they belong to. */
  finished(): Omit<AggregationResults, 'keys'> {
    this.#settle()
    const { count } = this.#groups
    this.#fits(0)
    this.#account.settle(() => bytesOfState(this.#columns, this.#state, count))
    if (count === 0) return { count, answers: [] }
    const { finish: kernel } = this.#kernels
    const finish = kernel.get([], { selected: false, exact: false })
    const answers = kernel.call(finish, count, run => run(this.#settledState(), count))
    return { count, answers }
  }

  /** The values of a key by group, each said once where groups share them: 28,800 groups of 1,440 times and 20 texts, as rows: 14.1 → 11.4 ms with what finds them, 2.5 → 0.4 of it the collector. */
  keyColumn(key: number): Vector {
    return this.#groups.codedValuesOf(key) ?? vectorOf(this.#groups.valuesOf(key))
  }
}
