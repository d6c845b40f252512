import type { AstForecast } from '../ast.ts'
import { madeColumns, withColumns } from '../columns.ts'
import { parseExpression } from '../expression.ts'
import { FORECAST_COLUMNS } from '../made-columns.ts'
import { PRECEDENCE } from '../precedence.ts'
import { parseClauses, printClauses, printValue } from './clauses.ts'
import type { StageOption } from './options.ts'
import { parseRowCount, type StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  {
    name: 'season',
    value: 'duration',
    doc: 'After how long the series repeats itself; unless given, an hour, a day and a week are tried where the series is long enough.',
  },
  {
    name: 'confidence',
    value: 'number',
    doc: 'Percent of values that should fall between `lower` and `upper`; 95 unless given.',
  },
]

export const forecastSyntax: StageSyntax<AstForecast> = {
  keyword: 'forecast',
  form: 'forecast <field> <n> [season=<duration>] [confidence=<percent>] [by <key>, …]',
  summary: 'The series and n more bins of it, with bounds.',
  opens: /^\s+\S+\s+\d/,
  options: OPTIONS,
  parse(p, keyword) {
    const value = parseExpression(p, PRECEDENCE.postfix)
    const count = parseRowCount(p) ?? p.unexpected(['a number'], 'a number of bins')
    const { options, by } = parseClauses(p, OPTIONS)
    return { kind: 'forecast', span: p.spanFrom(keyword.start), value, count, options, by }
  },
  columns: (_, before) => withColumns(before, madeColumns('forecast', FORECAST_COLUMNS)),
  print: stage => `forecast ${printValue(stage.value)} ${stage.count}${printClauses(stage)}`,
}
