/** Every stage by its keyword. A new stage is a new file and a line here; the type refuses to forget one. */
import type { AstStage } from '../ast.ts'
import { baselineSyntax } from './baseline.ts'
import { changepointSyntax } from './changepoint.ts'
import { changesSyntax } from './changes.ts'
import { compareSyntax } from './compare.ts'
import { contextSyntax } from './context.ts'
import { correlateSyntax } from './correlate.ts'
import { countSyntax } from './count.ts'
import { dedupSyntax } from './dedup.ts'
import { describeSyntax } from './describe.ts'
import { diffSyntax } from './diff.ts'
import { dropSyntax } from './drop.ts'
import { eventstatsSyntax } from './eventstats.ts'
import { everySyntax } from './every.ts'
import { exemplarsSyntax } from './exemplars.ts'
import { explodeSyntax } from './explode.ts'
import { extendSyntax } from './extend.ts'
import { facetsSyntax } from './facets.ts'
import { fillSyntax } from './fill.ts'
import { forecastSyntax } from './forecast.ts'
import { headSyntax } from './head.ts'
import { impactSyntax } from './impact.ts'
import { joinSyntax } from './join.ts'
import { keepSyntax } from './keep.ts'
import { latencySyntax } from './latency.ts'
import { lookupSyntax } from './lookup.ts'
import { STAGE_KEYWORDS } from './names.ts'
import { outliersSyntax } from './outliers.ts'
import { parseSyntax } from './parse.ts'
import { patternsSyntax } from './patterns.ts'
import { percentilesSyntax } from './percentiles.ts'
import { proportionSyntax } from './proportion.ts'
import { rareSyntax } from './rare.ts'
import { rateSyntax } from './rate.ts'
import { renameSyntax } from './rename.ts'
import { rollupSyntax } from './rollup.ts'
import { sampleSyntax } from './sample.ts'
import { sessionizeSyntax } from './sessionize.ts'
import { sortSyntax } from './sort.ts'
import { statsSyntax } from './stats.ts'
import { streamstatsSyntax } from './streamstats.ts'
import type { ForeignSpelling, StageSyntax } from './syntax.ts'
import { tailSyntax } from './tail.ts'
import { teeSyntax } from './tee.ts'
import { topSyntax } from './top.ts'
import { topologySyntax } from './topology.ts'
import { traceSyntax } from './trace.ts'
import { transactionSyntax } from './transaction.ts'
import { unionSyntax } from './union.ts'
import { useSyntax } from './use.ts'
import { whereSyntax } from './where.ts'
import { xyseriesSyntax } from './xyseries.ts'

export type StageSyntaxes = {
  readonly [K in AstStage['kind']]: StageSyntax<Extract<AstStage, { readonly kind: K }>>
}

export const STAGE_SYNTAX: StageSyntaxes = {
  where: whereSyntax,
  parse: parseSyntax,
  extend: extendSyntax,
  keep: keepSyntax,
  drop: dropSyntax,
  rename: renameSyntax,
  stats: statsSyntax,
  eventstats: eventstatsSyntax,
  streamstats: streamstatsSyntax,
  sort: sortSyntax,
  head: headSyntax,
  tail: tailSyntax,
  dedup: dedupSyntax,
  describe: describeSyntax,
  sample: sampleSyntax,
  fill: fillSyntax,
  xyseries: xyseriesSyntax,
  rollup: rollupSyntax,
  sessionize: sessionizeSyntax,
  transaction: transactionSyntax,
  trace: traceSyntax,
  topology: topologySyntax,
  correlate: correlateSyntax,
  outliers: outliersSyntax,
  context: contextSyntax,
  diff: diffSyntax,
  changepoint: changepointSyntax,
  forecast: forecastSyntax,
  patterns: patternsSyntax,
  compare: compareSyntax,
  union: unionSyntax,
  use: useSyntax,
  explode: explodeSyntax,
  tee: teeSyntax,
  join: joinSyntax,
  lookup: lookupSyntax,
  count: countSyntax,
  top: topSyntax,
  rare: rareSyntax,
  every: everySyntax,
  rate: rateSyntax,
  percentiles: percentilesSyntax,
  baseline: baselineSyntax,
  changes: changesSyntax,
  latency: latencySyntax,
  proportion: proportionSyntax,
  facets: facetsSyntax,
  exemplars: exemplarsSyntax,
  impact: impactSyntax,
}

/** The descriptor of a stage, with the kind forgotten: whoever has the stage may call it with that stage. */
export function syntaxOf(kind: AstStage['kind']): StageSyntax<AstStage> {
  return STAGE_SYNTAX[kind] as unknown as StageSyntax<AstStage>
}

export interface Foreign {
  readonly spelling: ForeignSpelling
  readonly stage: StageSyntax<AstStage>
}

export const FOREIGN_SPELLINGS: ReadonlyMap<string, Foreign> = new Map(
  Object.keys(STAGE_SYNTAX).flatMap(kind => {
    const stage = syntaxOf(kind as AstStage['kind'])
    return (stage.foreign ?? []).flatMap(spelling => spelling.words.map(word => [word, { spelling, stage }] as const))
  }),
)

/** How the stage is written that a word names, here or in another language; null: it names none. */
export function stageForm(word: string): string | null {
  const keyword = STAGE_KEYWORDS.find(each => each === word.toLowerCase())
  const stage = keyword === undefined ? FOREIGN_SPELLINGS.get(word.toLowerCase())?.stage : syntaxOf(keyword)
  return stage?.form ?? null
}
