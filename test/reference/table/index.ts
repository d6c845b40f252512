/** Stages with an operator of their own, as plainly as possible, by keyword. The type makes it complete. */
import type { AstExpr, AstStage } from '../../../grammar/ast.ts'
import type { TableOperatorName } from '../../../runtime/table.ts'
import type { Value } from '../../../storage/value.ts'
import type { Row } from '../row.ts'
import { patterns } from './patterns.ts'
import { sample } from './sample.ts'

export interface TableState {
  readonly rows: Row[]
  /** Null while rows are events of any fields. */
  readonly columns: string[] | null
}

export type TableReference<S extends AstStage> = (
  stage: S,
  input: TableState,
  evaluate: (expr: AstExpr, row: Row) => Value,
) => TableState

export const TABLE_REFERENCE: {
  readonly [N in TableOperatorName]: TableReference<Extract<AstStage, { readonly kind: N }>>
} = { sample, patterns }

export function referenceOf(stage: AstStage): TableReference<AstStage> | null {
  const found = Object.entries(TABLE_REFERENCE).find(([name]) => name === stage.kind)
  return found === undefined ? null : (found[1] as TableReference<AstStage>)
}
