import type { AstExpr, AstKey, AstRollup } from '../../../grammar/ast.ts'
import { aggregate, timeBin } from '../../../grammar/stages/syntax.ts'
import { compareValues } from '../../../runtime/helpers/compare.ts'
import type { Value } from '../../../storage/value.ts'
import { aggregateName, keyName } from '../names.ts'
import type { Row } from '../row.ts'
import { stats } from '../stats.ts'
import type { TableReference } from './index.ts'

/** stats by a bin of each width, one after the other. */
export const rollup: TableReference<AstRollup> = (stage, { rows }, evaluate) => {
  const { span, by } = stage
  const aggregates = stage.aggregates.length > 0 ? stage.aggregates : [aggregate('count', [], span)]
  const all = stage.widths.flatMap(width => {
    const keys: AstKey[] = [timeBin(width, span), { span, value: width, alias: 'width' }, ...by]
    return stats({ kind: 'stats', span, aggregates, by: keys }, rows, evaluate as (expr: AstExpr, row: Row) => Value)
  })
  const order = ['width', '_time', ...by.map(keyName)]
  all.sort((a, b) =>
    order.reduce((so, name) => (so !== 0 ? so : compareValues(a.fields.get(name), b.fields.get(name))), 0),
  )
  return { rows: all, columns: ['_time', 'width', ...by.map(keyName), ...aggregates.map(aggregateName)] }
}
