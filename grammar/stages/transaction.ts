import type { AstTransaction } from '../ast.ts'
import { columnNamed, madeColumns, withColumns } from '../columns.ts'
import { TRANSACTION_COLUMNS } from '../made-columns.ts'
import { printExpr } from '../print-expr.ts'
import { parseValues, printValue } from './clauses.ts'
import { parseOptions, printOptions, type StageOption, standsAtOption } from './options.ts'
import type { StageSyntax } from './syntax.ts'

const OPTIONS: readonly StageOption[] = [
  { name: 'maxspan', value: 'duration', doc: 'The longest a transaction may last from its first event.' },
  { name: 'maxpause', value: 'duration', doc: 'A longer pause between two events ends the transaction.' },
  { name: 'maxevents', value: 'count', doc: 'The most events of one transaction.' },
  {
    name: 'startswith',
    value: 'predicate',
    doc: 'An event for which this is true begins a transaction; events before the first one belong to none.',
  },
  {
    name: 'endswith',
    value: 'predicate',
    doc: 'An event for which this is true ends the transaction, as its last one.',
  },
]

export const transactionSyntax: StageSyntax<AstTransaction> = {
  keyword: 'transaction',
  form: 'transaction [<key>, …] [maxspan=<duration>] [maxpause=<duration>] [maxevents=<n>] [startswith=<predicate>] [endswith=<predicate>]',
  summary: 'One row for each run of events that belong together: the same keys, between a start and an end.',
  opens: /^\s+[\w@`.]+(?:\s*,|\s+\w+\s*=)|^\s+\w+\s*=/,
  options: OPTIONS,
  parse(p, keyword) {
    const keys = p.atStageEnd() || standsAtOption(p) ? [] : parseValues(p, 'a field')
    const options = parseOptions(p, OPTIONS)
    return { kind: 'transaction', span: p.spanFrom(keyword.start), keys, options }
  },
  columns: ({ keys }, before) =>
    withColumns(before, [
      columnNamed(before, '_time'),
      ...keys.map(key => columnNamed(before, key.kind === 'field' ? key.name : printExpr(key))),
      ...madeColumns('transaction', TRANSACTION_COLUMNS),
    ]),
  print({ keys, options }) {
    return `transaction${keys.length === 0 ? '' : ` ${keys.map(printValue).join(', ')}`}${printOptions(options)}`
  },
}
