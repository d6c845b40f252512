import type { AstExpr, AstProportion } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { printExpr } from '../print-expr.ts'
import { quoteField } from '../token.ts'
import { binned, parseEvery, printEvery } from './every-clause.ts'
import { aggregate, parseBy, parseName, printBy, type StageSyntax } from './syntax.ts'

export const proportionSyntax: StageSyntax<AstProportion> = {
  keyword: 'proportion',
  form: 'proportion <predicate> as n [every <duration>] [by <key>, …]',
  summary:
    'The share of events for which the predicate is true, 0 to 1, with the numbers it was made of, `matching` and `total`; over time with every, for each group when there are keys.',
  opens: /^\s+(?:[^|]*\sas\s|[a-z_]\w*\(|\(|[\w@.`]+\s*(?:[<>=!]=|[<>]))/i,
  parse(p, keyword) {
    const predicate = parseExpression(p)
    if (p.acceptWord('as') === null) p.unexpected(["'as'"], "'as' and a name for the share")
    const { name } = parseName(p, 'a column name')
    const every = parseEvery(p)
    const by = parseBy(p)
    return { kind: 'proportion', span: p.spanFrom(keyword.start), predicate, name, every, by }
  },
  print: ({ predicate, name, every, by }) =>
    `proportion ${printExpr(predicate)} as ${quoteField(name)}${printEvery(every)}${printBy(by)}`,
  desugar({ span, predicate, name, every, by }) {
    const matching = { ...aggregate('count', [], span), where: predicate, alias: 'matching' }
    const total = { ...aggregate('count', [], span), alias: 'total' }
    const column = (of: string): AstExpr => ({ kind: 'field', span, name: of })
    const share: AstExpr = { kind: 'binary', span, operator: '/', left: column('matching'), right: column('total') }
    return {
      stages: [
        { kind: 'stats', span, aggregates: [matching, total], by: binned(every, by, span) },
        { kind: 'extend', span, assignments: [{ name, nameSpan: span, value: share }] },
      ],
      reason: 'proportion divides the matching events by all of them',
    }
  },
}
