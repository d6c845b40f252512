/**
 * streamstats: each batch goes on with columns made of the rows before it. What looks ahead is made from behind: batches are held until the
 * input ends, and rows are gone over from the last to the first.
 */
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { withAdded } from '../column-batch.ts'
import { KernelRunner } from '../instantiate.ts'
import type { StateArray } from '../parallel/state.ts'
import type { RunningSpec, StreamstatsSpec } from '../program.ts'
import { GroupTable } from './group-table.ts'
import type { Operator, RunContext } from './operator.ts'
import { allocate, fill, grow } from './state-columns.ts'
import { withoutColumns } from './table/table.ts'
import { WindowedColumns } from './windowed-columns.ts'

/** Of a held row: its group, its place in the selection, and roughly what is decoded of it. */
const ROW_BYTES = 24
/** Rough cost of one known group, beside its states. */
const GROUP_BYTES = 96

/** Of a value in an array made for a row. */
const VALUE_BYTES = 16

interface Held {
  readonly batch: Batch
  readonly groups: Uint32Array
  readonly columns: Map<string, Vector>
}

export class StreamstatsOperator implements Operator {
  readonly #spec: StreamstatsSpec
  readonly #context: RunContext
  readonly #next: Operator
  readonly #groups: GroupTable
  readonly #forward: RunningColumns | null
  readonly #backward: RunningColumns | null
  readonly #windowed: readonly WindowedColumns[]
  #held: Held[] = []

  constructor(spec: StreamstatsSpec, context: RunContext, next: Operator) {
    this.#spec = spec
    this.#context = context
    this.#next = withoutColumns(next, spec.temporary)
    this.#groups = new GroupTable(spec.keys)
    if (spec.keys.length === 0) this.#groups.count = 1
    this.#forward = spec.forward === null ? null : new RunningColumns(spec.forward, context)
    this.#backward = spec.backward === null ? null : new RunningColumns(spec.backward, context)
    this.#windowed = spec.windowed.map(each => new WindowedColumns(each, context))
  }

  get isDone(): boolean {
    return this.#backward === null && this.#next.isDone
  }

  push(batch: Batch): void {
    const groups = this.#groupsOf(batch)
    const { count } = this.#groups
    const columns = new Map<string, Vector>()
    this.#forward?.add(batch, groups, count, columns)
    for (const windowed of this.#windowed) windowed.add(batch, groups, count, columns)
    if (this.#backward === null) this.#pass(batch, columns)
    else {
      this.#context.memory.charge(batch.selectedCount * ROW_BYTES, 'streamstats')
      this.#held.push({ batch, groups, columns })
    }
  }

  /** By position among the selected rows. */
  #groupsOf(batch: Batch): Uint32Array {
    const groups = new Uint32Array(batch.selectedCount)
    if (this.#spec.keys.length === 0) return groups
    const before = this.#groups.count
    this.#groups.prepare(batch)
    this.#groups.assign(batch, groups)
    this.#context.memory.charge((this.#groups.count - before) * GROUP_BYTES, 'streamstats')
    return groups
  }

  /** Columns in the order of the query. */
  #pass(batch: Batch, columns: ReadonlyMap<string, Vector>): void {
    const { outputs } = this.#spec
    this.#next.push(withAdded(batch, new Map(outputs.map(name => [name, columns.get(name)!] as const))))
  }

  finish(): void {
    for (const { batch, groups, columns } of this.#held.toReversed()) {
      this.#backward!.add(batch, groups, this.#groups.count, columns)
    }
    for (const { batch, columns } of this.#held) {
      if (this.#next.isDone) break
      this.#pass(batch, columns)
    }
    this.#held = []
    this.#next.finish()
  }
}

type RunningKernel = (
  columns: readonly Vector[],
  rowCount: number,
  selection: Uint32Array | null,
  selectedCount: number,
  groupOf: Uint32Array,
  state: readonly StateArray[],
  rowOrderBase: number,
  charge: (made: unknown) => void,
) => readonly Vector[]

/** States of groups, moved on by one kernel. */
class RunningColumns {
  readonly #spec: RunningSpec
  readonly #context: RunContext
  readonly #kernel: KernelRunner<RunningKernel>
  #state: StateArray[]
  #capacity = 1

  constructor(spec: RunningSpec, context: RunContext) {
    this.#spec = spec
    this.#context = context
    this.#kernel = new KernelRunner(spec.kernel, context)
    this.#state = []
    this.#reserve(1)
  }

  add(batch: Batch, groups: Uint32Array, groupCount: number, into: Map<string, Vector>): void {
    this.#reserve(groupCount)
    const { rowCount, selection, selectedCount, rowOrderBase } = batch
    const columns = this.#kernel.spec.fields.map(field => batch.column(field))
    const { run, profile } = this.#kernel.get(columns, { selected: selection !== null, exact: false })
    const start = process.hrtime.bigint()
    const made = run(columns, rowCount, selection, selectedCount, groups, this.#state, rowOrderBase, this.#charge)
    profile.durationNs += Number(process.hrtime.bigint() - start)
    profile.calls++
    profile.rows += selectedCount
    for (const [index, name] of this.#spec.outputs.entries()) into.set(name, made[index]!)
  }

  readonly #charge = (made: unknown): void => {
    if (Array.isArray(made)) this.#context.memory.charge(made.length * VALUE_BYTES, 'streamstats')
  }

  #reserve(groupCount: number): void {
    const isNew = this.#state.length === 0
    if (!isNew && groupCount <= this.#capacity) return
    const before = isNew ? 0 : this.#capacity
    const capacity = isNew ? groupCount : Math.max(groupCount, this.#capacity * 2)
    const slots = this.#spec.state.reduce((all, each) => all + each.slots, 0)
    this.#context.memory.charge((capacity - before) * slots * 8, 'streamstats')
    this.#state = this.#spec.state.map(({ column, slots: each }, index) => {
      const old = this.#state[index]
      const state = old === undefined ? allocate(column, capacity * each) : grow(old, column, capacity * each)
      fill(state, column, before * each, capacity * each)
      return state
    })
    this.#capacity = capacity
  }
}
