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
  'eventstats',
  'streamstats',
  'sort',
  'head',
  'tail',
  'dedup',
  'describe',
  'sample',
  'fill',
  'xyseries',
  'rollup',
  'sessionize',
  'transaction',
  'trace',
  'topology',
  'correlate',
  'outliers',
  'context',
  'diff',
  'changepoint',
  'forecast',
  'patterns',
  'union',
  'join',
  'lookup',
  'count',
  'top',
  'rare',
  'every',
  'rate',
  'percentiles',
  'baseline',
  'changes',
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
  'makecontinuous',
  'append',
])

/** Stages of the language that this engine does not run yet. */
export const PLANNED_STAGES: ReadonlySet<string> = new Set([
  'explode',
  'materialize',
  'tee',
  'use',
  'latency',
  'proportion',
  'facets',
  'impact',
  'exemplars',
  'compare',
])
