import type { AstRollup } from '../ast.ts'
import { columnNamed, madeColumns } from '../columns.ts'
import { parseExpression } from '../expression.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import {
  aggregateColumn,
  keyAsColumn,
  parseAggregates,
  parseBy,
  parseCommaList,
  printAggregates,
  printBy,
  type StageSyntax,
} from './syntax.ts'

export const rollupSyntax: StageSyntax<AstRollup> = {
  keyword: 'rollup',
  form: 'rollup <duration>, … [by <key>, …] [stats <aggregate>, …]',
  summary:
    'Time series of several widths at once; the column width says which. Counts rows unless told what to calculate.',
  opens: /^\s+\d+[a-z]+\s*,/,
  parse(p, keyword) {
    const widths = parseCommaList(
      p,
      () => parseExpression(p, PRECEDENCE.postfix),
      token => token.literal?.type === 'duration',
    )
    const by = parseBy(p)
    const aggregates = p.acceptWord('stats') === null ? [] : parseAggregates(p)
    return { kind: 'rollup', span: p.spanFrom(keyword.start), widths, by, aggregates }
  },
  columns({ by, aggregates }, before) {
    const values =
      aggregates.length === 0
        ? ['count()'].map(name => ({ name, text: name, source: null }))
        : aggregates.map(aggregateColumn)
    const keys = by.map(key => keyAsColumn(key, before))
    return {
      ...before,
      all: [columnNamed(before, '_time'), ...madeColumns('rollup', ['width']), ...keys, ...values],
      isOpen: false,
    }
  },
  print({ widths, by, aggregates }) {
    const list = widths.map(width => printExpr(width, PRECEDENCE.postfix)).join(', ')
    return `rollup ${list}${printBy(by)}${aggregates.length === 0 ? '' : ` stats ${printAggregates(aggregates)}`}`
  },
}
