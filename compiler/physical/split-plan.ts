/** Which parts of a plan several threads may run over different blocks: an aggregation, and below it only what looks at one row at a time. */
import { isTransferable } from '../../runtime/parallel/state.ts'
import { type AggregateSpec, inputsOf, type OperatorSpec, type SplitPlan } from '../../runtime/program.ts'
import type { FunctionRegistry } from '../functions/descriptor.ts'
import { type PhysicalOp, physicalInputs, scansIn } from './ops.ts'
import { packPlan } from './transfer.ts'

const ROW_BY_ROW: ReadonlySet<PhysicalOp['kind']> = new Set(['filter', 'extend', 'keep', 'drop', 'rename', 'parse'])

/** The lowest such part over each scan; a scan without one is read by one thread. */
export function splitsOf(plan: PhysicalOp, root: OperatorSpec, functions: FunctionRegistry): readonly SplitPlan[] {
  const splits: SplitPlan[] = []
  // Physical ops and specs are trees of one shape.
  const visit = (op: PhysicalOp, spec: OperatorSpec, above: Found | null): void => {
    const found = spec.op === 'aggregate' ? { op, spec } : ROW_BY_ROW.has(op.kind) ? above : null
    const specs = inputsOf(spec)
    for (const [index, input] of physicalInputs(op).entries()) visit(input, specs[index]!, found)
    if (op.kind === 'scan' && above !== null && op.order === 'natural' && isTransferable(above.spec.state)) {
      splits.push(splitOf(above, functions))
    }
  }
  visit(plan, root, null)
  return splits
}

interface Found {
  readonly op: PhysicalOp
  readonly spec: AggregateSpec
}

function splitOf({ op, spec }: Found, functions: FunctionRegistry): SplitPlan {
  let text: string | null = null
  return {
    aggregate: spec,
    text: () => {
      text ??= packPlan(op, functions)
      return text
    },
  }
}

/**
 * The whole plan for another thread: of one scan with an aggregation over it, so that what comes back is small. Null for any other; so is
 * what it answers of a plan that cannot be told.
 */
export function wholePlanOf(
  plan: PhysicalOp,
  splits: readonly SplitPlan[],
  functions: FunctionRegistry,
): (() => string | null) | null {
  const [scan, ...others] = scansIn(plan)
  if (scan === undefined || others.length > 0 || scan.lookup !== null || splits.length === 0) return null
  return () => {
    try {
      return packPlan(plan, functions)
    } catch (error) {
      if (error instanceof TypeError) return null
      throw error
    }
  }
}
