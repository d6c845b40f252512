import type { AstExpr, AstImpact, AstStage } from '../ast.ts'
import { isPunctuation } from '../parser.ts'
import { printCall } from '../print-expr.ts'
import { aggregate, parseAggregate, parseBy, printAggregates, printBy, type StageSyntax } from './syntax.ts'

export const impactSyntax: StageSyntax<AstImpact> = {
  keyword: 'impact',
  form: 'impact [<aggregate> [as a]] by <key>, …',
  summary:
    'What each group is of the whole, the greatest first: its aggregate, count() unless told otherwise, that as a share of the sum over all groups, 0 to 1, and the cumulative share down to it.',
  opens: /^\s+(?:by\s|[A-Za-z_]\w*\s*\()/i,
  parse(p, keyword) {
    const value = p.isWord('by') ? null : parseAggregate(p)
    if (p.watch !== null && value === null) p.expects({ kind: 'aggregate' })
    const comma = isPunctuation(p.peek(), ',') ? p.peek() : null
    if (comma !== null) {
      const span = { start: comma.start, end: comma.end }
      p.fail({ code: 'E301', message: 'impact ranks by one aggregate', span, expected: ["'by'"] })
    }
    if (!p.isWord('by')) p.unexpected(["'by'"], "'by' and the keys of the groups")
    const by = parseBy(p)
    return { kind: 'impact', span: p.spanFrom(keyword.start), value, by }
  },
  print: ({ value, by }) => `impact${value === null ? '' : ` ${printAggregates([value])}`}${printBy(by)}`,
  desugar({ span, value, by }) {
    const measured = value ?? aggregate('count', [], span)
    const column = (name: string): AstExpr => ({ kind: 'field', span, name })
    const size = column(measured.alias ?? printCall(measured))
    const sum = (of: AstExpr, alias: string) => ({ ...aggregate('sum', [of], span), alias })
    const ofAll = (name: string, left: AstExpr): AstStage => {
      const value: AstExpr = { kind: 'binary', span, operator: '/', left, right: column('total') }
      return { kind: 'extend', span, assignments: [{ name, nameSpan: span, value }] }
    }
    const stages: AstStage[] = [
      { kind: 'stats', span, aggregates: [measured], by },
      { kind: 'sort', span, keys: [{ span, value: size, descending: true }] },
      { kind: 'eventstats', span, aggregates: [sum(size, 'total')], by: [] },
      ofAll('share', size),
      // The sizes are added up and not the shares: 0.7 and 0.2 of a whole make 0.9 of it, and not a little less.
      { kind: 'streamstats', span, options: [], aggregates: [sum(size, 'cumulative')], by: [] },
      ofAll('cumulative', column('cumulative')),
      { kind: 'drop', span, fields: [{ pattern: 'total', isPattern: false, span }] },
    ]
    return { stages, reason: 'impact divides each group by the sum of all, the greatest first' }
  },
}
