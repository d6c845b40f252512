/** Clauses of the investigation stages: lists of values, `by` lists of expressions that are no columns yet, options around them. */
import type { AstExpr, AstOption } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import type { Parser } from '../parser.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { parseOptions, printOptions, type StageOption, standsAtOption } from './options.ts'
import { isNameToken, parseCommaList, quoteClauseWord } from './syntax.ts'

export interface Clauses {
  readonly options: readonly AstOption[]
  readonly by: readonly AstExpr[]
}

/** `[name=value …] [by a, b] [name=value …]` */
export function parseClauses(p: Parser, declared: readonly StageOption[]): Clauses {
  const options = parseOptions(p, declared)
  if (p.acceptWord('by') === null) return { options, by: [] }
  const by = parseCommaList(
    p,
    () => parseExpression(p),
    token => isNameToken(token) && !standsAtOption(p),
  )
  return { by, options: parseOptions(p, declared, options) }
}

export function printClauses({ options, by }: Clauses): string {
  return printOptions(options) + (by.length === 0 ? '' : ` by ${by.map(key => printExpr(key)).join(', ')}`)
}

/** `a b` or `a, b`: operands up to an option, `by` or the end. */
export function parseValues(p: Parser, what: string): AstExpr[] {
  const values: AstExpr[] = []
  let isOpen = true
  while (isOpen || !(p.atStageEnd() || standsAtOption(p) || p.isWord('by'))) {
    if (p.atStageEnd()) p.unexpected([what], what)
    values.push(parseExpression(p, PRECEDENCE.postfix))
    isOpen = p.acceptPunctuation(',') !== null
  }
  return values
}

export function printValue(value: AstExpr): string {
  return quoteClauseWord(printExpr(value, PRECEDENCE.postfix), 'by')
}
