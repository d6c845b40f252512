/** sessionize: each key's rows in order of time, cut at pauses. */
import type { AstSessionize } from '../../../grammar/ast.ts'
import { durationOption } from '../../../grammar/stages/options.ts'
import { compareValues } from '../../../runtime/helpers/compare.ts'
import type { Row } from '../row.ts'
import type { TableReference } from './index.ts'
import {
  columnsAfter,
  compareKeys,
  type Group,
  groupsBy,
  hasNoKey,
  inTimeOrder,
  lengthOf,
  timeOf,
  withFields,
} from './rows.ts'

const HALF_AN_HOUR_NS = 1_800_000_000_000
const NONE = { session: null, session_start: null, session_end: null, session_duration: null, session_events: null }

export const sessionize: TableReference<AstSessionize> = (stage, { rows, columns }, evaluate) => {
  const maxPause = durationOption(stage.options, 'maxpause') ?? HALF_AN_HOUR_NS
  const maxSpan = durationOption(stage.options, 'maxspan') ?? Number.POSITIVE_INFINITY
  const sessions: Group[] = []
  for (const group of groupsBy(rows, stage.by, evaluate)) {
    if (hasNoKey(group)) continue
    let session: Group | null = null
    for (const row of inTimeOrder(group.rows)) {
      const isOver =
        session === null ||
        lengthOf(session.rows.at(-1)!, row).ns > maxPause ||
        lengthOf(session.rows[0]!, row).ns > maxSpan
      if (isOver) sessions.push((session = { keys: group.keys, rows: [] }))
      session!.rows.push(row)
    }
  }
  sessions.sort((a, b) => compareValues(timeOf(a.rows[0]!), timeOf(b.rows[0]!)) || compareKeys(a.keys, b.keys))
  const added = new Map<Row, typeof NONE | ReturnType<typeof described>>()
  for (const [index, session] of sessions.entries()) {
    for (const row of session.rows) added.set(row, described(session, index + 1))
  }
  return {
    rows: rows.map(row => withFields(row, added.get(row) ?? NONE)),
    columns: columnsAfter(columns, Object.keys(NONE)),
  }
}

function described({ rows }: Group, number: number) {
  const [first, last] = [rows[0]!, rows.at(-1)!]
  return {
    session: number,
    session_start: timeOf(first),
    session_end: timeOf(last),
    session_duration: lengthOf(first, last),
    session_events: rows.length,
  }
}
