import type { AstFieldRef, AstPatterns } from '../ast.ts'
import { madeColumns } from '../columns.ts'
import { PATTERN_COLUMNS } from '../made-columns.ts'
import { numberOption, optionOf, parseOptions, printOptions, type StageOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'field', value: 'field', doc: 'The text that is looked at; `_raw` unless said otherwise.' },
  {
    name: 'limit',
    value: 'count',
    doc: 'How many patterns are given at most, 50 unless said otherwise; a hint tells of the rest.',
  },
]

const DEFAULT_LIMIT = 50

export const patternsSyntax: StageSyntax<AstPatterns> = {
  keyword: 'patterns',
  form: 'patterns [field=<field>] [limit=<n>]',
  summary: 'The templates the texts of a field were made from: how many lines each has, when, and a sample.',
  opens: /^\s*(?:[|;]|$|(?:field|limit)\s*=)/i,
  options: OPTIONS,
  // At the start of a query both are words somebody looks for.
  foreign: [{ words: ['cluster', 'reduce'], opens: /(?!)/, rewrite: 'keyword' }],
  parse: (p, keyword) => ({ kind: 'patterns', options: parseOptions(p, OPTIONS), span: p.spanFrom(keyword.start) }),
  columns: (_, before) => ({ ...before, all: madeColumns('patterns', PATTERN_COLUMNS), isOpen: false }),
  print: ({ options }) => `patterns${printOptions(options)}`,
}

/** The field looked at; null: `_raw`. */
export function patternsField(stage: AstPatterns): AstFieldRef | null {
  const field = optionOf(stage.options, 'field')
  return field?.kind === 'field' ? field : null
}

export const patternsLimit = (stage: AstPatterns): number => numberOption(stage.options, 'limit') ?? DEFAULT_LIMIT
