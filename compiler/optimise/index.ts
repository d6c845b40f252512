/** The optimiser: these rules, in this order, once each. */
import type { Rule } from '../pass.ts'
import { foldConstants } from './fold-constants.ts'
import { pruneFields } from './prune-fields.ts'
import { pushFilter } from './push-filter.ts'
import { pushLimit } from './push-limit.ts'
import { sortLimitToTopk } from './sort-limit-to-topk.ts'
import { timeRange } from './time-range.ts'

export const RULES: readonly Rule[] = [
  foldConstants, // first: later rules match on literals
  pushFilter, // before time-range: it brings conditions next to the scan
  timeRange, // before prune-fields: a condition that became a range reads no field
  pushLimit, // before sort-limit-to-topk: it moves limits next to sorts
  sortLimitToTopk,
  pruneFields, // last: every other rule may change what is read
]
