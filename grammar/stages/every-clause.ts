/** `every 5m`, the clause of short forms that may be asked for over time. */
import type { AstExpr, AstKey } from '../ast.ts'
import type { Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import type { Span } from '../source.ts'
import { parseWidth, timeBin } from './syntax.ts'

export function parseEvery(p: Parser): AstExpr | null {
  return p.acceptWord('every') === null ? null : parseWidth(p)
}

export function printEvery(width: AstExpr | null): string {
  return width === null ? '' : ` every ${printExpr(width, PRECEDENCE.postfix)}`
}

/** The keys with the time before them, which comes out as `_time`. */
export function binned(width: AstExpr | null, by: readonly AstKey[], span: Span): readonly AstKey[] {
  return width === null ? by : [timeBin(width, span), ...by]
}
