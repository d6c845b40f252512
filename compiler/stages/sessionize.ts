import { durationOption } from '../../grammar/stages/options.ts'
import { SESSION_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import type { Stage } from './stage.ts'
import { byInputs, tableOp, timeInput } from './table.ts'

export const DEFAULT_PAUSE_NS = 30 * 60e9

const TYPES: Readonly<Record<(typeof SESSION_COLUMNS)[number], ValueType>> = {
  session: 'int',
  session_start: 'datetime',
  session_end: 'datetime',
  session_duration: 'duration',
  session_events: 'int',
}

export const sessionize: Stage<'sessionize'> = {
  kind: 'sessionize',
  doc: {
    summary:
      'Adds to each row the session it belongs to: rows of one key, in order of time, with no pause of more than `maxpause` between them. `session` counts sessions from 1 in order of their start; `session_start`, `session_end`, `session_duration` and `session_events` say what it is like. A row without a time or without any of the keys is in none, and has nulls.',
    examples: [
      {
        query:
          'sessionize maxpause=10m by user | stats max(session_events) as pages, max(session_duration) as took by user, session | sort session',
        input:
          '{"_timestamp":"2026-06-01T10:00:00Z","user":"ann"}\n{"_timestamp":"2026-06-01T10:02:00Z","user":"bob"}\n{"_timestamp":"2026-06-01T10:08:00Z","user":"ann"}\n{"_timestamp":"2026-06-01T10:30:00Z","user":"ann"}',
        output:
          '{"user":"ann","session":1,"pages":2,"took":"8m"}\n{"user":"bob","session":2,"pages":1,"took":"0s"}\n{"user":"ann","session":3,"pages":1,"took":"0s"}',
      },
    ],
  },
  class: 'blocks',
  order: 'keeps',
  distribution: 'merged',
  lower: (stage, cx) => ({
    op: tableOp(stage, cx, {
      call: {
        name: 'sessionize',
        options: {
          maxPauseNs: durationOption(stage.options, 'maxpause') ?? DEFAULT_PAUSE_NS,
          maxSpanNs: durationOption(stage.options, 'maxspan'),
        },
      },
      inputs: [timeInput(stage, cx), ...byInputs(stage.by, cx)],
      reads: [],
      passes: true,
      makes: SESSION_COLUMNS,
    }),
    scope: cx.scope.with(SESSION_COLUMNS.map(name => [name, TYPES[name]])),
  }),
}
