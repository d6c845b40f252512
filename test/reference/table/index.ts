/** Stages with an operator of their own, as plainly as possible, by keyword. The type makes it complete. */
import type { AstExpr, AstStage } from '../../../grammar/ast.ts'
import type { TableOperatorName } from '../../../runtime/table.ts'
import type { Value } from '../../../storage/value.ts'
import type { Row } from '../row.ts'
import { changepoint } from './changepoint.ts'
import { correlate } from './correlate.ts'
import { diff } from './diff.ts'
import { explode } from './explode.ts'
import { fill } from './fill.ts'
import { forecast } from './forecast.ts'
import { outliers } from './outliers.ts'
import { patterns } from './patterns.ts'
import { rollup } from './rollup.ts'
import { sample } from './sample.ts'
import { sessionize } from './sessionize.ts'
import { topology } from './topology.ts'
import { trace } from './trace.ts'
import { transaction } from './transaction.ts'
import { xyseries } from './xyseries.ts'

export interface TableState {
  readonly rows: Row[]
  /** Null while rows are events of any fields. */
  readonly columns: string[] | null
}

export type TableReference<S extends AstStage> = (
  stage: S,
  input: TableState,
  evaluate: (expr: AstExpr, row: Row) => Value,
  surroundings: Surroundings,
) => TableState

/** What a stage may know of the query it stands in. */
export interface Surroundings {
  /** Stages before it, in order. */
  readonly before: readonly AstStage[]
  /** Of the query, as instants; null: open. */
  readonly fromMicros: number | null
  readonly toMicros: number | null
  readonly nowMicros: number
}

export const TABLE_REFERENCE: {
  readonly [N in TableOperatorName]: TableReference<Extract<AstStage, { readonly kind: N }>>
} = {
  explode,
  // What goes to the file is not its concern.
  tee: (_, input) => input,
  fill,
  patterns,
  rollup,
  sample,
  xyseries,
  sessionize,
  transaction,
  trace,
  topology,
  correlate,
  outliers,
  // Needs the condition before it: the interpreter asks for it by itself.
  context: () => {
    throw new Error('context follows a condition')
  },
  diff,
  changepoint,
  forecast,
}

export function referenceOf(stage: AstStage): TableReference<AstStage> | null {
  const found = Object.entries(TABLE_REFERENCE).find(([name]) => name === stage.kind)
  return found === undefined ? null : (found[1] as TableReference<AstStage>)
}
