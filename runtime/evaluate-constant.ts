/** Constant folding runs the generated code: an expression kernel over one row that reads no column. Semantics exist once. */
import type { Value } from '../storage/value.ts'
import type { Vector } from '../storage/vector.ts'
import { createRuntime } from './helpers/context.ts'
import { valueAt } from './helpers/vectors.ts'
import { KernelRunner } from './instantiate.ts'
import { emptyProfile } from './profile.ts'
import type { ExtendKernel, KernelSpec } from './program.ts'
import { Stopwatch } from './stopwatch.ts'

/** @throws {StrictCastError} when the expression holds a strict cast that fails: the caller leaves it to the run */
export function evaluateConstant(kernel: KernelSpec, nowMicros: number): Value {
  const runtime = createRuntime(nowMicros)
  const context = { runtime, profile: emptyProfile(), stopwatch: new Stopwatch(false), directory: 'query/constant' }
  const runner = new KernelRunner<ExtendKernel>(kernel, context)
  for (const exact of [false, true]) {
    const { run } = runner.get([], { selected: false, exact })
    const vectors = run([], 1, null, 1)
    if (vectors !== null) return valueAt(vectors[0] as Vector, 0)
  }
  throw new Error('a kernel in exact mode cannot bail out')
}
