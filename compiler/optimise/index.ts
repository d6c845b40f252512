/** The optimiser: these rules, in this order, once each. Each may change what is done, and never what comes out. */
import type { Rule } from '../pass.ts'
import { answerFromStatistics } from './answer-from-statistics.ts'
import { emptyScan } from './empty-scan.ts'
import { foldConstants } from './fold-constants.ts'
import { joinOrder } from './join-order.ts'
import { joinSide } from './join-side.ts'
import { mergeRanges } from './merge-ranges.ts'
import { mergeStages } from './merge-stages.ts'
import { orderConditions } from './order-conditions.ts'
import { pruneFields } from './prune-fields.ts'
import { pushFilter } from './push-filter.ts'
import { pushLimit } from './push-limit.ts'
import { removeDedup } from './remove-dedup.ts'
import { removeSort } from './remove-sort.ts'
import { shareExpressions } from './share-expressions.ts'
import { simplifyConditions } from './simplify-conditions.ts'
import { sortLimitToTopk } from './sort-limit-to-topk.ts'
import { timeRange } from './time-range.ts'

export const RULES: readonly Rule[] = [
  foldConstants, // first: later rules match on literals
  simplifyConditions, // before push-filter: it makes conditions that can move one by one
  pushFilter, // before all that looks at the conditions next to a scan
  mergeRanges, // after push-filter: it has brought together what is asked of one field
  timeRange, // after merge-ranges: fewer bounds; before prune-fields: a condition that became a range reads no field
  emptyScan, // after merge-ranges and time-range: they find out that nothing can pass
  removeSort, // before push-limit and top-k: what is left of sorting is theirs
  removeDedup, // after remove-sort, which may have been all that stood between it and stats
  pushLimit, // before sort-limit-to-topk: it moves limits next to sorts
  sortLimitToTopk,
  mergeStages, // after filters and limits have moved from between them
  orderConditions, // after every rule that adds, moves or removes conditions
  shareExpressions, // after merge-stages: what is repeated in neighbours is then repeated in one
  joinOrder, // before join-side: it changes what is on a side
  joinSide, // after all that makes a side smaller
  answerFromStatistics, // after all that moves conditions: they must stand next to the scan, and nothing between
  pruneFields, // last: every other rule may change what is read
]
