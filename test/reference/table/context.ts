/** context: for each row of a source, in order of time, how far it is from a match. */

import { contextOptions } from '../../../compiler/stages/context.ts'
import type { AstContext, AstExpr } from '../../../grammar/ast.ts'
import { NO_SPAN } from '../../../grammar/index.ts'
import { compareValues } from '../../../runtime/helpers/compare.ts'
import type { Row } from '../row.ts'
import type { TableState } from './index.ts'
import {
  columnsAfter,
  compareKeys,
  type Evaluate,
  type Group,
  groupsBy,
  inTimeOrder,
  timeOf,
  withFields,
} from './rows.ts'

const SOURCE: AstExpr = { kind: 'field', span: NO_SPAN, name: '_source' }

/** Takes the condition before it too: it drops nothing here. */
export function context(
  stage: AstContext,
  predicate: AstExpr,
  { rows, columns }: TableState,
  evaluate: Evaluate,
): TableState {
  const { before, after } = contextOptions(stage)
  const by = stage.by.length > 0 || columns?.includes('_source') === false ? stage.by : [SOURCE]
  const kindOf = new Map<Row, string>()
  const blocks: Group[] = []
  for (const { keys, rows: members } of groupsBy(rows, by, evaluate)) {
    const ordered = inTimeOrder(members)
    const matches = ordered.flatMap((row, at) => (evaluate(predicate, row) === true ? [at] : []))
    let block: Row[] | null = null
    for (const [at, row] of ordered.entries()) {
      const kind = kindAt(at, matches, before, after)
      if (kind === null) {
        block = null
        continue
      }
      kindOf.set(row, kind)
      if (block === null) blocks.push({ keys, rows: (block = []) })
      block.push(row)
    }
  }
  blocks.sort((a, b) => compareValues(timeOf(a.rows[0]!), timeOf(b.rows[0]!)) || compareKeys(a.keys, b.keys))
  return {
    rows: blocks.flatMap((block, index) =>
      block.rows.map(row => withFields(row, { context: kindOf.get(row), context_block: index + 1 })),
    ),
    columns: columnsAfter(columns, ['context', 'context_block']),
  }
}

function kindAt(at: number, matches: readonly number[], before: number, after: number): string | null {
  if (matches.includes(at)) return 'match'
  const since = Math.min(...matches.filter(match => match < at && at - match <= after).map(match => at - match))
  const until = Math.min(...matches.filter(match => match > at && match - at <= before).map(match => match - at))
  if (since === Number.POSITIVE_INFINITY && until === Number.POSITIVE_INFINITY) return null
  return since <= until ? 'after' : 'before'
}
