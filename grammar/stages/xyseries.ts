import type { AstFieldRef, AstXyseries } from '../ast.ts'
import { columnNamed } from '../columns.ts'
import type { Parser } from '../parser.ts'
import { quoteField } from '../token.ts'
import { numberOption, parseOptions, printOptions, type StageOption } from './options.ts'
import { parseFieldRef, type StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'limit', value: 'count', doc: 'The most columns there may be; more are an error. 100 unless given.' },
]

export const xyseriesSyntax: StageSyntax<AstXyseries> = {
  keyword: 'xyseries',
  form: 'xyseries <x> <y> <value> [limit=<n>]',
  summary: 'Turns rows into a table: a row for each x, a column for each value of y, the value where they meet.',
  opens: /^\s+[A-Za-z_@`]/,
  options: OPTIONS,
  parse(p, keyword) {
    const [x, y, value] = [parseColumn(p), parseColumn(p), parseColumn(p)]
    const options = parseOptions(p, OPTIONS)
    return { kind: 'xyseries', span: p.spanFrom(keyword.start), x, y, value, options }
  },
  columns: ({ x }, before) => ({ ...before, all: [columnNamed(before, x.name)], isOpen: true }),
  print: ({ x, y, value, options }) =>
    `xyseries ${[x, y, value].map(column => quoteField(column.name)).join(' ')}${printOptions(options)}`,
}

function parseColumn(p: Parser): AstFieldRef {
  const column = parseFieldRef(p)
  // People put commas between them, as elsewhere.
  const comma = p.acceptPunctuation(',')
  if (comma !== null) {
    const span = { start: comma.start, end: comma.end }
    p.report({ code: 'E301', message: 'x, y and value stand side by side', span, edit: { span, text: '' } })
  }
  return column
}

export const xyseriesLimit = (stage: AstXyseries): number => numberOption(stage.options, 'limit') ?? 100
