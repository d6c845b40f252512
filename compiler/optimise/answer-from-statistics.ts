/**
 * stats that statistics can answer: rows, rows with a field, least and greatest, and counts by a field of few values. A block that the
 * conditions take as a whole is then not read at all; the others are, so that the answer is exact.
 */

import type { Catalog } from '../catalog.ts'
import type { AggregateOp, LogicalOp, ScanOp } from '../logical/ops.ts'
import { mapPlan } from '../logical/walk.ts'
import type { Rule } from '../pass.ts'
import { factsOf } from '../physical/block-facts.ts'
import { splitPredicate, type WhyNotStored } from '../physical/split-predicate.ts'
import { storedIn } from '../physical/stored-fields.ts'

export const answerFromStatistics: Rule = {
  name: 'answer-from-statistics',
  summary:
    'count, min, max and range over whole blocks, by fields of few values or bins of time, come from their statistics',
  apply(plan, cx) {
    const answered = mapPlan(plan, op => {
      if (op.kind !== 'aggregate' || op.fromStatistics === true) return op
      return isAnswerable(op, cx.catalog) ? { fromStatistics: true, ...op } : op
    })
    return answered === plan ? null : answered
  },
}

function isAnswerable(op: AggregateOp, catalog: Catalog): boolean {
  const scan = scanUnder(op.input)
  if (scan === null || scan.nothing !== null || scan.lookup !== null) return false
  const whyNotStored = storedIn(catalog, scan)
  return takesWholeBlocks(op.input, whyNotStored) && factsOf(op, whyNotStored) !== null
}

function scanUnder(op: LogicalOp): ScanOp | null {
  if (op.kind === 'scan') return op
  return op.kind === 'filter' && op.input.kind === 'scan' ? op.input : null
}

/** May every condition be known to hold for a whole block? Of words in a text it never is. */
function takesWholeBlocks(op: LogicalOp, whyNotStored: WhyNotStored): boolean {
  if (op.kind !== 'filter') return true
  return op.conjuncts.every(conjunct => {
    const { pushed, isExact } = splitPredicate(conjunct, whyNotStored)
    return isExact && pushed.kind !== 'tokens'
  })
}
