import type { AstSessionize } from '../ast.ts'
import { madeColumns, withColumns } from '../columns.ts'
import { SESSION_COLUMNS } from '../made-columns.ts'
import { parseClauses, printClauses } from './clauses.ts'
import type { StageOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  {
    name: 'maxpause',
    value: 'duration',
    doc: 'A longer pause between two events begins a new session; 30m unless given.',
  },
  {
    name: 'maxspan',
    value: 'duration',
    doc: 'The longest a session may last from its first event; no limit unless given.',
  },
]

export const sessionizeSyntax: StageSyntax<AstSessionize> = {
  keyword: 'sessionize',
  form: 'sessionize [maxpause=<duration>] [maxspan=<duration>] [by <key>, …]',
  summary: 'Which session an event belongs to: events of one key with no long pause between them.',
  opens: /^(?:\s+(?:max\w+\s*=|by\s)|\s*(?:[|;]|$))/i,
  options: OPTIONS,
  parse(p, keyword) {
    const { options, by } = parseClauses(p, OPTIONS)
    return { kind: 'sessionize', span: p.spanFrom(keyword.start), options, by }
  },
  columns: (_, before) => withColumns(before, madeColumns('sessionize', SESSION_COLUMNS)),
  print: stage => `sessionize${printClauses(stage)}`,
}
