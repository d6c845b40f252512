import type { AstCompare } from '../ast.ts'
import { type Column, madeColumns } from '../columns.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { parseWidth, type StageSyntax } from './syntax.ts'

/** What follows the name of a column of numbers: what it was before, the difference, and that in percent of what it was. */
export const COMPARED = ['_previous', '_change', '_change_pct'] as const

export const compareSyntax: StageSyntax<AstCompare> = {
  keyword: 'compare',
  form: 'compare [previous] [<duration>]',
  summary: 'Beside each number what it was in the period before.',
  opens: /^\s+(?:previous\b|\d+\w*\s*(?:[|;]|$))/i,
  foreign: [{ words: ['timewrap', 'logcompare'], opens: /^\s+(?:timeshift\s+)?-?\d/i, rewrite: shiftAsCompare }],
  parse(p, keyword) {
    p.acceptWord('previous')
    const back = p.atStageEnd() && p.watch?.isWriting !== true ? null : parseWidth(p)
    return { kind: 'compare', span: p.spanFrom(keyword.start), back }
  },
  print: ({ back }) => `compare ${back === null ? 'previous' : printExpr(back, PRECEDENCE.postfix)}`,
  columns(_, before) {
    const beside = (column: Column): Column[] => [
      column,
      ...(column.isKey === true
        ? []
        : madeColumns(
            'compare',
            COMPARED.map(suffix => `${column.name}${suffix}`),
          )),
    ]
    return { ...before, all: before.all.flatMap(beside) }
  },
}

/** SPL's `timewrap 1d`, CloudWatch's `logcompare timeshift 7d`. */
function shiftAsCompare(body: string): string | null {
  const width = /^(?:timeshift\s+)?-?(\d+)\s*([smhdw])\w*$/i.exec(body)
  return width === null ? null : `compare ${width[1]}${width[2]?.toLowerCase()}`
}
