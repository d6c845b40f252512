import type { AstOutliers } from '../ast.ts'
import { madeColumns, withColumns } from '../columns.ts'
import { OUTLIER_COLUMNS } from '../made-columns.ts'
import { parseClauses, printClauses } from './clauses.ts'
import { boolOption, optionOf, type StageOption, standsAtOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

export const OUTLIER_METHODS = ['iqr', 'zscore', 'mad'] as const

const OPTIONS: readonly StageOption[] = [
  { name: 'field', value: 'expression', doc: 'What is looked at: numbers or durations.' },
  {
    name: 'method',
    value: OUTLIER_METHODS,
    doc: '`iqr` (unless given): distance beyond the quartiles in interquartile ranges; `zscore`: distance from the mean in standard deviations; `mad`: distance from the median in median absolute deviations.',
  },
  {
    name: 'threshold',
    value: 'number',
    doc: 'How far is out; 1.5 for `iqr`, 3 for `zscore`, 3.5 for `mad` unless given.',
  },
  { name: 'mark', value: 'bool', doc: 'With `true` every row comes out, and `is_outlier` tells them apart.' },
]

export const outliersSyntax: StageSyntax<AstOutliers> = {
  keyword: 'outliers',
  form: 'outliers field=<field> [method=iqr|zscore|mad] [threshold=<number>] [mark=true] [by <key>, …]',
  summary: 'The rows whose value is far from the others, with how far and from which bounds.',
  opens: /^\s+\w+\s*=/,
  options: OPTIONS,
  parse(p, keyword) {
    const first = p.peek()
    if (first.kind === 'name' && !standsAtOption(p) && !p.isWord('by')) {
      const span = { start: first.start, end: first.end }
      const text = `field=${first.text}`
      p.fail({ code: 'E301', message: 'the field is an option', span, suggestion: text, edit: { span, text } })
    }
    const { options, by } = parseClauses(p, OPTIONS)
    if (optionOf(options, 'field') === null) p.unexpected(["'field='"], "'field=' and the field to look at")
    return { kind: 'outliers', span: p.spanFrom(keyword.start), options, by }
  },
  columns({ options }, before) {
    const isMarked = boolOption(options, 'mark') === true
    return withColumns(before, madeColumns('outliers', [...OUTLIER_COLUMNS, ...(isMarked ? ['is_outlier'] : [])]))
  },
  print: stage => `outliers${printClauses(stage)}`,
}
