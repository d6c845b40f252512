/** How a column without an alias is called: the canonical text of its expression, and `_time` for a bin of time. */
import type { AstAggregate, AstExpr } from '../../grammar/ast.ts'

export { keyColumn as keyName } from '../../grammar/stages/syntax.ts'

import { printCall, printExpr } from '../../grammar/print-expr.ts'

export function textOf(expr: AstExpr): string {
  return printExpr(expr)
}

export function aggregateName(aggregate: AstAggregate): string {
  return aggregate.alias ?? printCall({ ...aggregate, strict: false })
}

export function isTimeBin(value: AstExpr): boolean {
  if (value.kind !== 'call' || value.name.toLowerCase() !== 'bin') return false
  const [first] = value.args
  return first?.kind === 'field' && first.name === '_time'
}
