/** What `top` and `rare` have in common: all but the direction. */
import type { AstFieldRef, AstKey, AstRare, AstStage, AstTop } from '../ast.ts'
import type { Parser } from '../parser.ts'
import { quoteField } from '../token.ts'
import {
  aggregate,
  callExpr,
  keyColumn,
  parseBy,
  parseFieldRef,
  parseForeignLimit,
  parseRowCount,
  printBy,
  quoteClauseWord,
} from './syntax.ts'

const DEFAULT_COUNT = 10

export function parseRanking(p: Parser): {
  readonly count: number
  readonly field: AstFieldRef
  readonly by: readonly AstKey[]
} {
  const count = parseForeignLimit(p) ?? parseRowCount(p) ?? DEFAULT_COUNT
  return { count, field: parseFieldRef(p), by: parseBy(p) }
}

export function printRanking({ kind, count, field, by }: AstTop | AstRare): string {
  const name = quoteClauseWord(quoteField(field.name), 'by')
  return `${kind} ${count === DEFAULT_COUNT ? '' : `${count} `}${name}${printBy(by)}`
}

/** Counts by the keys and the value, sorts by the count; then the first n rows, or the first n of each group. */
export function expandRanking({ span, count, field, by }: AstTop | AstRare, descending: boolean): AstStage[] {
  const value: AstKey = { span: field.span, value: field, alias: null }
  const aggregates = [aggregate('count', [], span)]
  const keys = [{ span, value: callExpr('count', [], span), descending }]
  const groups: AstFieldRef[] = by.map(key => ({ kind: 'field', span: key.span, name: keyColumn(key) }))
  return [
    { kind: 'stats', span, aggregates, by: [...by, value] },
    { kind: 'sort', span, keys },
    groups.length === 0 ? { kind: 'head', span, count } : { kind: 'dedup', span, count, fields: groups },
  ]
}
