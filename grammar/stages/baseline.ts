import type { AstAssignment, AstBaseline, AstExpr, AstOption } from '../ast.ts'
import { parseExpression } from '../expression.ts'
import { printExpr } from '../print-expr.ts'
import { optionOf, parseOptions, printOptions, type StageOption } from './options.ts'
import { aggregate, parseUnnamedBy, printBy, type StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'window', value: 'count', doc: 'How many rows before the row make its baseline; 20 unless given.' },
]
const DEFAULT_WINDOW = 20n

export const baselineSyntax: StageSyntax<AstBaseline> = {
  keyword: 'baseline',
  form: 'baseline f [window=<n>] [by <key>, …]',
  summary:
    'What a value was in the rows before it, and how far it is off: their mean as baseline, their standard deviation as spread, and the distance in spreads as deviation. Rows are taken as they come, so sort by _time first.',
  opens: /^\s+[A-Za-z_@`]\S*\s+(?:window\s*=|by\b)/,
  options: OPTIONS,
  parse(p, keyword) {
    const field = parseExpression(p)
    const options = parseOptions(p, OPTIONS)
    const by = parseUnnamedBy(p)
    return { kind: 'baseline', span: p.spanFrom(keyword.start), field, options, by }
  },
  print: ({ field, options, by }) => `baseline ${printExpr(field)}${printOptions(options)}${printBy(by)}`,
  desugar({ span, field, options, by }) {
    const window: AstExpr = optionOf(options, 'window') ?? {
      kind: 'literal',
      span,
      value: { type: 'int', value: DEFAULT_WINDOW },
    }
    const current: AstExpr = { kind: 'literal', span, value: { type: 'bool', value: false } }
    const given = (name: string, value: AstExpr): AstOption => ({ name, nameSpan: span, value })
    const column = (name: string): AstExpr => ({ kind: 'field', span, name })
    const distance: AstExpr = { kind: 'binary', span, operator: '-', left: field, right: column('baseline') }
    const deviation: AstAssignment = {
      name: 'deviation',
      nameSpan: span,
      value: { kind: 'binary', span, operator: '/', left: distance, right: column('spread') },
    }
    return {
      stages: [
        {
          kind: 'streamstats',
          span,
          options: [given('window', window), given('current', current)],
          aggregates: [
            { ...aggregate('avg', [field], span), alias: 'baseline' },
            { ...aggregate('stdev', [field], span), alias: 'spread' },
          ],
          by,
        },
        { kind: 'extend', span, assignments: [deviation] },
      ],
      reason: 'baseline holds each row against the mean of the rows before it',
    }
  },
}
