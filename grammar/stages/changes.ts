import type { AstChanges, AstExpr } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { printExpr } from '../print-expr.ts'
import { aggregate, callExpr, parseUnnamedBy, printBy, type StageSyntax } from './syntax.ts'

export const changesSyntax: StageSyntax<AstChanges> = {
  keyword: 'changes',
  form: 'changes f [by <key>, …]',
  summary:
    'The rows in which a value is not what it was in the row before, with that as previous; to null and from null too. Rows are taken as they come, so sort by _time first.',
  opens: /^\s+[A-Za-z_@`]\S*\s*(?:by\b|[|;])/,
  parse(p, keyword) {
    const field = parseExpression(p)
    const by = parseUnnamedBy(p)
    return { kind: 'changes', span: p.spanFrom(keyword.start), field, by }
  },
  print: ({ field, by }) => `changes ${printExpr(field)}${printBy(by)}`,
  desugar({ span, field, by }) {
    const nth = callExpr('row_number', [], span)
    const one: AstExpr = { kind: 'literal', span, value: { type: 'int', value: 1n } }
    // In an array any two values can be compared, nulls and values of different types among them.
    const boxed = (element: AstExpr): AstExpr => ({ kind: 'array', span, elements: [element] })
    const previous: AstExpr = { kind: 'field', span, name: 'previous' }
    const isLater: AstExpr = { kind: 'binary', span, operator: '>', left: nth, right: one }
    const isOther: AstExpr = { kind: 'binary', span, operator: '!=', left: boxed(field), right: boxed(previous) }
    return {
      stages: [
        {
          kind: 'streamstats',
          span,
          options: [],
          aggregates: [{ ...aggregate('lag', [field], span), alias: 'previous' }, aggregate('row_number', [], span)],
          by,
        },
        {
          kind: 'where',
          span,
          predicate: { kind: 'binary', span, operator: 'and', left: isLater, right: isOther },
          implicit: false,
        },
        { kind: 'drop', span, fields: [{ pattern: 'row_number()', isPattern: false, span }] },
      ],
      reason: 'changes compares each row with the one before it in its group',
    }
  },
}
