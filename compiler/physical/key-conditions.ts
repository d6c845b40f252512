/**
 * What a join says of its second side before a row of it is read: only keys that the first side has can match. Such a condition goes
 * down to the scans by the same laws as one the user wrote; there it is known, once the first side has been read, and leaves out blocks.
 */
import type { Span } from '../../grammar/source.ts'
import type { KeyFilter } from '../../runtime/program.ts'
import type { Expr } from '../logical/expr.ts'
import type { LogicalOp } from '../logical/ops.ts'
import { mayFailOnRows, traitsOf } from '../logical/traits.ts'
import { inputsOf } from '../logical/walk.ts'

export interface KeyCondition {
  readonly join: number
  readonly key: number
  /** True of no value yet: which ones there are, the run finds out. */
  readonly expr: Expr
}

export function keyCondition(join: number, key: number, field: string, origin: Span): KeyCondition {
  const operand: Expr = { kind: 'field', type: 'any', origin, name: field }
  return { join, key, expr: { kind: 'in-set', type: 'bool', origin, operand, values: [] } }
}

/** The conditions on what an op gives as each of its inputs is asked them. */
export function conditionsBelow(
  op: LogicalOp,
  conditions: readonly KeyCondition[],
): readonly (readonly KeyCondition[])[] {
  const inputs = inputsOf(op)
  const below = inputs.map((): KeyCondition[] => [])
  if (conditions.length === 0 || mayFailOnRows(op)) return below
  const { filterInputs, filterBelow } = traitsOf(op)
  for (const condition of conditions) {
    const moved = filterInputs === undefined ? [filterBelow(op, condition.expr)] : filterInputs(op, condition.expr)
    for (const [index, expr] of (moved ?? []).entries()) if (expr !== null) below[index]!.push({ ...condition, expr })
  }
  return below
}

/** Those about a field as it is stored. */
export function keyFilters(conditions: readonly KeyCondition[]): readonly KeyFilter[] {
  return conditions.flatMap(({ join, key, expr }) =>
    expr.kind === 'in-set' && expr.operand.kind === 'field' ? [{ join, key, field: expr.operand.name }] : [],
  )
}
