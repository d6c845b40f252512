import type { AstExpr, AstRate } from '../ast.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { aggregate, parseBy, parseWidth, printBy, type StageSyntax, timeBin } from './syntax.ts'

export const rateSyntax: StageSyntax<AstRate> = {
  keyword: 'rate',
  form: 'rate [per <duration>] [by <key>, …]',
  summary: 'The number of events in each minute, or in each span given, for each group when there are keys.',
  opens: /^\s*(?:per\b|by\b|[|;]|$)/i,
  isFunction: true,
  parse(p, keyword) {
    const per = p.acceptWord('per') === null ? null : parseWidth(p)
    const by = parseBy(p)
    return { kind: 'rate', span: p.spanFrom(keyword.start), per, by }
  },
  print: ({ per, by }) => `rate${per === null ? '' : ` per ${printExpr(per, PRECEDENCE.postfix)}`}${printBy(by)}`,
  desugar({ span, per, by }) {
    const minute: AstExpr = { kind: 'literal', span, value: { type: 'duration', ns: 60e9, text: '1m' } }
    const keys = [timeBin(per ?? minute, span), ...by]
    return {
      stages: [{ kind: 'stats', span, aggregates: [aggregate('count', [], span)], by: keys }],
      reason: 'rate counts the events of each time bin',
    }
  },
}
