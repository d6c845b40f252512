import { patternsField, patternsLimit } from '../../grammar/stages/patterns.ts'
import { PATTERN_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import { Scope } from '../resolve/scope.ts'
import type { Stage } from './stage.ts'
import { tableOp } from './table.ts'

const TYPES: Readonly<Record<(typeof PATTERN_COLUMNS)[number], ValueType>> = {
  pattern: 'string',
  count: 'int',
  share: 'float',
  first_seen: 'datetime',
  last_seen: 'datetime',
  sample: 'string',
}

export const patterns: Stage<'patterns'> = {
  kind: 'patterns',
  doc: {
    summary:
      'The templates the lines were made from, most frequent first, with how many lines each has, their share of the lines that hold the field, when the first and the last came, and the earliest as a sample. What varies is shown by its kind: `<num> <hex> <id> <ip> <host> <uuid> <time> <duration> <size> <path> <url> <email>`, or `<*>` for words that vary; `…` stands for a list, or for the rest of a very long line. Which lines belong together depends on the set of lines alone, not on their order or on parts.',
    examples: [
      {
        query: 'patterns | keep pattern, count, share, sample',
        input:
          'Failed password for root from 10.0.0.7 port 4022 ssh2\nFailed password for root from 10.0.0.9 port 51131 ssh2\nserver listening on 0.0.0.0 port 22\nFailed password for root from 10.0.0.7 port 4100 ssh2',
        output:
          '{"pattern":"Failed password for root from <ip> port <num> ssh2","count":3,"share":0.75,"sample":"Failed password for root from 10.0.0.7 port 4022 ssh2"}\n{"pattern":"server listening on <ip> port <num>","count":1,"share":0.25,"sample":"server listening on 0.0.0.0 port 22"}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'partial',
  lower(stage, cx) {
    const field = patternsField(stage)
    return {
      op: tableOp(stage, cx, {
        call: { name: 'patterns', options: { limit: patternsLimit(stage) } },
        inputs: [{ name: 'text', value: cx.exprs.field(field?.name ?? '_raw', field?.span ?? stage.span) }],
        reads: ['_time'],
        passes: false,
        makes: PATTERN_COLUMNS,
      }),
      scope: new Scope(new Map(PATTERN_COLUMNS.map(name => [name, TYPES[name]])), false),
    }
  },
}
