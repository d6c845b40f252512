import type { AstChangepoint } from '../ast.ts'
import { columnNamed, madeColumns } from '../columns.ts'
import { parseExpression } from '../expression.ts'
import { CHANGE_COLUMNS } from '../made-columns.ts'
import { PRECEDENCE } from '../precedence.ts'
import { printExpr } from '../print-expr.ts'
import { parseClauses, printClauses, printValue } from './clauses.ts'
import type { StageOption } from './options.ts'
import { OPENS_NAME, type StageSyntax } from './syntax.ts'

export const CHANGE_MODELS = ['level', 'trend'] as const

const OPTIONS: readonly StageOption[] = [
  {
    name: 'model',
    value: CHANGE_MODELS,
    doc: '`level` (unless given): the series is flat between changes; `trend`: it rises or falls steadily between them.',
  },
  { name: 'penalty', value: 'number', doc: 'What a change must explain to count; 3 unless given, higher finds fewer.' },
]

export const changepointSyntax: StageSyntax<AstChangepoint> = {
  keyword: 'changepoint',
  form: 'changepoint <field> [model=level|trend] [penalty=<number>] [by <key>, …]',
  summary: 'Where a series changes its level or its trend: one row for each change.',
  opens: OPENS_NAME,
  options: OPTIONS,
  parse(p, keyword) {
    const value = parseExpression(p, PRECEDENCE.postfix)
    const { options, by } = parseClauses(p, OPTIONS)
    return { kind: 'changepoint', span: p.spanFrom(keyword.start), value, options, by }
  },
  columns({ by }, before) {
    const keys = by.map(key => columnNamed(before, key.kind === 'field' ? key.name : printExpr(key)))
    return {
      ...before,
      all: [columnNamed(before, '_time'), ...keys, ...madeColumns('changepoint', CHANGE_COLUMNS)],
      isOpen: false,
    }
  },
  print: stage => `changepoint ${printValue(stage.value)}${printClauses(stage)}`,
}
