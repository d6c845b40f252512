/** transaction: its keys are columns, its tests become columns, and what its events hold may become lists. */
import { durationOption, numberOption, optionOf } from '../../grammar/stages/options.ts'
import { TRANSACTION_COLUMNS } from '../../runtime/table.ts'
import type { ValueType } from '../../storage/value.ts'
import { Scope } from '../resolve/scope.ts'
import type { Stage } from './stage.ts'
import { columnInputs, scopeBefore, tableOp, timeInput } from './table.ts'

const TYPES: Readonly<Record<(typeof TRANSACTION_COLUMNS)[number], ValueType>> = {
  duration: 'duration',
  events: 'int',
  closed: 'bool',
  closed_by: 'string',
}

export const transaction: Stage<'transaction'> = {
  kind: 'transaction',
  doc: {
    summary: [
      'Events that belong together as one row: those with the same keys, in order of time, from one that `startswith` is true of to one that `endswith` is true of, as far as these are given, and cut where `maxpause`, `maxspan` or `maxevents` says so.',
      'The row has `_time` (of the first event), the keys, `duration`, `events` (how many), `closed` and `closed_by`; every other field holds its value where all events agree, else an array of the different values in order; `_raw` holds all texts, a line each.',
      '`closed` is false when an end was asked for and did not come. `closed_by` is what ended it: `end`, `start` (the next one began), `pause`, `span`, `events`, or null when there were no more events.',
      'With `startswith`, events outside of any transaction are left out, as are events without any of the keys. Rows come in order of their start.',
    ].join(' '),
    examples: [
      {
        query: 'transaction user startswith=action == "login" endswith=action == "logout" | drop _raw',
        input:
          '{"_timestamp":"2026-06-01T10:00:00Z","user":"ann","action":"login"}\n{"_timestamp":"2026-06-01T10:01:00Z","user":"bob","action":"login"}\n{"_timestamp":"2026-06-01T10:02:00Z","user":"ann","action":"buy"}\n{"_timestamp":"2026-06-01T10:05:00Z","user":"ann","action":"logout"}',
        output:
          '{"_time":"2026-06-01T10:00:00.000Z","user":"ann","duration":"5m","events":3,"closed":true,"closed_by":"end","_timestamp":["2026-06-01T10:00:00Z","2026-06-01T10:02:00Z","2026-06-01T10:05:00Z"],"action":["login","buy","logout"]}\n{"_time":"2026-06-01T10:01:00.000Z","user":"bob","duration":"0s","events":1,"closed":false,"closed_by":null,"_timestamp":"2026-06-01T10:01:00Z","action":"login"}',
      },
    ],
  },
  class: 'blocks',
  order: 'sets',
  distribution: 'merged',
  lower(stage, cx) {
    const { options } = stage
    const { inputs, names } = columnInputs(stage, stage.keys, cx)
    if (names.length === 0 && options.length === 0) {
      const message = 'transaction needs a key, or an option that says where one ends'
      cx.report({ code: 'E201', message, span: stage.span, expected: ['a field'] })
    }
    const tests = ['startswith', 'endswith'].flatMap(name => {
      const predicate = optionOf(options, name)
      return predicate === null ? [] : [{ name, value: cx.exprs.predicate(predicate) }]
    })
    const made = ['_time', ...names, ...TRANSACTION_COLUMNS]
    const known = new Map([...cx.scope.fields].map(([name]) => [name, 'any' as ValueType]))
    return {
      op: tableOp(stage, cx, {
        call: {
          name: 'transaction',
          options: {
            keys: names,
            maxSpanNs: durationOption(options, 'maxspan'),
            maxPauseNs: durationOption(options, 'maxpause'),
            maxEvents: numberOption(options, 'maxevents'),
          },
        },
        inputs: [timeInput(stage, cx), ...inputs, ...tests],
        reads: [],
        passes: true,
        makes: made,
      }),
      scope: scopeBefore(
        [
          ['_time', 'datetime'],
          ...names.map(name => [name, cx.scope.typeOf(name)] as const),
          ...TRANSACTION_COLUMNS.map(name => [name, TYPES[name]] as const),
        ],
        // Fields of several events may have become lists, so their types are as good as unknown.
        new Scope(known, cx.scope.isOpen, false, cx.scope.isEvents, cx.scope.isNamed),
      ),
    }
  },
}
