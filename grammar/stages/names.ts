/** The words that name stages, apart from the descriptors so that clauses may ask without importing every stage. */
import type { AstStage } from '../ast.ts'

export const STAGE_KEYWORDS: readonly AstStage['kind'][] = [
  'where',
  'parse',
  'extend',
  'keep',
  'drop',
  'rename',
  'stats',
  'sort',
  'head',
  'tail',
  'dedup',
  'describe',
  'sample',
  'patterns',
  'count',
  'top',
  'rare',
  'every',
  'rate',
  'percentiles',
]

const WORDS: ReadonlySet<string> = new Set(STAGE_KEYWORDS)

export function isStageWord(word: string): boolean {
  return WORDS.has(word.toLowerCase())
}

/** Spellings of other languages, as the descriptors declare them. A bare predicate does not begin with one of these. */
export const FOREIGN_WORDS: ReadonlySet<string> = new Set([
  'filter',
  'search',
  'eval',
  'let',
  'math',
  'fillnull',
  'fields',
  'table',
  'project',
  'select',
  'project-keep',
  'remove',
  'delete',
  'project-away',
  'summarize',
  'summarise',
  'aggregate',
  'order',
  'take',
  'limit',
  'first',
  'last',
  'distinct',
  'uniq',
  'fieldsummary',
  'getschema',
  'rex',
  'timechart',
])

/** Stages of the language that this engine does not run yet. */
export const PLANNED_STAGES: ReadonlySet<string> = new Set([
  'eventstats',
  'streamstats',
  'join',
  'union',
  'explode',
  'materialize',
  'tee',
  'use',
  'latency',
  'proportion',
  'facets',
  'impact',
  'baseline',
  'changes',
  'exemplars',
  'compare',
  'outliers',
  'sessionize',
  'transaction',
  'trace',
  'topology',
  'correlate',
  'rollup',
  'xyseries',
  'context',
  'diff',
  'fill',
  'changepoint',
  'forecast',
  'lookup',
])
