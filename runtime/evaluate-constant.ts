/** Constant folding runs the generated code: an expression kernel over one row that reads no column. Semantics exist once. */
import type { Value } from '../storage/value.ts'
import type { Vector } from '../storage/vector.ts'
import type { Count } from './helpers/coercion.ts'
import { createRuntime } from './helpers/context.ts'
import { valueAt } from './helpers/vectors.ts'
import { KernelRunner } from './instantiate.ts'
import { allocate, fill } from './operators/state-columns.ts'
import { emptyProfile } from './profile.ts'
import type { ExtendKernel, KernelSpec, StateColumnSpec } from './program.ts'
import { Stopwatch } from './stopwatch.ts'

/** What an aggregate gives of a state no row has touched. */
export function evaluateFresh(spec: readonly StateColumnSpec[], finish: KernelSpec): Value {
  const context = constantContext(createRuntime(0, () => {}))
  const state = spec.map(column => allocate(column, 1))
  for (const [index, column] of spec.entries()) fill(state[index]!, column, 0, 1)
  const { run } = new KernelRunner<FinishKernel>(finish, context).get([], { selected: false, exact: false })
  return run(state, 1)[0]?.[0] ?? null
}

type FinishKernel = (state: readonly unknown[], count: number) => readonly (readonly Value[])[]

/** @throws {StrictCastError} when the expression holds a strict cast that fails: the caller leaves it to the run */
export function evaluateConstant(
  kernel: KernelSpec,
  nowMicros: number | (() => number),
  count: Count = () => {},
): Value {
  const context = constantContext(createRuntime(nowMicros, count))
  const runner = new KernelRunner<ExtendKernel>(kernel, context)
  for (const exact of [false, true]) {
    const { run } = runner.get([], { selected: false, exact })
    const vectors = run([], 1, null, 1)
    if (vectors !== null) return valueAt(vectors[0] as Vector, 0)
  }
  throw new Error('a kernel in exact mode cannot bail out')
}

function constantContext(runtime: ReturnType<typeof createRuntime>): ConstructorParameters<typeof KernelRunner>[1] {
  return { runtime, profile: emptyProfile(), stopwatch: new Stopwatch(false), directory: 'query/constant' }
}
