/**
 * Aggregates over the last rows of a group that keep sets, sketches or lists: for each row they begin anew, over the arguments of the rows
 * in its window, which each group holds as columns of its own. The kernels are those of stats.
 */
import type { Value } from '../../storage/value.ts'
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { VECTOR_HELPERS, valueAt } from '../helpers/vectors.ts'
import { KernelRunner } from '../instantiate.ts'
import type { StateArray } from '../parallel/state.ts'
import type { WindowedSpec } from '../program.ts'
import type { RunContext } from './operator.ts'
import { allocate, fill } from './state-columns.ts'

type StepKernel = (
  columns: readonly Vector[],
  rowCount: number,
  selection: Uint32Array,
  selectedCount: number,
  keys: readonly never[],
  groups: null,
  state: readonly StateArray[],
  rowOrderBase: number,
) => void

type FinishKernel = (state: readonly StateArray[], count: number) => readonly Value[][]

/** Arguments of the last rows of a group: by field, the newest at the end, twice as many as a window holds before they are moved down. */
interface Arguments {
  readonly values: readonly Value[][]
  /** The same, as each step reads them: by the rows it is told. */
  readonly columns: readonly (readonly Vector[])[]
  count: number
}

const VALUE_BYTES = 16

export class WindowedColumns {
  readonly #spec: WindowedSpec
  readonly #context: RunContext
  readonly #steps: readonly KernelRunner<StepKernel>[]
  /** What the steps read, each field once. */
  readonly #fields: readonly string[]
  readonly #finish: KernelRunner<FinishKernel>
  readonly #groups: Arguments[] = []
  #rows: Uint32Array

  constructor(spec: WindowedSpec, context: RunContext) {
    this.#spec = spec
    this.#context = context
    this.#steps = spec.steps.map(step => new KernelRunner(step, context))
    this.#fields = [...new Set(spec.steps.flatMap(step => step.fields))]
    this.#finish = new KernelRunner(spec.finish, context)
    this.#rows = new Uint32Array(0)
  }

  add(batch: Batch, groups: Uint32Array, groupCount: number, into: Map<string, Vector>): void {
    const { rowCount, selection, selectedCount } = batch
    const columns = this.#fields.map(field => batch.column(field))
    const answers = this.#spec.outputs.map(() => new Array<Value>(rowCount).fill(null))
    this.#reserve(groupCount)
    for (let n = 0; n < selectedCount; n++) {
      const row = selection === null ? n : selection[n]!
      const group = this.#groups[groups[n]!]!
      if (this.#spec.current) this.#append(group, columns, row)
      const found = this.#answer(group)
      for (const [index, values] of answers.entries()) {
        const answer = found[index]![0]
        if (Array.isArray(answer)) this.#context.memory.charge(answer.length * VALUE_BYTES, 'streamstats')
        values[row] = answer ?? null
      }
      if (!this.#spec.current) this.#append(group, columns, row)
    }
    for (const [index, name] of this.#spec.outputs.entries())
      into.set(name, VECTOR_HELPERS.computedVector(answers[index]!))
  }

  #reserve(groupCount: number): void {
    for (let group = this.#groups.length; group < groupCount; group++) {
      const values = this.#fields.map((): Value[] => [])
      const vectors = values.map((each): Vector => ({ kind: 'any', rowCount: 2 * this.#spec.rows, values: each }))
      const columns = this.#steps.map(({ spec }) => spec.fields.map(field => vectors[this.#fields.indexOf(field)]!))
      this.#groups.push({ values, columns, count: 0 })
    }
  }

  #append(group: Arguments, columns: readonly Vector[], row: number): void {
    const { rows } = this.#spec
    if (group.count === 2 * rows) {
      for (const values of group.values) values.copyWithin(0, rows)
      group.count = rows
    }
    for (const [index, values] of group.values.entries()) {
      if (values.length <= group.count) this.#context.memory.charge(VALUE_BYTES, 'streamstats')
      values[group.count] = valueAt(columns[index]!, row)
    }
    group.count++
  }

  /** One value per output. */
  #answer({ columns, count }: Arguments): readonly (readonly Value[])[] {
    const { state: spec, rows } = this.#spec
    const state = spec.map(column => allocate(column, 1))
    for (const [index, column] of spec.entries()) fill(state[index]!, column, 0, 1)
    const size = Math.min(rows, count)
    if (this.#rows.length < size) this.#rows = new Uint32Array(Math.max(size, 64))
    for (let n = 0; n < size; n++) this.#rows[n] = count - size + n
    for (const [index, step] of this.#steps.entries()) {
      const read = columns[index]!
      const { run } = step.get(read, { selected: true, exact: false })
      run(read, count, this.#rows, size, [], null, state, 0)
    }
    return this.#finish.get([], { selected: false, exact: false }).run(state, 1)
  }
}
