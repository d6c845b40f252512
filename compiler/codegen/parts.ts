/** Where expressions too large for one function of V8's are cut: into parts, each a function of its own. */
import type { CaseExpr, Expr } from '../logical/expr.ts'
import { sizeOf } from '../logical/walk.ts'

/**
 * An expression of more nodes than this is written as several functions: V8 stops optimising one above 60 KiB of bytecode, which is
 * about 3,000 nodes, and optimises small ones sooner. Measured on an `or` of 500 comparisons: 350 ns a term and row in one function, 9 in parts.
 */
export const PART_NODES_MAX = 200

/** Neighbours together, as many as make a part; one that is larger than a part stands alone. */
export function grouped(operands: readonly Expr[]): readonly (readonly Expr[])[] {
  const groups: Expr[][] = []
  let size = PART_NODES_MAX
  for (const operand of operands) {
    size += sizeOf(operand)
    if (size > PART_NODES_MAX) {
      groups.push([])
      size = sizeOf(operand)
    }
    groups.at(-1)!.push(operand)
  }
  return groups
}

/** The first branches, as many as make a part, and the others; null when there is nothing to cut off. */
export function splitBranches({ branches }: CaseExpr): readonly [CaseExpr['branches'], CaseExpr['branches'] | null] {
  let size = 0
  const cut = branches.findIndex(({ when, then }, index) => {
    size += sizeOf(when) + sizeOf(then)
    return index > 0 && size > PART_NODES_MAX
  })
  return cut < 0 ? [branches, null] : [branches.slice(0, cut), branches.slice(cut)]
}
