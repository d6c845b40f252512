/** extend: new columns from a kernel; the kernel runs when the first of them is read. */
import type { Vector } from '../../storage/vector.ts'
import type { Batch } from '../batch.ts'
import { wholeOf, withComputed } from '../column-batch.ts'
import { KernelRunner } from '../instantiate.ts'
import type { ExtendKernel, ExtendSpec } from '../program.ts'
import type { Operator, RunContext } from './operator.ts'

export class ExtendOperator implements Operator {
  readonly #kernel: KernelRunner<ExtendKernel>
  readonly #outputs: readonly string[]
  readonly #context: RunContext
  readonly #next: Operator

  constructor(spec: ExtendSpec, context: RunContext, next: Operator) {
    this.#kernel = new KernelRunner(spec.kernel, context)
    this.#outputs = spec.outputs
    this.#context = context
    this.#next = next
  }

  get isDone(): boolean {
    return this.#next.isDone
  }

  push(batch: Batch): void {
    let vectors: readonly Vector[] | null = null
    const compute = (name: string): Vector => {
      vectors ??= this.#run(batch)
      return vectors[this.#outputs.indexOf(name)]!
    }
    this.#next.push(withComputed(batch, this.#outputs, compute))
  }

  /** Whoever asks for the columns, the time is this operator's. */
  #run(batch: Batch): readonly Vector[] {
    return this.#context.stopwatch.time(this.#context.operator, () => this.#compute(batch))
  }

  #compute(batch: Batch): readonly Vector[] {
    const { rowCount, selection, selectedCount } = batch
    const columns = this.#kernel.spec.fields.map(field => batch.column(field))
    const selected = selection !== null
    const run = (kernel: ExtendKernel): readonly unknown[] | null => kernel(columns, rowCount, selection, selectedCount)
    const fast = this.#kernel.get(columns, { selected, exact: false })
    let vectors = this.#kernel.call(fast, selectedCount, run)
    if (vectors === null) {
      fast.profile.gaveUp++
      vectors = this.#kernel.call(this.#kernel.get(columns, { selected, exact: true }), selectedCount, run)
    }
    // A copy of an object whose members stand beside it has none beside itself.
    return (vectors as readonly Vector[]).map(wholeOf)
  }

  finish(): void {
    this.#next.finish()
  }
}
