/** Expressions that an op needs as columns: extends below it, cut where assignments depend on each other. */
import type { Expr } from '../logical/expr.ts'
import { overlaps, readsAny } from '../logical/field-names.ts'
import type { AggregateCall, GroupKey } from '../logical/ops.ts'
import { printExpr } from '../logical/print.ts'
import { fieldsOf, sizeOf, someExpr } from '../logical/walk.ts'
import { codedBinMicros, seriesWidthNs } from '../stages/stats.ts'
import type { PhysicalKey, PhysicalOp } from './ops.ts'

export function extendInSteps(
  assignments: readonly { readonly name: string; readonly value: Expr }[],
  input: PhysicalOp,
  origin: PhysicalOp['origin'],
): PhysicalOp {
  let op = input
  let step: { name: string; value: Expr }[] = []
  let size = 0
  const flush = (): void => {
    if (step.length > 0) op = { kind: 'extend', origin, assignments: step, input: op }
    step = []
    size = 0
  }
  for (const assignment of assignments) {
    const reads = fieldsOf(assignment.value)
    const isDependent = step.some(({ name }) => readsAny(name, reads) || overlaps(name, assignment.name))
    const own = sizeOf(assignment.value)
    if (isDependent || step.length >= KERNEL_OUTPUTS_MAX || size + own > KERNEL_NODES_MAX) flush()
    step.push(assignment)
    size += own
  }
  flush()
  return op
}

/** V8 stops optimising very large functions, and takes its time over large ones; a wide extend is several kernels. */
const KERNEL_OUTPUTS_MAX = 32
const KERNEL_NODES_MAX = 1000

/** Keys and arguments of groups: what is no field becomes a column below the op. */
export class MadeColumns {
  readonly #made: { readonly name: string; readonly value: Expr }[] = []

  get names(): readonly string[] {
    return this.#made.map(assignment => assignment.name)
  }

  below(input: PhysicalOp, origin: PhysicalOp['origin']): PhysicalOp {
    return extendInSteps(this.#made, input, origin)
  }

  column(value: Expr, hint: string): Expr {
    if (value.kind === 'field' || value.kind === 'literal') return value
    const name = `$${hint}${this.#made.length}`
    this.#made.push({ name, value })
    return { kind: 'field', type: value.type, origin: value.origin, name }
  }

  key({ value, name }: GroupKey): PhysicalKey {
    const text = printExpr(value)
    const isSeries = seriesWidthNs(value) === null ? {} : ({ isSeries: true } as const)
    const binMicros = codedBinMicros(value)
    // Made while keys are coded; no column of times is written.
    if (binMicros !== null) return { field: '_time', name, binMicros, ...isSeries, text }
    if (value.kind === 'field') return { field: value.name, name, binMicros: null, text }
    const field = `$key${this.#made.length}`
    this.#made.push({ name: field, value })
    return { field, name, binMicros: null, ...isSeries, text }
  }

  /** A step kernel cannot start over when an integer outgrows 2^53 (its state has moved on), so arithmetic is done before it. */
  call(call: AggregateCall): AggregateCall {
    const { args, where } = call
    return {
      ...call,
      args: args.map(arg => this.column(arg, 'arg')),
      where: where !== null && someExpr(where, isArithmetic) ? this.column(where, 'where') : where,
    }
  }
}

function isArithmetic(node: Expr): boolean {
  return node.kind === 'call' && node.function.category === 'operator' && node.type !== 'bool'
}
